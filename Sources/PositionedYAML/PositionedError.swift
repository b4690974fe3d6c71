import ExactText
import TerminalText

/// One problem in a file, with the place where it stands.
package struct PositionedError: Error, Sendable, Hashable {
    /// Where the problem stands.
    package let position: SourcePosition
    /// One sentence: what is wrong and what to do.
    package let message: String

    /// Makes a problem.
    package init(_ message: String, at position: SourcePosition) {
        self.position = position
        self.message = message
    }
}

extension PositionedError: CustomStringConvertible {
    /// `file:line:column: sentence`
    package var description: String { "\(position): \(message)" }
}

/// Everything that is wrong with one or several files that are read together.
///
/// A text that is no YAML gives one error, because nothing after it can be understood. Otherwise
/// every problem is listed, in the order of the files and of the places in them.
package struct PositionedErrors: Error, Sendable, Hashable {
    /// The problems in order, at least one.
    package let errors: [PositionedError]
    /// How many more there were than ``ProblemLog/limit``.
    package let omitted: Int

    /// Makes the list; `errors` holds at least one.
    package init(_ errors: [PositionedError], omitted: Int = 0) {
        precondition(!errors.isEmpty, "an error that lists no problem")
        self.errors = errors
        self.omitted = omitted
    }

    /// Makes a list of one problem.
    package init(_ message: String, at position: SourcePosition) {
        self.init([PositionedError(message, at: position)])
    }
}

extension PositionedErrors: CustomStringConvertible {
    /// One line for each problem, then a line that counts those left out, if any.
    package var description: String {
        var lines = errors.map(\.description)
        if omitted > 0 {
            lines.append("\(omitted) more problems are not listed: correct these first.")
        }
        return lines.joined(separator: "\n")
    }
}

/// A piece of a file as it is shown in a message: in quotes, short, and without characters that
/// could change a terminal.
package struct Quotation: CustomStringConvertible, Sendable {
    private static let limit = 64
    /// The text between ASCII quotes, with escapes, at most 64 characters and an ellipsis.
    package let description: String

    /// Quotes a text.
    package init(_ text: String) {
        let beginning = String(text.unicodeScalars.prefix(Self.limit))
        let isWhole = text.unicodeScalars.dropFirst(Self.limit).isEmpty
        description = "\"\(beginning.printable)\(isWhole ? "" : "…")\""
    }
}
