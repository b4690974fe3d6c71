/// Reads stored values one after the other. Total: any bytes give a value or a ``ValueError``.
package struct ValueReader: Sendable {
    /// How deep arrays and dictionaries may be nested (P9).
    package static let maximumDepth = 64

    private let bytes: ArraySlice<UInt8>
    /// Where the next byte is read, as an index of the slice.
    package private(set) var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Goes back to a position that this reader told earlier.
    package mutating func seek(to position: Int) {
        precondition(position >= bytes.startIndex && position <= bytes.endIndex)
        self.position = position
    }

    package var isAtEnd: Bool { position == bytes.endIndex }

    /// How many bytes are left; a count that says more is malformed.
    package var remaining: Int { bytes.endIndex - position }

    package mutating func readTag() throws(ValueError) -> ValueTag {
        let byte = try readByte()
        guard let tag = ValueTag(rawValue: byte) else { throw .unknownTag(byte) }
        return tag
    }

    package mutating func readVarint() throws(ValueError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            let part = UInt64(byte & 0x7F)
            guard shift < 63 || (shift == 63 && part <= 1) else { throw .numberTooLarge }
            result |= part << shift
            if byte & 0x80 == 0 { return result }
            shift += 7
        }
    }

    package mutating func readZigzag() throws(ValueError) -> Int64 {
        let raw = try readVarint()
        return Int64(bitPattern: (raw >> 1) ^ (0 &- (raw & 1)))
    }

    package mutating func readFixed() throws(ValueError) -> UInt64 {
        var result: UInt64 = 0
        for (index, byte) in try readSlice(8).enumerated() {
            result |= UInt64(byte) << UInt64(index * 8)
        }
        return result
    }

    /// A count, checked against what is left. Each element takes at least one byte.
    package mutating func readCount() throws(ValueError) -> Int {
        let count = try readVarint()
        guard count <= UInt64(remaining) else { throw .truncated }
        return Int(count)
    }

    package mutating func readBytes() throws(ValueError) -> ArraySlice<UInt8> {
        try readSlice(try readCount())
    }

    package mutating func readText() throws(ValueError) -> String {
        guard let text = String(validating: try readBytes(), as: UTF8.self) else {
            throw .invalidUTF8
        }
        return text
    }

    package mutating func readReference() throws(ValueError) -> RecordNumber {
        guard let number = UInt32(exactly: try readVarint()) else { throw .numberTooLarge }
        return RecordNumber(number)
    }

    package mutating func readSlice(_ count: Int) throws(ValueError) -> ArraySlice<UInt8> {
        guard count <= remaining else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Passes over one value.
    package mutating func skipValue(depth: Int = 0) throws(ValueError) {
        guard depth <= Self.maximumDepth else { throw .nestedTooDeep }
        switch try readTag() {
        case .false, .true: break
        case .integer, .reference: _ = try readVarint()
        case .double, .date: _ = try readSlice(8)
        case .string, .data: _ = try readBytes()
        case .uuid: _ = try readSlice(16)
        case .range:
            _ = try readVarint()
            _ = try readVarint()
        case .array:
            for _ in 0..<(try readCount()) { try skipValue(depth: depth + 1) }
        case .dictionary:
            for _ in 0..<(try readCount()) {
                _ = try readBytes()
                try skipValue(depth: depth + 1)
            }
        }
    }

    private mutating func readByte() throws(ValueError) -> UInt8 {
        guard position < bytes.endIndex else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }
}

/// Bytes that are no stored value.
package enum ValueError: Error, Equatable, Sendable, CustomStringConvertible {
    case truncated
    case unknownTag(UInt8)
    case numberTooLarge
    case invalidUTF8
    case nestedTooDeep
    case boundsReversed

    package var description: String {
        switch self {
        case .truncated: "the value ends too early"
        case .unknownTag(let byte): "a value of the unknown type \(byte)"
        case .numberTooLarge: "a number that is too large"
        case .invalidUTF8: "a text that is not UTF-8"
        case .nestedTooDeep: "a value nested more than \(ValueReader.maximumDepth) deep"
        case .boundsReversed: "a range whose upper bound is below its lower bound"
        }
    }
}
