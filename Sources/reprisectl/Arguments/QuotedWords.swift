/// Words in a line, separated by spaces and tabs as in a shell (POSIX, 2.2 Quoting). Nothing is expanded.
///
/// Between single quotes, every character is literal. Between double quotes, every character is literal except a
/// backslash before `"`, `\`, `$` or a backquote. Elsewhere, a backslash quotes the next character. A `#` at the
/// beginning of a word starts a comment.
struct QuotedWords {
    /// Words without their quotes.
    private(set) var words: [String] = []

    /// Splits a line into words.
    ///
    /// - Throws: ``Failure`` if a quote is not closed, or if the line ends after a backslash.
    init(_ line: String) throws {
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var remainingScalars = line.unicodeScalars[...]
        while let scalar = remainingScalars.popFirst() {
            switch (scalar, quote) {
            case (" ", nil), ("\t", nil), ("\r", nil):
                if let word { words.append(String(word)) }
                word = nil
            case ("#", nil) where word == nil: return
            case ("'", nil), ("\"", nil):
                word = word ?? .init()
                quote = scalar
            case (_, scalar?): quote = nil
            case ("\\", nil):
                guard let escapedScalar = remainingScalars.popFirst() else {
                    throw Failure(
                        "the line ends with a backslash: a command must be on one line; write \\\\ "
                            + "for a backslash.", status: .usage)
                }
                word = word ?? .init()
                word?.append(escapedScalar)
            case ("\\", "\""):
                let isEscape = remainingScalars.first.map("\"\\$`".unicodeScalars.contains) == true
                word = word ?? .init()
                word?.append(isEscape ? remainingScalars.removeFirst() : scalar)
            default:
                word = word ?? .init()
                word?.append(scalar)
            }
        }
        if let quote {
            throw Failure(
                "a \(quote == "'" ? "single" : "double") quote is not closed: add the closing \(quote) on "
                    + "the same line.", status: .usage)
        }
        if let word { words.append(String(word)) }
    }
}
