/// What a person does at a terminal.
enum Key: Equatable, Hashable {
    /// Typed characters.
    case text(String)
    /// A text that was pasted as a whole.
    case paste(String)
    /// One that is longer than ``KeyDecoder/mostPasted``.
    case pasteTooLong
    case enter, tab, backTab, escape, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    case wordLeft, wordRight
    /// Before everything, behind everything.
    case top, bottom
    /// The same with the shift key; up and down also with another.
    case shiftUp, shiftDown, shiftLeft, shiftRight, shiftHome, shiftEnd
    case shiftWordLeft, shiftWordRight, shiftTop, shiftBottom
    /// F1 to F4.
    case help, scenes, history, inspector
    /// A letter with the control key, as its lower-case letter.
    case control(Character)
    /// The mouse's button went down at a place of the screen, counted from 0.
    case click(line: Int, column: Int)
    /// The mouse's button went up there.
    case release(line: Int, column: Int)
    /// The wheel was turned over a place, up (below 0) or down.
    case wheel(line: Int, column: Int, by: Int)
}

/// Makes keys of the bytes that a terminal sends: xterm's sequences, which all others follow.
struct KeyDecoder {
    private var bytes: [UInt8] = []
    /// The bytes of a paste so far, while it goes on.
    private var pasted: [UInt8]?
    /// Whether that is not taken.
    private var isPasteDropped = false

    private static let pasteBegin = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    /// The most bytes of one paste, so that it is one request.
    static let mostPasted = 1 << 18

    /// How many milliseconds nothing has to come until what stands there is taken as it is; nil: nothing does.
    var patience: Int32? { pasted != nil || bytes.isEmpty ? nil : 30 }

    /// Whether Ctrl-C was pressed behind what is not taken yet.
    var holdsInterrupt: Bool {
        guard pasted == nil, let place = bytes.firstIndex(of: 0x03) else { return false }
        return !bytes[..<place].contains(Self.pasteBegin)
    }

    /// Forgets what was typed, up to the end of a paste that goes on.
    mutating func drop() {
        if pasted == nil { bytes = [] }
        isPasteDropped = pasted != nil
    }

    mutating func add(_ new: some Sequence<UInt8>) { bytes += new }

    /// The next key; nil: none is whole.
    ///
    /// - Parameter isIdle: whether nothing has come for a moment, so that an escape stands for itself.
    mutating func next(isIdle: Bool = false) -> Key? {
        while !bytes.isEmpty {
            if pasted != nil {
                if let key = endOfPaste() { return key }
                if pasted != nil { return nil }
                continue
            }
            let (key, count) = Self.key(in: bytes[...], isIdle: isIdle)
            guard count > 0 else { return nil }
            let isPaste = bytes.starts(with: Self.pasteBegin)
            bytes.removeFirst(count)
            if isPaste {
                pasted = []
                continue
            }
            if let key { return key }
        }
        return nil
    }

    private mutating func endOfPaste() -> Key? {
        var index = bytes.startIndex
        var end: Int?
        while index < bytes.endIndex {
            if bytes[index] == 0x1B {
                let rest = bytes[index...]
                if rest.starts(with: Self.pasteEnd) {
                    end = index
                    break
                }
                if rest.count < Self.pasteEnd.count, Self.pasteEnd.starts(with: rest) { break }
            }
            index += 1
        }
        // One byte more tells that it is too long.
        let room = Self.mostPasted + 1 - (pasted?.count ?? 0)
        pasted?.append(contentsOf: bytes[..<index].prefix(max(0, room)))
        bytes.removeFirst(index)
        guard end != nil, let pasted else { return nil }
        bytes.removeFirst(Self.pasteEnd.count)
        self.pasted = nil
        defer { isPasteDropped = false }
        if isPasteDropped { return nil }
        if pasted.count > Self.mostPasted { return .pasteTooLong }
        // A terminal sends a carriage return for each line break, and no message takes U+0000.
        return .paste(
            String(decoding: pasted.filter { $0 != 0 }, as: UTF8.self).replacing("\r\n", with: "\n")
                .replacing("\r", with: "\n"))
    }

    /// The key that bytes begin with, and how many they are; 0: more have to come. Nil with some bytes: they
    /// are no key.
    private static func key(in bytes: ArraySlice<UInt8>, isIdle: Bool) -> (Key?, Int) {
        guard let first = bytes.first else { return (nil, 0) }
        switch first {
        case 0x1B: return escaped(bytes, isIdle: isIdle)
        case 0x0D: return (.enter, 1)
        case 0x0A: return (.control("j"), 1)
        case 0x09: return (.tab, 1)
        case 0x7F, 0x08: return (.backspace, 1)
        case 0x01...0x1A:
            return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
        case 0x00...0x1F: return (nil, 1)
        default: return typed(bytes, isIdle: isIdle)
        }
    }

