import StateRecords

/// A writer that encodes a sequence of values into a buffer.
///
/// The archive stores the bytes unchanged.
package struct ValueWriter: Sendable {
    /// Encoded bytes.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Number of encoded bytes.
    package var count: Int { bytes.count }

    /// Removes all bytes after the first `count` bytes.
    package mutating func truncate(to count: Int) {
        bytes.removeSubrange(count...)
    }

    /// Returns all encoded bytes and empties the buffer.
    mutating func consumeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Writes the header of an object's record. The header precedes the values.
    mutating func write(_ header: ObjectHeader) { bytes.append(header) }

    /// Writes the tag of a value.
    package mutating func write(_ tag: ValueTag) {
        bytes.append(tag.rawValue)
    }

    /// Reserves memory for the given total number of bytes.
    package mutating func reserveCapacity(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    /// Writes a number in groups of seven bits, beginning with the lowest bits.
    ///
    /// All bytes except the last have their high bit set.
    package mutating func writeVarint(_ value: UInt64) {
        var remaining = value
        while remaining >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: remaining) | 0x80)
            remaining >>= 7
        }
        bytes.append(UInt8(remaining))
    }

    /// Writes a signed number as a varint: 0, -1, 1, -2 … become 0, 1, 2, 3 ….
    package mutating func writeZigzag(_ value: Int64) {
        writeVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Writes a number as eight little-endian bytes.
    package mutating func writeUInt64(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes a count and UTF-8 bytes.
    package mutating func writeText(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            writeVarint(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Writes bytes without a count. The reader must know the number of bytes.
    package mutating func writeRawBytes(_ source: some Sequence<UInt8>) {
        bytes.append(contentsOf: source)
    }

    /// Writes a count and bytes.
    package mutating func writeBytes(_ source: some Collection<UInt8>) {
        writeVarint(UInt64(source.count))
        bytes.append(contentsOf: source)
    }

    /// Writes a reference to a record.
    package mutating func writeReference(_ number: RecordNumber) {
        write(.reference)
        writeVarint(UInt64(number.rawValue))
    }
}
