/// Turns the bytes of a terminal into keys: xterm's sequences, which all others follow.
///
/// The decoder is a pure machine: bytes and silence come in, keys go out. It keeps its state from one read to
/// the next, so that a sequence gives the same key however its bytes arrive. Silence decides about an escape
/// character alone, which is a key by itself and the beginning of every sequence. From its second byte on, a
/// sequence is completed, or it is thrown away by the byte that cannot belong to it. It never becomes text.
struct KeyDecoder {
    /// What the next byte belongs to.
    enum State: Equatable {
        /// Nothing: it begins a key.
        case ground
        /// An incomplete character in UTF-8.
        case character
        /// `ESC`: a key, or the beginning of a sequence.
        case escape
        /// `ESC [`: a control sequence (ECMA-48, 5.4).
        case sequence
        /// `ESC [ [`: a function key of the console of Linux.
        case consoleKey
        /// `ESC [ M`: a report of the mouse in the form from before SGR's, which has three more bytes.
        case oldMouse(missing: Int)
        /// `ESC O`: a key in application mode.
        case singleShift
        /// `ESC ]` and the like: a text about the terminal, up to BEL or ST (ECMA-48, 5.6).
        case string(isEmpty: Bool)
        /// `ESC` in such a text: the first byte of ST.
        case stringEnd
        /// A paste, up to its end.
        case paste
    }

    /// Maximum number of bytes of a control sequence that mean anything. The keys of a terminal have fewer than 20.
    private static let maximumSequence = 64
    /// Silence after which a paste whose end did not come is over: longer than a network interrupts a terminal.
    static let pasteTimeout = Duration.seconds(10)

    /// Silence after which an escape character is the Escape key.
    private let escapeDelay: Duration
    private(set) var state = State.ground
    /// The complete keys, before ``text``.
    private var keys: ArraySlice<Key> = []
    /// Complete characters that were typed.
    private var text: [UInt8] = []
    /// The bytes of the current character or sequence, without what introduces it.
    private var pending: [UInt8] = []
    private var paste = PasteBuffer()
    /// Whether the key is dropped that the current sequence or paste leads to.
    private var dropsPending = false

    /// - Parameter escapeDelay: Silence after which an escape character is the Escape key.
    init(escapeDelay: Duration) { self.escapeDelay = escapeDelay }

    // MARK: Output

    /// Whether Ctrl-C was pressed, and its key was not taken yet.
    var holdsInterrupt: Bool { keys.contains(.control("c")) }

    /// Removes and returns the next complete key, or returns `nil` if there is none.
    mutating func next() -> Key? {
        if keys.isEmpty { endText() }
        return keys.popFirst()
    }

    /// Drops all that was typed, with the sequence or the paste that has only begun.
    mutating func drop() {
        keys = []
        text = []
        dropsPending = state != .ground
    }

    private mutating func endText() {
        guard !text.isEmpty else { return }
        keys.append(.text(String(decoding: text, as: UTF8.self)))
        text = []
    }

    private mutating func press(_ key: Key) {
        endText()
        keys.append(key)
    }

    private mutating func type(_ bytes: some Sequence<UInt8>) { text += bytes }

    /// Ends a character, a sequence or a paste.
    ///
    /// - Parameter key: The key that it is, or `nil` if it is none.
    private mutating func finish(_ key: Key? = nil) {
        if let key, !dropsPending { press(key) }
        reset()
    }

    private mutating func reset() {
        (state, pending, dropsPending) = (.ground, [], false)
        paste = PasteBuffer()
    }

    // MARK: Silence

    /// Silence after which ``didPass(silence:)`` changes something, or `nil` if the next byte decides.
    var timeout: Duration? {
        switch state {
        case .escape, .string(isEmpty: true): escapeDelay
        case .paste: Self.pasteTimeout
        default: nil
        }
    }

