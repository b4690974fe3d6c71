import CXXHash

/// The bytes of an archive that a test damages; see `docs/Archive.md`.
package struct ArchiveBytes {
    /// All bytes of the archive.
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The length of the header, including its checksum.
    package var headerLength: Int { number(at: 12, byteCount: 4) }

    /// The range of each record. The archive must be intact.
    package var records: [Range<Int>] {
        var records: [Range<Int>] = []
        var offset = headerLength
        while offset + 24 <= bytes.count {
            let length = number(at: offset, byteCount: 4)
            guard length >= 24, offset + length <= bytes.count else { break }
            records.append(offset..<offset + length)
            offset += length
        }
        return records
    }

    /// Returns the bytes with two adjacent records swapped.
    package func swapping(_ index: Int) -> [UInt8] {
        let (first, second) = (records[index], records[index + 1])
        return Array(bytes[..<first.lowerBound]) + bytes[second] + bytes[first]
            + bytes[second.upperBound...]
    }

    /// Returns the bytes with one page overwritten with zeros. The file must have at least two pages.
    package func zeroingPage() -> [UInt8] {
        var bytes = bytes
        bytes.replaceSubrange(4_096..<8_192, with: repeatElement(0, count: 4_096))
        return bytes
    }

    /// Returns the bytes with a newer format version and a valid header checksum.
    package func newer() -> [UInt8] {
        var bytes = bytes
        bytes[8] += 1
        Self.writeChecksum(&bytes, 0..<headerLength, seed: 0)
        return bytes
    }

    /// Returns the bytes with later timestamps, as if the clock had been set back after the save.
    package func withLaterTimestamps(by microseconds: Int64) -> [UInt8] {
        mappingRecords { bytes, record in
            guard bytes[record.lowerBound + 5] & 1 == 1 else { return }
            let time = record.lowerBound + 36
            let before = Int64(bitPattern: Self.number(bytes, at: time, byteCount: 8))
            if before > 0 { Self.put(UInt64(before + microseconds), in: &bytes, at: time) }
        }
    }

    /// Returns the bytes with each occurrence of a pattern replaced by bytes of the same length.
    package func replacing(_ pattern: [UInt8], by replacement: [UInt8]) -> [UInt8] {
        mappingRecords { bytes, record in
            for range in bytes[record].ranges(of: pattern) {
                bytes.replaceSubrange(range, with: replacement)
            }
        }
    }

    /// Returns the bytes with each record changed by a closure and with valid checksums.
    private func mappingRecords(_ change: (inout [UInt8], Range<Int>) -> Void) -> [UInt8] {
        var bytes = bytes
        var seed = Self.number(bytes, at: headerLength - 8, byteCount: 8)
        for record in records {
            change(&bytes, record)
            seed = Self.writeChecksum(&bytes, record, seed: seed)
        }
        return bytes
    }

    /// Writes the checksum of a header or a record at its end, and returns the checksum.
    @discardableResult
    private static func writeChecksum(_ bytes: inout [UInt8], _ part: Range<Int>, seed: UInt64)
        -> UInt64
    {
        let checksum = bytes[part].withUnsafeBytes {
            XXH3_64bits_withSeed($0.baseAddress, $0.count - 8, seed)
        }
        put(max(1, checksum), in: &bytes, at: part.upperBound - 8)
        return max(1, checksum)
    }

    private static func put(_ number: UInt64, in bytes: inout [UInt8], at offset: Int) {
        for index in 0..<8 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
    }

    private func number(at offset: Int, byteCount: Int) -> Int {
        Int(Self.number(bytes, at: offset, byteCount: byteCount))
    }

    private static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> UInt64 {
        bytes[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
