import ExactText
import TerminalText

/// A position in a text file.
///
/// Lines and columns are numbered from 1. Columns count Unicode scalars, as the YAML parser does.
package struct SourcePosition: Sendable, Hashable {
    /// The name of the file, as passed to the reader.
    package let file: String
    /// The line, numbered from 1.
    package let line: Int
    /// The column in Unicode scalars, numbered from 1.
    package let column: Int

    /// Creates a position, by default at the beginning of the file.
    package init(file: String, line: Int = 1, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension SourcePosition: CustomStringConvertible {
    /// The position in the format `file:line:column`, which editors recognize.
    package var description: String { "\(file.printable):\(line):\(column)" }
}

/// A value with its position in a file.
///
/// Two instances are equal if their values are equal, because a file's layout does not change its meaning.
package struct Positioned<Value> {
    /// The value.
    package let value: Value
    /// The position of the value in the file.
    package let position: SourcePosition

    /// Creates an instance from a value and its position.
    package init(_ value: Value, at position: SourcePosition) {
        self.value = value
        self.position = position
    }
}

extension Positioned: Sendable where Value: Sendable {}

extension Positioned: Equatable where Value: Equatable {
    /// Compares the values, and ignores their positions.
    ///
    /// Strings are compared by their UTF-8 bytes.
    package static func == (left: Self, right: Self) -> Bool {
        areExactlyEqual(left.value, right.value)
    }
}

extension Positioned: Hashable where Value: Hashable {
    /// Hashes the value, and ignores the position.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// A counter that determines lines and columns while text is scanned.
///
/// Like the YAML parser, it counts columns in Unicode scalars.
struct PositionCounter {
    private(set) var line = 1
    private(set) var column = 1
    private var isAfterCarriageReturn = false

    /// Advances over a scalar.
    ///
    /// A carriage return followed by a line feed counts as one line break.
    mutating func advance(over scalar: Unicode.Scalar) {
        defer { isAfterCarriageReturn = scalar == "\r" }
        switch scalar {
        case "\n" where isAfterCarriageReturn:
            break
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
            line += 1
            column = 1
        default:
            column += 1
        }
    }

    /// Returns the position of the next scalar.
    func position(in file: String) -> SourcePosition {
        SourcePosition(file: file, line: line, column: column)
    }
}
