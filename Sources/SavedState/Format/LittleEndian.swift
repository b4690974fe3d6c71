import CXXHash

/// Reads little-endian numbers from a range of bytes, each only if it is wholly there.
struct LittleEndianReader {
    let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int

    /// - Parameter range: where to read; must lie within the bytes.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    var remaining: Int { end - offset }

    /// The next number, or `nil` if fewer bytes are left than it has.
    mutating func next<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { return nil }
        let number = bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: offset, as: Number.self)
        }
        offset += size
        return Number(littleEndian: number)
    }

    /// The next so many bytes, or `nil` if fewer are left.
    mutating func next(byteCount: Int) -> ArraySlice<UInt8>? {
        guard byteCount >= 0, remaining >= byteCount else { return nil }
        defer { offset += byteCount }
        return bytes[offset..<offset + byteCount]
    }

    /// All that is left.
    mutating func rest() -> ArraySlice<UInt8> {
        defer { offset = end }
        return bytes[offset..<end]
    }
}

extension [UInt8] {
    /// The checksum that stands before an offset of 8 or more.
    func sum(endingAt end: Int) -> UInt64 {
        var reader = LittleEndianReader(self, end - 8..<end)
        return reader.next(UInt64.self) ?? 0
    }
}

/// XXH3-64 of bytes, with 1 in the place of 0, which is never a valid checksum.
///
/// - Parameter range: which of the bytes to cover; must lie within them. Nil: all.
func checksum(_ bytes: [UInt8], _ range: Range<Int>? = nil, seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes {
        checksum(UnsafeRawBufferPointer(rebasing: $0[range ?? $0.indices]), seed: seed)
    }
}

/// The same of raw bytes.
func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let value = XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    return value == 0 ? 1 : value
}