    /// As many typed characters as are there.
    private static func typed(_ bytes: ArraySlice<UInt8>, isIdle: Bool) -> (Key?, Int) {
        let run = bytes.prefix { $0 >= 0x20 && $0 != 0x7F }
        var count = run.count
        // The last character may not be whole yet.
        if !isIdle, let lead = run.lastIndex(where: { $0 & 0xC0 != 0x80 }) {
            let length =
                switch run[lead] {
                case 0xF0...: 4
                case 0xE0...: 3
                case 0xC0...: 2
                default: 1
                }
            if run.endIndex - lead < length { count = lead - run.startIndex }
        }
        if count == 0 { return (nil, 0) }
        return (.text(String(decoding: run.prefix(count), as: UTF8.self)), count)
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>, isIdle: Bool) -> (Key?, Int) {
        guard let second = bytes.dropFirst().first else {
            return isIdle ? (.escape, 1) : (nil, 0)
        }
        switch second {
        case UInt8(ascii: "["): return sequence(bytes, isIdle: isIdle)
        case UInt8(ascii: "O"):
            guard let final = bytes.dropFirst(2).first else {
                return isIdle ? (nil, 2) : (nil, 0)
            }
            return switch final {
            case UInt8(ascii: "P"): (.help, 3)
            case UInt8(ascii: "Q"): (.scenes, 3)
            case UInt8(ascii: "R"): (.history, 3)
            case UInt8(ascii: "S"): (.inspector, 3)
            default: (cursorKey(final, modifier: 1), 3)
            }
        case 0x1B: return (.escape, 1)
        // What a terminal tells of itself: a text up to ST or BEL (ECMA-48, 5.6).
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
            UInt8(ascii: "X"):
            guard let end = bytes.dropFirst(2).firstIndex(where: { $0 == 0x07 || $0 == 0x1B })
            else { return isIdle || bytes.count > 4096 ? (nil, bytes.count) : (nil, 0) }
            let isST = bytes[end...].starts(with: [0x1B, 0x5C])
            return (nil, end - bytes.startIndex + (bytes[end] == 0x07 ? 1 : isST ? 2 : 0))
        case UInt8(ascii: "b"): return (.wordLeft, 2)
        case UInt8(ascii: "f"): return (.wordRight, 2)
        default: return (.escape, 1)
        }
    }

    /// A sequence behind `ESC [`: parameters and a final byte (ECMA-48, 5.4).
    private static func sequence(_ bytes: ArraySlice<UInt8>, isIdle: Bool) -> (Key?, Int) {
        let body = bytes.dropFirst(2)
        // The console of Linux has its own for F1 to F5.
        if body.first == UInt8(ascii: "[") {
            guard let final = body.dropFirst().first else { return (nil, isIdle ? 3 : 0) }
            let keys: [Key] = [.help, .scenes, .history, .inspector]
            let number = Int(final) - 0x41
            return (keys.indices.contains(number) ? keys[number] : nil, 4)
        }
        // The mouse in the form from before SGR's: three bytes behind it.
        if body.first == UInt8(ascii: "M") {
            return body.count >= 4 ? (nil, 6) : (nil, isIdle ? bytes.count : 0)
        }
        guard let end = body.firstIndex(where: { 0x40...0x7E ~= $0 || $0 == 0x1B }) else {
            return isIdle || body.count > 64 ? (nil, bytes.count) : (nil, 0)
        }
        // It was cut off by another one.
        if body[end] == 0x1B { return (nil, end - bytes.startIndex) }
        let count = end - bytes.startIndex + 1
        let isMouse = body.first == UInt8(ascii: "<")
        let numbers = String(decoding: body[..<end].drop { $0 == UInt8(ascii: "<") }, as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        if isMouse { return (mouse(numbers, isPressed: body[end] == UInt8(ascii: "M")), count) }
        let modifier = numbers.count > 1 ? numbers[1] : 1
        guard body[end] == UInt8(ascii: "~") else {
            return (cursorKey(body[end], modifier: modifier), count)
        }
        let key: Key? =
            switch numbers.first {
            case 1, 7: .home
            case 3: .delete
            case 4, 8: .end
            case 5: .pageUp
            case 6: .pageDown
            case 11: .help
            case 12: .scenes
            case 13: .history
            case 14: .inspector
            default: nil
            }
        return (key, count)
    }

    /// - Parameter modifier: 1, and 1 more for shift, 2 for alt, 4 for control.
    private static func cursorKey(_ final: UInt8, modifier: Int) -> Key? {
        let bits = max(0, modifier - 1)
        let (isShift, isOther) = (bits & 1 != 0, bits & 6 != 0)
        func key(_ plain: Key, _ other: Key, _ shift: Key, _ both: Key) -> Key {
            isShift ? (isOther ? both : shift) : isOther ? other : plain
        }
        return switch final {
        case UInt8(ascii: "A"): key(.up, .shiftUp, .shiftUp, .shiftUp)
        case UInt8(ascii: "B"): key(.down, .shiftDown, .shiftDown, .shiftDown)
        case UInt8(ascii: "C"): key(.right, .wordRight, .shiftRight, .shiftWordRight)
        case UInt8(ascii: "D"): key(.left, .wordLeft, .shiftLeft, .shiftWordLeft)
        case UInt8(ascii: "H"): key(.home, .top, .shiftHome, .shiftTop)
        case UInt8(ascii: "F"): key(.end, .bottom, .shiftEnd, .shiftBottom)
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "Z"): .backTab
        default: nil
        }
    }

    private static func mouse(_ numbers: [Int], isPressed: Bool) -> Key? {
        guard numbers.count == 3 else { return nil }
        let (line, column) = (numbers[2] - 1, numbers[1] - 1)
        let button = numbers[0] & ~0b1_1100
        if !isPressed { return button == 0 ? .release(line: line, column: column) : nil }
        return switch button {
        case 0: .click(line: line, column: column)
        case 64: .wheel(line: line, column: column, by: -1)
        case 65: .wheel(line: line, column: column, by: 1)
        default: nil
        }
    }
}
