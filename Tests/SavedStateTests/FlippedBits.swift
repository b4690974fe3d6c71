/// Bits to flip in a byte of an archive.
enum FlippedBits {
    /// Lowest bit, highest bit, or all bits, in turn: each byte gets one of them, and each field of a record
    /// several. Three times as many flips take three times as long and reach no other code.
    static func mask(_ offset: Int) -> UInt8 { [0x01, 0x80, 0xFF][offset % 3] }
}
