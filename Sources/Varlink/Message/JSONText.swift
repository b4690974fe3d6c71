import FoundationEssentials

/// JSON as it goes over the wire: UTF-8, keys sorted, slashes as they are.
package enum JSONText {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private static let decoder = JSONDecoder()

    /// The value as JSON.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try encoder.encode(value))
    }

    /// A value from JSON.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws
        -> Value
    {
        try decoder.decode(type, from: Data(bytes))
    }

    /// A string as a JSON string, with its quotes.
    static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        let digits = Array("0123456789abcdef".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                bytes += Array(#"\u00"#.utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return bytes
    }

    /// A value that was read, as JSON again.
    static func text(_ value: JSONValue) -> [UInt8] {
        switch value {
        case .null: Array("null".utf8)
        case .bool(let flag): Array((flag ? "true" : "false").utf8)
        case .number(let digits): Array(digits.utf8)
        case .string(let text): string(text)
        case .array(let values):
            [UInt8(ascii: "[")] + Array(values.map(text).joined(separator: [UInt8(ascii: ",")]))
                + [UInt8(ascii: "]")]
        case .object(let members):
            [UInt8(ascii: "{")]
                + Array(
                    members.map { string($0.name) + [UInt8(ascii: ":")] + text($0.value) }
                        .joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "}")]
        }
    }

    /// An object with one string, the shape of the standard errors' parameters.
    static func object(_ name: String, _ text: String) -> [UInt8] {
        [UInt8(ascii: "{")] + string(name) + [UInt8(ascii: ":")] + string(text) + [
            UInt8(ascii: "}")
        ]
    }
}

/// A JSON value as the checks need it: numbers keep their text, objects the order and repetition of
/// their keys.
indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One key of an object with its value.
    struct Member: Sendable, Equatable {
        let name: String
        let value: JSONValue
    }

    /// The whole number that a JSON number stands for, also when it is written as `1.0` or `1e2`;
    /// nil if it is none of 64 bits.
    static func wholeNumber(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }
}
