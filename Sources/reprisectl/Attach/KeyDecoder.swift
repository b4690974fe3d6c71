/// Decoder that converts bytes from a terminal to keys. It supports xterm's sequences, which other terminals also use.
///
/// The decoder is a pure state machine: bytes and silence are its input, and keys are its output. It retains its state
/// between reads, so a sequence yields the same key no matter how its bytes are split between reads.
///
/// Except in a paste, silence matters only after an escape character, which is both a key by itself and the beginning
/// of every sequence. After its second byte, a sequence either completes, or is discarded because of a byte that cannot
/// belong to it. A sequence never becomes text.
struct KeyDecoder {
    /// State of the key or sequence to which the next byte belongs.
    enum State: Equatable {
        /// No sequence. The next byte begins a key.
        case ground
        /// An incomplete UTF-8 character.
        case character
        /// `ESC`: a key, or the beginning of a sequence.
        case escape
        /// `ESC [`: a control sequence (ECMA-48, 5.4).
        case sequence
        /// `ESC [ [`: a function key on the Linux console.
        case consoleKey
        /// `ESC [ M`: a mouse report in the format that preceded SGR, with three more bytes.
        case legacyMouseReport(missingByteCount: Int)
        /// `ESC O`: a key in application mode.
        case singleShift
        /// `ESC ]` and similar: a control string, which ends with BEL or ST (ECMA-48, 5.6).
        case string(isEmpty: Bool)
        /// `ESC` in a control string: the first byte of ST.
        case stringEnd
        /// A paste, up to its end.
        case paste
    }

    /// Maximum number of bytes in a supported control sequence. A key's sequence has fewer than 20 bytes.
    private static let maximumSequenceLength = 64
    /// Maximum total size of the queued keys, in bytes. If the queue is larger, the decoder ignores further keys.
    static let maximumQueuedBytes = 1 << 16
    /// Period of silence after which an unfinished paste ends. The period is longer than typical network interruptions.
    static let pasteTimeout = Duration.seconds(10)

    /// Period of silence after which an escape character counts as the Escape key.
    private let escapeDelay: Duration
    private(set) var state = State.ground
    /// Complete keys that precede ``typedBytes``.
    private var keys: ArraySlice<Key> = []
    /// UTF-8 bytes of complete typed characters that are not in ``keys`` yet.
    private var typedBytes: [UInt8] = []
    /// Bytes of the current character or sequence, without its introducer.
    private var pendingBytes: [UInt8] = []
    private var pasteBuffer = PasteBuffer()
    /// Whether the current sequence or paste yields no key, because it has been dropped.
    private var dropsPendingInput = false
    /// Total size, in bytes, of the keys that have been queued since the queue was last empty.
    private var queuedByteCount = 0
    /// Whether a key was ignored because the queue is full.
    private var hasOverflowed = false

    /// Creates a decoder in its initial state.
    ///
    /// - Parameter escapeDelay: Period of silence after which an escape character counts as the Escape key.
    init(escapeDelay: Duration) { self.escapeDelay = escapeDelay }

    // MARK: Output

    /// Whether a Ctrl-C key press is still queued.
    var containsInterrupt: Bool { keys.contains(.control("c")) }

    /// Removes and returns the next complete key, or returns `nil` if no key is complete.
    mutating func next() -> Key? {
        if keys.isEmpty { flushText() }
        if keys.isEmpty { queuedByteCount = 0 }
        return keys.popFirst()
    }

    /// Returns whether keys have been ignored since the last call because the queue was full.
    mutating func consumeOverflow() -> Bool {
        defer { hasOverflowed = false }
        return hasOverflowed
    }

    /// Reserves space in the queue, or returns `false` if the queue is full.
    private mutating func reserveSpace(_ size: Int) -> Bool {
        // Once a key has been ignored, later keys are ignored until the queue is empty, so that no key in the middle is
        // missing.
        guard queuedByteCount <= Self.maximumQueuedBytes else {
            hasOverflowed = true
            return false
        }
        queuedByteCount += size
        return true
    }

    /// Drops all input, including an incomplete sequence or paste.
    mutating func dropInput() {
        keys = []
        typedBytes = []
        queuedByteCount = 0
        dropsPendingInput = state != .ground
    }

    private mutating func flushText() {
        guard !typedBytes.isEmpty else { return }
        keys.append(.text(String(decoding: typedBytes, as: UTF8.self)))
        typedBytes = []
    }

    private mutating func queueKey(_ key: Key) {
        let size = if case .paste(let text) = key { text.utf8.count } else { 1 }
        guard key == .control("c") || reserveSpace(size) else { return }
        flushText()
        keys.append(key)
    }

    private mutating func queueText(_ bytes: some Collection<UInt8>) {
        if reserveSpace(bytes.count) { typedBytes += bytes }
    }

    /// Ends a character, a sequence or a paste.
    ///
    /// - Parameter key: The resulting key, or `nil` if the input yields no key.
    private mutating func finish(_ key: Key? = nil) {
        if let key, !dropsPendingInput { queueKey(key) }
        reset()
    }

    private mutating func reset() {
        (state, pendingBytes, dropsPendingInput) = (.ground, [], false)
        pasteBuffer = PasteBuffer()
    }

    // MARK: Silence

    /// Period of silence after which ``finishIfTimedOut(silence:)`` takes effect, or `nil` if silence has no effect in
    /// the current state.
    var timeout: Duration? {
        switch state {
        case .escape, .string(isEmpty: true): escapeDelay
        case .paste: Self.pasteTimeout
        default: nil
        }
    }

