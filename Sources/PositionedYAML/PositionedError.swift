import ExactText
import TerminalText

/// A problem in a file, with its position.
package struct PositionedError: Error, Sendable, Hashable {
    /// The position of the problem.
    package let position: SourcePosition
    /// A sentence that states what is wrong and what to do.
    package let message: String

    /// Creates a problem.
    package init(_ message: String, at position: SourcePosition) {
        self.position = position
        self.message = message
    }
}

extension PositionedError: CustomStringConvertible {
    /// The problem in the form `file:line:column: sentence`.
    package var description: String { "\(position): \(message)" }
}

/// All problems of one file, or of several files that are read together.
///
/// A text that is not valid YAML has a single problem, because the text after it cannot be parsed. Otherwise all
/// problems are listed, in the order of the files and positions.
package struct PositionedErrors: Error, Sendable, Hashable {
    /// The problems in order, at least one.
    package let errors: [PositionedError]
    /// Number of problems beyond ``ProblemLog/limit``, which are not listed.
    package let omitted: Int

    /// Creates a list of problems.
    ///
    /// `errors` must not be empty.
    package init(_ errors: [PositionedError], omitted: Int = 0) {
        precondition(!errors.isEmpty, "an error that lists no problem")
        self.errors = errors
        self.omitted = omitted
    }

    /// Creates a list with one problem.
    package init(_ message: String, at position: SourcePosition) {
        self.init([PositionedError(message, at: position)])
    }
}

extension PositionedErrors: CustomStringConvertible {
    /// One line for each problem, followed by the number of omitted problems, if any.
    package var description: String {
        var lines = errors.map(\.description)
        if omitted > 0 {
            lines.append("\(omitted) more problems are not listed: fix these problems first.")
        }
        return lines.joined(separator: "\n")
    }
}

/// A quotation of a file's text in a message. It is short, and contains no characters that could affect a terminal.
package struct Quotation: CustomStringConvertible, Sendable {
    private static let limit = 64
    /// The text between ASCII quotation marks, with escapes.
    ///
    /// After 64 Unicode scalars, it is cut off with an ellipsis.
    package let description: String

    /// Creates the quotation of a text.
    package init(_ text: String) {
        let beginning = String(text.unicodeScalars.prefix(Self.limit))
        let isWhole = text.unicodeScalars.dropFirst(Self.limit).isEmpty
        description = "\"\(beginning.printable)\(isWhole ? "" : "…")\""
    }
}
