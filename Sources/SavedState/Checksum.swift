import CXXHash

/// XXH3-64 of bytes, with 1 in the place of 0, which is never a valid checksum.
///
/// - Parameter range: which of the bytes to cover; must lie within them.
func checksum(_ bytes: [UInt8], _ range: Range<Int>, seed: UInt64) -> UInt64 {
    let value = bytes.withUnsafeBytes { whole in
        let part = UnsafeRawBufferPointer(rebasing: whole[range])
        return XXH3_64bits_withSeed(part.baseAddress, part.count, seed)
    }
    return value == 0 ? 1 : value
}
