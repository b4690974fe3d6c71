/// Type whose values can be read from JSON.
public protocol JSONReadable {
    /// Reads a value at the reader's position.
    /// - Throws: ``JSONReadingError/invalidParameter(_:)`` if the JSON value has a different type or is out of range.
    static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self
}

extension JSONReader {
    /// Reads a value as the given type.
    @inlinable
    public mutating func read<Value: JSONReadable>(
        _ type: Value.Type
    ) throws(JSONReadingError) -> Value {
        try Value.read(from: &self)
    }

    /// Reads a value, and checks that only white space follows it.
    @inlinable
    public mutating func readAll<Value: JSONReadable>(
        _ type: Value.Type
    ) throws(JSONReadingError) -> Value {
        let value = try Value.read(from: &self)
        try expectEnd()
        return value
    }

    /// Checks that only white space follows.
    @usableFromInline
    mutating func expectEnd() throws(JSONReadingError) {
        guard isAtEnd() else { throw malformedError }
    }

    /// Consumes the next value if it is `null`. Returns whether the value was consumed.
    public mutating func consumeNull() throws(JSONReadingError) -> Bool {
        guard peek() == UInt8(ascii: "n") else { return false }
        try skipLiteral("null")
        return true
    }

    /// Begins reading an array.
    public mutating func beginArray() throws(JSONReadingError) {
        guard peek() == UInt8(ascii: "[") else { throw mismatchError }
        try enterContainer("[")
    }

    /// Returns whether an array has another element. Also consumes the comma before the element, or the closing
    /// bracket.
    public mutating func hasNextElement(isFirst: Bool) throws(JSONReadingError) -> Bool {
        if consume("]") {
            depth -= 1
            return false
        }
        if !isFirst { guard consume(",") else { throw malformedError } }
        return true
    }

    /// Begins reading an object with arbitrary keys.
    public mutating func beginMap() throws(JSONReadingError) {
        guard peek() == UInt8(ascii: "{") else { throw mismatchError }
        try enterContainer("{")
    }

    /// Reads the next key in an object with arbitrary keys, or returns `nil` at the end of the object.
    public mutating func nextKey(isFirst: Bool) throws(JSONReadingError) -> String? {
        guard try hasNextMember(isFirst: isFirst) else { return nil }
        let start = offset
        _ = try readMemberName()
        return try text(at: start)
    }
}

extension Bool: JSONReadable {
    /// Reads `true` or `false`.
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Bool {
        switch reader.peek() {
        case UInt8(ascii: "t"):
            try reader.skipLiteral("true")
            return true
        case UInt8(ascii: "f"):
            try reader.skipLiteral("false")
            return false
        default: throw reader.mismatchError
        }
    }
}

extension Int: JSONReadable {
    /// Reads a 64-bit integer, which may be written as `1.0` or `1e2`.
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Int {
        try Int(Int64.read(from: &reader))
    }
}

extension Int64: JSONReadable {
    /// Reads a 64-bit integer, which may be written as `1.0` or `1e2`.
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Int64 {
        guard let value = reader.integer(try reader.expectNumber()) else {
            throw reader.mismatchError
        }
        return value
    }
}

extension Double: JSONReadable {
    /// Reads a number that is neither too large nor too small for a `Double`.
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Double {
        guard let value = reader.double(try reader.expectNumber()) else {
            throw reader.mismatchError
        }
        return value
    }
}

extension String: JSONReadable {
    /// Reads a string.
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> String {
        guard reader.peek() == UInt8(ascii: "\"") else { throw reader.mismatchError }
        return try reader.readString()
    }
}

extension Optional: JSONReadable where Wrapped: JSONReadable {
    /// Reads a value, or returns `nil` if the value is `null`.
    @inlinable
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
        if try reader.consumeNull() { return nil }
        return try Wrapped.read(from: &reader)
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// Reads an array.
    @inlinable
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
        try reader.beginArray()
        var values: Self = []
        while try reader.hasNextElement(isFirst: values.isEmpty) {
            values.append(try Element.read(from: &reader))
        }
        return values
    }
}

extension Dictionary: JSONReadable where Key == String, Value: JSONReadable {
    /// Reads an object with arbitrary keys. If a key is repeated, its first value is used.
    @inlinable
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
        try reader.beginMap()
        var values: Self = [:]
        var isFirst = true
        while let key = try reader.nextKey(isFirst: isFirst) {
            isFirst = false
            let value = try Value.read(from: &reader)
            if values.index(forKey: key) == nil { values[key] = value }
        }
        return values
    }
}

/// Type of a JSON value.
package enum JSONKind: Sendable {
    case null, bool, number, string, array, object
}

extension JSONReader {
    /// Returns the type of the next value, based on the value's first byte.
    package mutating func peekKind() throws(JSONReadingError) -> JSONKind {
        switch peek() {
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "-"), (0x30...0x39)?: return .number
        default: throw malformedError
        }
    }

    /// Reads a number both as a 64-bit integer and as the nearest `Double`. Either result is `nil` if its type cannot
    /// represent the number.
    package mutating func readNumber() throws(JSONReadingError) -> (
        integer: Int64?, double: Double?
    ) {
        let numberRange = try expectNumber()
        return (integer(numberRange), double(numberRange))
    }

    /// Consumes the next value, which must be a number. Returns its byte range.
    fileprivate mutating func expectNumber() throws(JSONReadingError) -> Range<Int> {
        switch peek() {
        case UInt8(ascii: "-"), (0x30...0x39)?: return try skipNumber()
        default: throw mismatchError
        }
    }
}
