import FoundationEssentials

/// Conversion of values to and from JSON in UTF-8, with sorted keys and unescaped slashes.
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

    /// Writes a value as JSON.
    /// - Throws: ``JSONWritingError`` if the value contains a number that JSON cannot represent.
    @inlinable
    public static func write(
        _ value: some JSONWritable
    ) throws(JSONWritingError) -> [UInt8] {
        var writer = JSONWriter()
        value.write(to: &writer)
        return try writer.finish()
    }

    /// Reads a value from JSON. Unknown members of structures are ignored, because a newer program may have written
    /// them.
    @inlinable
    public static func read<Value: JSONReadable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(JSONReadingError) -> Value {
        var reader = JSONReader(bytes, isStrict: false)
        return try reader.readAll(type)
    }

    /// Returns a string as a JSON string literal, including its quotes.
    package static func stringLiteral(_ text: String) -> String {
        let escapedScalars = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\0"..<" ":
                #"\u00"# + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escapedScalars.joined())\""
    }

    /// Returns a parsed value as JSON text.
    static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let digits): digits
        case .string(let text): stringLiteral(text)
        case .array(let values): "[\(values.map(text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(stringLiteral($0.name)):\(text($0.value))" }.joined(separator: ","))}"
        }
    }

    /// Returns a JSON object with a single string member. The parameters of most standard errors have this form.
    static func objectWithMember(_ name: String, _ text: String) -> [UInt8] {
        Array("{\(stringLiteral(name)):\(stringLiteral(text))}".utf8)
    }
}