    /// Decides what only silence can decide.
    ///
    /// - Parameter silence: Time since the last byte in which none came.
    mutating func didPass(silence: Duration) {
        guard let timeout, silence >= timeout else { return }
        switch state {
        case .escape: finish(.escape)
        // Alt with `]` and the like: a terminal sends what follows at once.
        case .string: finish()
        case .paste:
            let end = paste.partialEnd
            finish(paste.key)
            // The rest of its end may still come.
            if end.count == 1 { (state, dropsPending) = (.escape, true) }
            if end.count > 1 { (state, pending) = (.sequence, Array(end.dropFirst(2))) }
        default: break
        }
    }

    // MARK: Bytes

    /// Adds the bytes of a read.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        switch state {
        case .ground: begin(byte)
        case .character: addToCharacter(byte)
        case .escape: addToEscape(byte)
        case .sequence: addToSequence(byte)
        case .consoleKey:
            if 0x20...0x7E ~= byte { finish(.consoleFunction(byte)) } else { restart(with: byte) }
        case .oldMouse(let missing):
            if byte < 0x20 { return restart(with: byte) }
            if missing > 1 { state = .oldMouse(missing: missing - 1) } else { finish() }
        case .singleShift: addToSingleShift(byte)
        case .string: addToString(byte)
        case .stringEnd:
            if byte == UInt8(ascii: "\\") { return finish() }
            reset()
            state = .escape
            addToEscape(byte)
        case .paste: if paste.add(byte) { finish(paste.key) }
        }
    }

    /// Throws away a sequence to which a byte cannot belong, which then is the first one of another key.
    private mutating func restart(with byte: UInt8) {
        reset()
        begin(byte)
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case 0x1B: state = .escape
        case 0x0D: press(.enter)
        case 0x0A: press(.control("j"))
        case 0x09: press(.tab)
        case 0x7F, 0x08: press(.backspace)
        case 0x01...0x1A: press(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x00...0x1F: break
        case 0x20..<0x7F: text.append(byte)
        case 0xC2...0xF4: (state, pending) = (.character, [byte])
        default: type("\u{FFFD}".utf8)
        }
    }

    /// The sequences of UTF-8 that are well-formed (Unicode, table 3-7). One that is cut off is replaced as a whole.
    private mutating func addToCharacter(_ byte: UInt8) {
        let lead = pending[0]
        let allowed: ClosedRange<UInt8> =
            switch (pending.count, lead) {
            case (1, 0xE0): 0xA0...0xBF
            case (1, 0xED): 0x80...0x9F
            case (1, 0xF0): 0x90...0xBF
            case (1, 0xF4): 0x80...0x8F
            default: 0x80...0xBF
            }
        guard allowed.contains(byte) else {
            if !dropsPending { type("\u{FFFD}".utf8) }
            return restart(with: byte)
        }
        pending.append(byte)
        guard pending.count == (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4) else { return }
        if !dropsPending { type(pending) }
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
            begin(byte)
        }
    }

    private mutating func addToSequence(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "[") where pending.isEmpty: state = .consoleKey
        case UInt8(ascii: "M") where pending.isEmpty: state = .oldMouse(missing: 3)
        // What is longer has no meaning, and is still thrown away up to its end.
        case 0x20...0x3F: if pending.count <= Self.maximumSequence { pending.append(byte) }
        case 0x40...0x7E:
            if byte == UInt8(ascii: "~"), pending == Array("200".utf8) {
                (state, pending) = (.paste, [])
            } else {
                let isLong = pending.count > Self.maximumSequence
                finish(isLong ? nil : .sequence(pending, final: byte))
            }
        default: restart(with: byte)
        }
    }

    private mutating func addToSingleShift(_ byte: UInt8) {
        switch byte {
        // Some terminals write the modifier there.
        case UInt8(ascii: "0")...UInt8(ascii: ";"):
            if pending.count <= Self.maximumSequence { pending.append(byte) }
        case 0x20...0x7E: finish(.application(pending, final: byte))
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
