@testable import Varlink

/// JSON as the tests look at it.
enum JSON {
    /// The members of an object, in their order.
    static func members(_ bytes: [UInt8]) throws -> [JSONValue.Member] {
        var scanner = JSONScanner(bytes)
        guard case .object(let members) = try scanner.value() else {
            throw NoObject(text: String(decoding: bytes, as: UTF8.self))
        }
        return members
    }

    static func members(_ value: some Encodable) throws -> [JSONValue.Member] {
        try members(JSONText.encode(value))
    }

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONText.decode(type, from: Array(text.utf8))
    }

    struct NoObject: Error {
        var text: String
    }
}
