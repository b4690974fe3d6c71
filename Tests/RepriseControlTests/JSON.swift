import FoundationEssentials
import RepriseControl

/// JSON as it goes over the wire.
enum JSON {
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try decode(type, Array(text.utf8))
    }

    /// The members of an object, by their names.
    static func members(_ bytes: [UInt8]) throws -> [String: StateJSON] {
        try decode([String: StateJSON].self, bytes)
    }
}