    /// Finishes the current key, sequence or paste if no byte has arrived for long enough.
    ///
    /// - Parameter silence: Time since the last byte.
    mutating func finishIfTimedOut(silence: Duration) {
        guard let timeout, silence >= timeout else { return }
        switch state {
        case .escape: finish(.escape)
        // The input was Alt-] or similar, because a terminal sends the rest of a control string immediately.
        case .string: finish()
        case .paste:
            let partialEnd = pasteBuffer.partialEndSequence
            finish(pasteBuffer.key)
            // The rest of the end sequence may still arrive.
            if partialEnd.count == 1 { (state, dropsPendingInput) = (.escape, true) }
            if partialEnd.count > 1 {
                (state, pendingBytes) = (.sequence, Array(partialEnd.dropFirst(2)))
            }
        default: break
        }
    }

    // MARK: Bytes

    /// Adds the bytes from one read.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        switch state {
        case .ground: beginKey(with: byte)
        case .character: addToCharacter(byte)
        case .escape: addToEscape(byte)
        case .sequence: addToSequence(byte)
        case .consoleKey:
            if 0x20...0x7E ~= byte {
                finish(.consoleFunctionKey(byte))
            } else {
                restart(with: byte)
            }
        case .legacyMouseReport(let missingByteCount):
            if byte < 0x20 { return restart(with: byte) }
            if missingByteCount > 1 {
                state = .legacyMouseReport(missingByteCount: missingByteCount - 1)
            } else {
                finish()
            }
        case .singleShift: addToSingleShift(byte)
        case .string: addToString(byte)
        case .stringEnd:
            if byte == UInt8(ascii: "\\") { return finish() }
            reset()
            state = .escape
            addToEscape(byte)
        case .paste: if pasteBuffer.add(byte) { finish(pasteBuffer.key) }
        }
    }

    /// Discards the current sequence, and begins another key with a byte that cannot belong to the sequence.
    private mutating func restart(with byte: UInt8) {
        reset()
        beginKey(with: byte)
    }

    private mutating func beginKey(with byte: UInt8) {
        switch byte {
        case 0x1B: state = .escape
        case 0x0D: queueKey(.enter)
        case 0x0A: queueKey(.control("j"))
        case 0x09: queueKey(.tab)
        case 0x7F, 0x08: queueKey(.backspace)
        case 0x01...0x1A: queueKey(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x00...0x1F: break
        case 0x20..<0x7F: queueText([byte])
        case 0xC2...0xF4: (state, pendingBytes) = (.character, [byte])
        default: queueText("\u{FFFD}".utf8)
        }
    }

    /// Adds a byte to an incomplete character. Only well-formed UTF-8 is accepted (Unicode, table 3-7). An incomplete
    /// character is replaced with a single U+FFFD.
    private mutating func addToCharacter(_ byte: UInt8) {
        let leadByte = pendingBytes[0]
        let allowedBytes: ClosedRange<UInt8> =
            switch (pendingBytes.count, leadByte) {
            case (1, 0xE0): 0xA0...0xBF
            case (1, 0xED): 0x80...0x9F
            case (1, 0xF0): 0x90...0xBF
            case (1, 0xF4): 0x80...0x8F
            default: 0x80...0xBF
            }
        guard allowedBytes.contains(byte) else {
            if !dropsPendingInput { queueText("\u{FFFD}".utf8) }
            return restart(with: byte)
        }
        pendingBytes.append(byte)
        guard pendingBytes.count == (leadByte < 0xE0 ? 2 : leadByte < 0xF0 ? 3 : 4) else { return }
        if !dropsPendingInput { queueText(pendingBytes) }
        reset()
    }

    private mutating func addToEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "["): state = .sequence
        case UInt8(ascii: "O"): state = .singleShift
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
            UInt8(ascii: "X"):
            state = .string(isEmpty: true)
        case UInt8(ascii: "b"): finish(.wordLeft)
        case UInt8(ascii: "f"): finish(.wordRight)
        default:
            finish(.escape)
            beginKey(with: byte)
        }
    }

    private mutating func addToSequence(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "[") where pendingBytes.isEmpty: state = .consoleKey
        case UInt8(ascii: "M") where pendingBytes.isEmpty:
            state = .legacyMouseReport(missingByteCount: 3)
        // A longer sequence is not supported, but it is still read and discarded up to its end.
        case 0x20...0x3F:
            if pendingBytes.count <= Self.maximumSequenceLength { pendingBytes.append(byte) }
        case 0x40...0x7E:
            if byte == UInt8(ascii: "~"), pendingBytes == Array("200".utf8) {
                (state, pendingBytes) = (.paste, [])
            } else {
                let isTooLong = pendingBytes.count > Self.maximumSequenceLength
                finish(isTooLong ? nil : .controlSequenceKey(pendingBytes, finalByte: byte))
            }
        default: restart(with: byte)
        }
    }

    private mutating func addToSingleShift(_ byte: UInt8) {
        switch byte {
        // Some terminals write the modifier here.
        case UInt8(ascii: "0")...UInt8(ascii: ";"):
            if pendingBytes.count <= Self.maximumSequenceLength { pendingBytes.append(byte) }
        case 0x20...0x7E: finish(.applicationModeKey(pendingBytes, finalByte: byte))
        default: restart(with: byte)
        }
    }

    private mutating func addToString(_ byte: UInt8) {
        switch byte {
        case 0x07: finish()
        case 0x1B: state = .stringEnd
        case 0x20...0x7E, 0x80...0xFF: state = .string(isEmpty: false)
        default: restart(with: byte)
        }
    }
}
