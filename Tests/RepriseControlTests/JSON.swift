@testable import Varlink

/// JSON as the tests look at it.
enum JSON {
    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONText.decode(type, from: Array(text.utf8))
    }
}
