/// Counts lines and columns the way the YAML parser does, one Unicode scalar after the other.
struct ScalarCounter {
    private(set) var line = 1
    private(set) var column = 1
    private var previousWasReturn = false

    /// Moves past one scalar; a carriage return and its line feed are one line end.
    mutating func advance(over scalar: Unicode.Scalar) {
        defer { previousWasReturn = scalar == "\r" }
        switch scalar {
        case "\n" where previousWasReturn:
            break
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
            line += 1
            column = 1
        default:
            column += 1
        }
    }

    /// The place of the scalar that comes next.
    func position(in file: String) -> SourcePosition {
        SourcePosition(file: file, line: line, column: column)
    }
}
