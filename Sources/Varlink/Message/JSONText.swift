import FoundationEssentials

/// JSON as it goes over the wire: UTF-8, keys sorted, slashes as they are.
public enum JSONText {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private static let decoder = JSONDecoder()

    /// The value as JSON.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try encoder.encode(value))
    }

    /// A value from JSON.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws
        -> Value
    {
        try decoder.decode(type, from: Data(bytes))
    }

    /// A string as a JSON string, with its quotes.
    package static func string(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\0"..<" ":
                #"\u00"# + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// A value that was read, as JSON again.
    static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let digits): digits
        case .string(let text): string(text)
        case .array(let values): "[\(values.map(text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(string($0.name)):\(text($0.value))" }.joined(separator: ","))}"
        }
    }

    /// An object with one string, the shape of the standard errors' parameters.
    static func object(_ name: String, _ text: String) -> [UInt8] {
        Array("{\(string(name)):\(string(text))}".utf8)
    }
}

/// A JSON value as the checks need it: numbers keep their text, objects the order and repetition of
/// their keys.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One key of an object with its value.
    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: JSONValue
    }

    /// Parses JSON (RFC 8259).
    ///
    /// - Returns: `nil` if the text is not JSON, or nested too deep.
    package init?(parsing text: String) {
        var scanner = JSONScanner(Array(text.utf8))
        do throws(MessageError) {
            let value = try scanner.value()
            guard scanner.isAtEnd() else { return nil }
            self = value
        } catch {
            return nil
        }
    }

    /// The whole number that a JSON number stands for, also when it is written as `1.0` or `1e2`;
    /// nil if it is none of 64 bits.
    static func wholeNumber(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }
}
