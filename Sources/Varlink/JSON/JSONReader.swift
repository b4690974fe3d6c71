/// JSON reader (RFC 8259) that works directly on bytes.
///
/// Generated types use it to read their values. The reader is safe for arbitrary bytes: it limits the nesting depth and
/// the number of values, and checks names and types as it reads. An error inside the outermost object names the member
/// in which it occurred, because Varlink's `InvalidParameter` names a parameter.
public struct JSONReader: Sendable {
    /// Maximum nesting depth of arrays and objects.
    public static let maximumDepth = 128

    let bytes: [UInt8]
    var offset = 0
    /// Whether unknown and repeated members of a structure are errors. A client ignores such members, because a newer
    /// server may send them.
    package let isStrict: Bool
    /// Whether U+0000 in a string is an error.
    let refusesNUL: Bool
    private let maximumValues: Int
    private var valueCount = 0
    /// Number of structures, maps and arrays that contain the current value.
    var depth = 0
    /// Offset of the current member's name in the outermost object.
    var outermostNameOffset: Int?

    /// Creates a reader at the beginning of a JSON text.
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - isStrict: Whether unknown and repeated members of a structure are errors.
    ///   - refusesNUL: Whether U+0000 in a string is an error, as it is in systemd.
    ///   - maximumValues: Maximum number of values that the reader skips or parses as trees, including nested values.
    public init(
        _ bytes: [UInt8], isStrict: Bool = true, refusesNUL: Bool = false,
        maximumValues: Int = .max
    ) {
        self.bytes = bytes
        self.isStrict = isStrict
        self.refusesNUL = refusesNUL
        self.maximumValues = maximumValues
    }

    /// Error that reports invalid JSON at the current offset.
    var malformedError: JSONReadingError { .message(.notJSON(offset: offset)) }

    /// Skips white space and returns whether the text ends there.
    public mutating func isAtEnd() -> Bool {
        skipSpace()
        return offset == bytes.count
    }

    /// Returns the next byte after white space, or `nil` at the end of the text.
    mutating func peek() -> UInt8? {
        skipSpace()
        return offset < bytes.count ? bytes[offset] : nil
    }

    /// Skips white space, then consumes the given byte if it follows. Returns whether the byte was consumed.
    mutating func consume(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        return skip(byte)
    }

    mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    /// Consumes the given byte if it follows immediately. Returns whether the byte was consumed.
    @discardableResult
    mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    /// Consumes a literal such as `null`.
    mutating func skipLiteral(_ literal: StaticString) throws(JSONReadingError) {
        for index in 0..<literal.utf8CodeUnitCount {
            guard offset < bytes.count, bytes[offset] == literal.utf8Start[index] else {
                throw malformedError
            }
            offset += 1
        }
    }

    /// Counts a value toward the maximum number of values.
    mutating func countValue() throws(JSONReadingError) {
        valueCount += 1
        guard valueCount <= maximumValues else {
            throw .message(.tooManyValues(limit: maximumValues))
        }
    }

    /// Consumes any value. Returns its byte range, without surrounding white space.
    mutating func skipValue() throws(JSONReadingError) -> Range<Int> {
        guard let firstByte = peek() else { throw malformedError }
        let start = offset
        try countValue()
        switch firstByte {
        case UInt8(ascii: "{"): try skipObject()
        case UInt8(ascii: "["): try skipArray()
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipLiteral("true")
        case UInt8(ascii: "f"): try skipLiteral("false")
        case UInt8(ascii: "n"): try skipLiteral("null")
        default: _ = try skipNumber()
        }
        return start..<offset
    }

    private mutating func skipObject() throws(JSONReadingError) {
        try enterContainer("{")
        if !consume("}") {
            repeat {
                skipSpace()
                try skipString()
                guard consume(":") else { throw malformedError }
                _ = try skipValue()
            } while consume(",")
            guard consume("}") else { throw malformedError }
        }
        depth -= 1
    }

    private mutating func skipArray() throws(JSONReadingError) {
        try enterContainer("[")
        if !consume("]") {
            repeat { _ = try skipValue() } while consume(",")
            guard consume("]") else { throw malformedError }
        }
        depth -= 1
    }

    /// Consumes the first byte of an array or object. The caller decrements ``depth`` after the last byte.
    mutating func enterContainer(_ byte: Unicode.Scalar) throws(JSONReadingError) {
        guard depth < Self.maximumDepth else { throw .message(.tooDeep) }
        guard consume(byte) else { throw malformedError }
        depth += 1
    }
}

/// Error thrown if a value cannot be read from JSON.
public enum JSONReadingError: Error, Sendable, Equatable {
    /// The bytes are not JSON that the reader accepts.
    case message(MessageError)
    /// The parameter with this name is unknown, repeated or missing, or its value has the wrong type.
    case invalidParameter(String)
}
