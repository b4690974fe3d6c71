import FoundationEssentials

/// JSON as it is sent: UTF-8, with sorted keys and unescaped slashes.
public enum JSONText {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private static let decoder = JSONDecoder()

    /// Encodes a value as JSON.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try encoder.encode(value))
    }

    /// Decodes a value from JSON.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws
        -> Value
    {
        try decoder.decode(type, from: Data(bytes))
    }

    /// Returns a string as a JSON string literal, including its quotes.
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

    /// Returns the JSON text of a parsed value.
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

    /// Returns an object with one string member, the format of the standard errors' parameters.
    static func object(_ name: String, _ text: String) -> [UInt8] {
        Array("{\(string(name)):\(string(text))}".utf8)
    }
}

/// Parsed JSON value. Numbers keep their text, and objects keep the order and the duplicates of their keys, because
/// the checks need them.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// Key of an object, and its value.
    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: JSONValue
    }

    /// Parses JSON (RFC 8259).
    ///
    /// - Returns: `nil` if the text is not JSON or is nested too deeply.
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

    /// Returns the integer value of a JSON number, even if the number is written as `1.0` or `1e2`, or `nil` if it is
    /// not a 64-bit integer.
    static func wholeNumber(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }
}
