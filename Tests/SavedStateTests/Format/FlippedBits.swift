/// Bits to flip in a byte of an archive.
enum FlippedBits {
    /// Returns the lowest bit, the highest bit or all bits, in turn.
    ///
    /// Each byte gets one of these masks, and each field of at least three bytes gets all of them. Testing all masks
    /// for each byte would take three times as long.
    static func mask(_ offset: Int) -> UInt8 { [0x01, 0x80, 0xFF][offset % 3] }
}
