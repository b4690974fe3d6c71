/// Contents of a terminal to which the client has written.
struct TerminalContents {
    /// Bytes of each row. The styled bytes include the sequences that select the style.
    private var rows: [(text: [UInt8], styledText: [UInt8])]
    private var currentRow = 0
    /// Bytes of an incomplete sequence.
    private var sequence: [UInt8] = []
    private var bytes: [UInt8] = []
    /// Number of times that the terminal was cleared.
    private(set) var clearCount = 0

    init(lines: Int) {
        rows = Array(repeating: ([], []), count: lines)
    }

    /// Everything that was written to the terminal.
    var output: String { String(decoding: bytes, as: UTF8.self) }

    var text: [String] { rows.map { String(decoding: $0.text, as: UTF8.self) } }

    /// Last row, in which the client draws its bar.
    var bar: String { text.last ?? "" }

    /// Last row with the sequences that select its style.
    var styledBar: String { String(decoding: rows.last?.styledText ?? [], as: UTF8.self) }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        bytes.append(byte)
        if sequence.isEmpty, byte != 0x1B {
            rows[currentRow].text.append(byte)
            rows[currentRow].styledText.append(byte)
            return
        }
        sequence.append(byte)
        // A control sequence is an escape character, a bracket, parameters and a final byte.
        guard sequence.count > 2, 0x40...0x7E ~= byte else { return }
        perform(sequence)
        sequence = []
    }

    private mutating func perform(_ sequence: [UInt8]) {
        switch sequence.last {
        case UInt8(ascii: "H"):
            let row = String(decoding: sequence.dropFirst(2), as: UTF8.self).prefix { $0 != ";" }
            currentRow = min(max(0, (Int(row) ?? 1) - 1), rows.count - 1)
        case UInt8(ascii: "K"): rows[currentRow] = ([], [])
        case UInt8(ascii: "J"):
            rows = Array(repeating: ([], []), count: rows.count)
            clearCount += 1
        case UInt8(ascii: "m"): rows[currentRow].styledText += sequence
        default: break
        }
    }
}
