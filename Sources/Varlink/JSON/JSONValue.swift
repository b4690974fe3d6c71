/// Parsed JSON value. Numbers retain their text, and objects retain the order of their keys and any duplicate keys, so
/// that a call's parameters can be checked exactly as they were sent.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// Member of an object.
    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: JSONValue
    }

    /// Parses JSON (RFC 8259), or returns `nil` if the text is not JSON or is nested too deeply.
    package init?(parsing text: String) {
        var reader = JSONReader(Array(text.utf8))
        do throws(JSONReadingError) {
            let value = try reader.readValue()
            guard reader.isAtEnd() else { return nil }
            self = value
        } catch {
            return nil
        }
    }

    /// Returns whether a JSON number is neither too large nor too small for `Double`.
    static func isRepresentableAsDouble(_ text: String) -> Bool {
        JSONReader(Array(text.utf8)).double(0..<text.utf8.count) != nil
    }

    /// Returns the value of a JSON number as a 64-bit integer, or `nil` if the number is not a 64-bit integer. An
    /// integer may be written as `1.0` or `1e2`.
    static func integerValue(_ text: String) -> Int64? {
        DecimalNumber(Array(text.utf8)[...]).integer
    }
}

extension JSONReader {
    /// Parses any value as a tree.
    package mutating func readValue() throws(JSONReadingError) -> JSONValue {
        guard let firstByte = peek() else { throw malformedError }
        switch firstByte {
        case UInt8(ascii: "{"): return .object(try readMembers())
        case UInt8(ascii: "["): return .array(try readElements())
        case UInt8(ascii: "\""):
            try countValue()
            return .string(try readString())
        default:
            let text = String(decoding: bytes[try skipValue()], as: UTF8.self)
            switch firstByte {
            case UInt8(ascii: "t"): return .bool(true)
            case UInt8(ascii: "f"): return .bool(false)
            case UInt8(ascii: "n"): return .null
            default: return .number(text)
            }
        }
    }

    private mutating func readMembers() throws(JSONReadingError) -> [JSONValue.Member] {
        try countValue()
        try enterContainer("{")
        defer { depth -= 1 }
        if consume("}") { return [] }
        var members: [JSONValue.Member] = []
        repeat {
            skipSpace()
            let name = try readString()
            guard consume(":") else { throw malformedError }
            members.append(.init(name: name, value: try readValue()))
        } while consume(",")
        guard consume("}") else { throw malformedError }
        return members
    }

    private mutating func readElements() throws(JSONReadingError) -> [JSONValue] {
        try countValue()
        try enterContainer("[")
        defer { depth -= 1 }
        if consume("]") { return [] }
        var values: [JSONValue] = []
        repeat { values.append(try readValue()) } while consume(",")
        guard consume("]") else { throw malformedError }
        return values
    }
}
