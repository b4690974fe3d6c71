/// The text of a bracketed paste, which arrives byte by byte up to the sequence that ends it.
struct PasteBuffer {
    /// Maximum number of bytes of one paste, so that it is one request.
    static let maximum = 1 << 18
    private static let end = Array("\u{1B}[201~".utf8)

    private var bytes: [UInt8] = []
    /// How many bytes of the end have come.
    private var matched = 0

    /// The bytes of the end that have come.
    var partialEnd: ArraySlice<UInt8> { Self.end[..<matched] }

    /// Adds a byte.
    ///
    /// - Returns: Whether the paste is complete.
    mutating func add(_ byte: UInt8) -> Bool {
        if byte == Self.end[matched] {
            matched += 1
            guard matched == Self.end.count else { return false }
            matched = 0
            return true
        }
        // It was no end: only the first byte of one is an escape character.
        for byte in partialEnd { append(byte) }
        matched = byte == 0x1B ? 1 : 0
        if matched == 0 { append(byte) }
        return false
    }

    private mutating func append(_ byte: UInt8) {
        // One byte more shows that it is too long. No message takes U+0000.
        if byte != 0, bytes.count <= Self.maximum { bytes.append(byte) }
    }

    /// The key that the paste is, without its end.
    var key: Key {
        if bytes.count > Self.maximum { return .pasteTooLong }
        // A terminal sends a carriage return for each line break.
        return .paste(
            String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
                .replacing("\r", with: "\n"))
    }
}
