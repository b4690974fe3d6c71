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
    /// The problem in the format `file:line:column: sentence`.
    package var description: String { "\(position): \(message)" }
}

/// All problems in one file, or in several files that are read together.
///
/// A file that is not valid YAML has a single problem, because the parser cannot continue after a syntax error.
/// Otherwise, all problems are listed, sorted by file and position.
package struct PositionedErrors: Error, Sendable, Hashable {
    /// The problems, sorted by file and position. There is at least one.
    package let errors: [PositionedError]
    /// The number of problems that are not listed because they exceed ``ProblemLog/maximumProblemCount``.
    package let omittedCount: Int

    /// Creates a list of problems.
    ///
    /// - Parameter errors: The problems. There must be at least one.
    package init(_ errors: [PositionedError], omittedCount: Int = 0) {
        precondition(!errors.isEmpty, "an error that lists no problem")
        self.errors = errors
        self.omittedCount = omittedCount
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
        if omittedCount > 0 {
            lines.append("\(omittedCount) more problems are not listed: fix these problems first.")
        }
        return lines.joined(separator: "\n")
    }
}

/// A short quotation from a file, for use in messages.
///
/// The quotation contains no characters that a terminal would interpret.
package struct Quotation: CustomStringConvertible, Sendable {
    private static let maximumScalarCount = 64
    /// The text in ASCII quotation marks, with escapes.
    ///
    /// If the text is longer than 64 Unicode scalars, it is truncated, and an ellipsis follows the quotation.
    package let description: String

    /// Creates a quotation of a text.
    package init(_ text: String) {
        let beginning = String(text.unicodeScalars.prefix(Self.maximumScalarCount))
        let isEntireText = text.unicodeScalars.dropFirst(Self.maximumScalarCount).isEmpty
        description = "\"\(beginning.printable)\(isEntireText ? "" : "…")\""
    }
}
