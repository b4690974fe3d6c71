import StateRecords

/// Writes values in their stored form, one after the other, into one buffer.
///
/// The form is final: what is written here goes to the archive as it is.
package struct ValueWriter: Sendable {
    /// All that was written.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// How many bytes were written.
    package var count: Int { bytes.count }

    /// Takes back all that was written from `count` on.
    package mutating func truncate(to count: Int) {
        bytes.removeSubrange(count...)
    }

    /// Hands over everything that was written, and begins anew.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// The beginning of an object's record, up to its values.
    mutating func write(_ header: ObjectHeader) { bytes.append(header) }

    /// Forgets everything, and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    package mutating func write(_ tag: ValueTag) {
        bytes.append(tag.rawValue)
    }

    /// Makes room for so many bytes altogether.
    package mutating func reserveCapacity(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    /// Seven bits a byte, the lowest first, the high bit set on all but the last.
    package mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A signed number as a varint: 0, -1, 1, -2 … become 0, 1, 2, 3 ….
    package mutating func writeZigzag(_ value: Int64) {
        writeVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    package mutating func writeFixed(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A count and UTF-8.
    package mutating func writeText(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            writeVarint(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Bytes alone, whose number the reader knows.
    package mutating func writeRaw(_ source: some Sequence<UInt8>) {
        bytes.append(contentsOf: source)
    }

    /// A count and bytes.
    package mutating func writeBytes(_ source: some Collection<UInt8>) {
        writeVarint(UInt64(source.count))
        bytes.append(contentsOf: source)
    }

    package mutating func writeReference(_ number: RecordNumber) {
        write(.reference)
        writeVarint(UInt64(number.rawValue))
    }
}
