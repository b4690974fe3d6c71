import ExactText
import TerminalText

/// A place in a text file.
///
/// Lines and columns start at 1. A column counts Unicode scalars, as the YAML parser does.
package struct SourcePosition: Sendable, Hashable {
    /// The file as it was named when it was opened.
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// The column in Unicode scalars, from 1.
    package let column: Int

    /// Makes a position; the default is the start of the file.
    package init(file: String, line: Int = 1, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }
}

extension SourcePosition: CustomStringConvertible {
    /// `file:line:column`, the form that editors can jump to.
    package var description: String { "\(file.printable):\(line):\(column)" }
}

/// A value together with the place in a file where it was written.
///
/// Two of them are equal when their values are: a file that was only laid out anew means the same.
package struct Positioned<Value> {
    /// The value.
    package let value: Value
    /// Where it was written.
    package let position: SourcePosition

    /// Joins a value with its place.
    package init(_ value: Value, at position: SourcePosition) {
        self.value = value
        self.position = position
    }
}

extension Positioned: Sendable where Value: Sendable {}

extension Positioned: Equatable where Value: Equatable {
    /// Compares the values, texts by their UTF-8 bytes. Positions do not count.
    package static func == (left: Self, right: Self) -> Bool {
        areExactlyEqual(left.value, right.value)
    }
}

extension Positioned: Hashable where Value: Hashable {
    /// Hashes the value and not the place.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

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
