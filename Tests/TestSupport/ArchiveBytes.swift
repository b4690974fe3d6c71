import CXXHash

/// The bytes of an archive that a test damages; see `docs/Archive.md`.
package struct ArchiveBytes {
    /// All of them.
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The length of the header, its checksum included.
    package var headerLength: Int { number(at: 12, byteCount: 4) }

    /// Where each record lies; the bytes have to be those of a whole archive.
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

    /// With two records, each following the other, in each other's place.
    package func swapping(_ index: Int) -> [UInt8] {
        let (first, second) = (records[index], records[index + 1])
        return Array(bytes[..<first.lowerBound]) + bytes[second] + bytes[first]
            + bytes[second.upperBound...]
    }

    /// With one page of the file, which has to be longer, full of zeros.
    package func zeroingPage() -> [UInt8] {
        var bytes = bytes
        bytes.replaceSubrange(4_096..<8_192, with: repeatElement(0, count: 4_096))
        return bytes
    }

    /// Of a version that comes after this one, with a header that is right for it.
    package func newer() -> [UInt8] {
        var bytes = bytes
        bytes[8] += 1
        let end = headerLength - 8
        let checksum = bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, end) }
        for index in 0..<8 {
            bytes[end + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
        }
        return bytes
    }

    private func number(at offset: Int, byteCount: Int) -> Int {
        bytes[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
