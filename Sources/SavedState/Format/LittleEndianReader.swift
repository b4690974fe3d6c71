import CXXHash

/// Reader for little-endian numbers in a range of bytes. It never reads past the end of the range.
struct LittleEndianReader {
    let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int

    /// Creates a reader.
    ///
    /// - Parameter range: Range to read. It must be within the bytes.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    var remainingByteCount: Int { end - offset }

    /// Reads the next number, or returns `nil` if not enough bytes are left.
    mutating func next<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard remainingByteCount >= size else { return nil }
        let number = bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: offset, as: Number.self)
        }
        offset += size
        return Number(littleEndian: number)
    }

    /// Reads the given number of bytes, or returns `nil` if fewer bytes are left.
    mutating func next(byteCount: Int) -> ArraySlice<UInt8>? {
        guard byteCount >= 0, remainingByteCount >= byteCount else { return nil }
        defer { offset += byteCount }
        return bytes[offset..<offset + byteCount]
    }

    /// Reads all remaining bytes.
    mutating func readRemainingBytes() -> ArraySlice<UInt8> {
        defer { offset = end }
        return bytes[offset..<end]
    }
}

extension [UInt8] {
    /// Returns the checksum that is stored in the eight bytes before an offset. The offset must be at least 8.
    func storedChecksum(endingAt end: Int) -> UInt64 {
        var reader = LittleEndianReader(self, end - 8..<end)
        return reader.next(UInt64.self) ?? 0
    }
}

/// Returns the XXH3-64 checksum of the given bytes. The result is never 0: a checksum of 0 is replaced with 1.
///
/// - Parameter range: Range of the bytes to include, or `nil` to include all bytes.
func checksum(_ bytes: [UInt8], _ range: Range<Int>? = nil, seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes {
        checksum(UnsafeRawBufferPointer(rebasing: $0[range ?? $0.indices]), seed: seed)
    }
}

/// Returns the checksum of raw bytes (see ``checksum(_:_:seed:)``).
func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let value = XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    return value == 0 ? 1 : value
}
