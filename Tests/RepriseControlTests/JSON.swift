import RepriseControl
import Varlink

/// Functions that write and read JSON as it is sent over the control socket.
enum JSON {
    static func bytes(_ value: some JSONWritable) throws -> [UInt8] {
        try JSONText.write(value)
    }

    static func text(_ value: some JSONWritable) throws -> String {
        String(decoding: try bytes(value), as: UTF8.self)
    }

    static func decode<Value: JSONReadable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try JSONText.read(type, from: bytes)
    }

    static func decode<Value: JSONReadable>(_ type: Value.Type, _ text: String) throws -> Value {
        try decode(type, Array(text.utf8))
    }

    /// Returns the members of an object, keyed by name.
    static func members(_ bytes: [UInt8]) throws -> [String: StateJSON] {
        try decode([String: StateJSON].self, bytes)
    }
}
