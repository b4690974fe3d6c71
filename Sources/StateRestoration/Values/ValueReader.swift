/// A reader for a sequence of stored values.
///
/// For any bytes, the reader either returns a value or throws a ``ValueError``.
package struct ValueReader: Sendable {
    /// Maximum nesting depth of arrays and dictionaries (P9).
    package static let maximumDepth = 64

    private let bytes: ArraySlice<UInt8>
    /// Index of the next byte in the slice.
    package private(set) var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Moves to a position that this reader returned earlier.
    package mutating func seek(to position: Int) {
        precondition(position >= bytes.startIndex && position <= bytes.endIndex)
        self.position = position
    }

    /// Whether all bytes have been read.
    package var isAtEnd: Bool { position == bytes.endIndex }

    /// Number of bytes that have not been read.
    package var remainingByteCount: Int { bytes.endIndex - position }

    /// Reads the tag of a value.
    package mutating func readTag() throws(ValueError) -> ValueTag {
        let byte = try readByte()
        guard let tag = ValueTag(rawValue: byte) else { throw .unknownTag(byte) }
        return tag
    }

    /// Reads an unsigned number in groups of seven bits (see ``ValueWriter/writeVarint(_:)``).
    package mutating func readVarint() throws(ValueError) -> UInt64 {
        var byte = try readByte()
        if byte < 0x80 { return UInt64(byte) }
        var result = UInt64(byte & 0x7F)
        var shift: UInt64 = 7
        while true {
            byte = try readByte()
            let lowBits = UInt64(byte & 0x7F)
            guard shift < 63 || (shift == 63 && lowBits <= 1) else { throw .numberTooLarge }
            result |= lowBits << shift
            if byte & 0x80 == 0 { return result }
            shift += 7
        }
    }

    /// Reads a signed number (see ``ValueWriter/writeZigzag(_:)``).
    package mutating func readZigzag() throws(ValueError) -> Int64 {
        let zigzagValue = try readVarint()
        return Int64(bitPattern: (zigzagValue >> 1) ^ (0 &- (zigzagValue & 1)))
    }

    /// Reads eight bytes as a little-endian number.
    package mutating func readUInt64() throws(ValueError) -> UInt64 {
        let bytes = try readSlice(8)
        return UInt64(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
    }

    /// Reads a count of elements or bytes.
    ///
    /// The count must not exceed the number of remaining bytes, because each element takes up at least one byte.
    package mutating func readCount() throws(ValueError) -> Int {
        let count = try readVarint()
        guard count <= UInt64(remainingByteCount) else { throw .truncated }
        return Int(count)
    }

    /// Reads a count and that many bytes.
    package mutating func readBytes() throws(ValueError) -> ArraySlice<UInt8> {
        try readSlice(try readCount())
    }

    /// Reads a count and that many bytes of UTF-8.
    package mutating func readText() throws(ValueError) -> String {
        let bytes = try readBytes()
        do {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw .invalidUTF8
        }
    }

    /// Reads the record number in a reference.
    package mutating func readReference() throws(ValueError) -> RecordNumber {
        guard let number = UInt32(exactly: try readVarint()) else { throw .numberTooLarge }
        return RecordNumber(number)
    }

    /// Reads the given number of bytes.
    package mutating func readSlice(_ count: Int) throws(ValueError) -> ArraySlice<UInt8> {
        guard count <= remainingByteCount else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Reads a lower and an upper bound. The upper bound must not be below the lower bound.
    package mutating func readBounds() throws(ValueError) -> (lower: Int, upper: Int) {
        let lowerBound = Int(try readZigzag())
        let upperBound = Int(try readZigzag())
        guard lowerBound <= upperBound else { throw .boundsReversed }
        return (lowerBound, upperBound)
    }

    /// Reads a count and that many numbers.
    package mutating func readIndexes() throws(ValueError) -> [Int] {
        var indexes: [Int] = []
        for _ in 0..<(try readCount()) { indexes.append(Int(try readZigzag())) }
        return indexes
    }

    /// Returns the nesting depth of the elements in an array or a dictionary at the given depth.
    package static func depth(inside depth: Int) throws(ValueError) -> Int {
        guard depth < maximumDepth else { throw .nestedTooDeep }
        return depth + 1
    }

    /// Skips a value, checking only the bytes that are needed to find its end.
    package mutating func skipValue(depth: Int = 0) throws(ValueError) {
        let tag = try readTag()
        switch tag {
        case .false, .true, .null: break
        case .integer, .unsigned, .reference: _ = try readVarint()
        case .double, .date: _ = try readSlice(8)
        case .string, .data, .url, .codable: _ = try readBytes()
        case .uuid: _ = try readSlice(16)
        case .range, .closedRange:
            _ = try readVarint()
            _ = try readVarint()
        case .indexPath:
            for _ in 0..<(try readCount()) { _ = try readVarint() }
        case .array, .dictionary:
            let innerDepth = try Self.depth(inside: depth)
            for _ in 0..<(try readCount()) {
                if tag == .dictionary { _ = try readBytes() }
                try skipValue(depth: innerDepth)
            }
        }
    }

    @inline(__always)
    private mutating func readByte() throws(ValueError) -> UInt8 {
        guard position < bytes.endIndex else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }
}

/// An error thrown if bytes are not a valid stored value.
package enum ValueError: Error, Equatable, Sendable, CustomStringConvertible {
    case truncated
    case unknownTag(UInt8)
    case numberTooLarge
    case invalidUTF8
    case nestedTooDeep
    case boundsReversed
    case duplicateKey
    case invalidURL
    case invalidJSON

    package var description: String {
        switch self {
        case .truncated: "the value ends too early"
        case .unknownTag(let byte): "it contains a value of the unknown type \(byte)"
        case .numberTooLarge: "it contains a number that is too large"
        case .invalidUTF8: "it contains text that is not UTF-8"
        case .nestedTooDeep: "it is nested more than \(ValueReader.maximumDepth) levels deep"
        case .boundsReversed: "it contains a range whose upper bound is below its lower bound"
        case .duplicateKey: "it contains a dictionary with a duplicate key"
        case .invalidURL: "it contains text that is not a URL"
        case .invalidJSON: "it contains text that is not JSON"
        }
    }
}
