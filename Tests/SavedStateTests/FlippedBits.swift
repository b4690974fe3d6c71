/// Bits to flip in a byte of an archive.
enum FlippedBits {
    /// Lowest bit, highest bit, or all bits, in turn: each byte gets one of them, and each field of three bytes or
    /// more gets all of them. Three times as many flips take three times as long.
    static func mask(_ offset: Int) -> UInt8 { [0x01, 0x80, 0xFF][offset % 3] }
}
