/// Buffer for the bytes of a bracketed paste, up to the sequence that ends the paste.
struct PasteBuffer {
    /// Maximum size of a paste in bytes. A paste of this size fits into one call.
    static let maximumBytes = 1 << 18
    private static let endSequence = Array("\u{1B}[201~".utf8)

    private(set) var bytes: [UInt8] = []
    /// Number of bytes at the beginning of the end sequence that have already arrived.
    private var matchedByteCount = 0

    /// Part of the end sequence that has already arrived.
    var partialEndSequence: ArraySlice<UInt8> { Self.endSequence[..<matchedByteCount] }

    /// Adds a byte.
    ///
    /// - Returns: Whether the paste is complete.
    mutating func add(_ byte: UInt8) -> Bool {
        if byte == Self.endSequence[matchedByteCount] {
            matchedByteCount += 1
            guard matchedByteCount == Self.endSequence.count else { return false }
            matchedByteCount = 0
            return true
        }
        // No end sequence can begin within these bytes, because only the first byte of an end sequence is an escape
        // character.
        for byte in partialEndSequence { append(byte) }
        matchedByteCount = byte == 0x1B ? 1 : 0
        if matchedByteCount == 0 { append(byte) }
        return false
    }

    private mutating func append(_ byte: UInt8) {
        // One byte above the maximum is enough to show that the paste is too long. NUL bytes are dropped, because
        // messages cannot contain U+0000.
        if byte != 0, bytes.count <= Self.maximumBytes { bytes.append(byte) }
    }

    /// The pasted text as a key event, without the end sequence, or ``Key/pasteTooLong`` if the text is too long.
    var key: Key {
        if bytes.count > Self.maximumBytes { return .pasteTooLong }
        // A terminal sends a carriage return for each line break.
        return .paste(
            String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
                .replacing("\r", with: "\n"))
    }
}
