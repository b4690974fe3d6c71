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
        var remainingScalars = line.unicodeScalars[...]
        while let scalar = remainingScalars.popFirst() {
            switch scalar {
            case " ", "\t", "\r":
                if let word { words.append(String(word)) }
                word = nil
            case "#" where word == nil:
                return
            case "'":
                word = (word ?? .init()) + (try Self.readSingleQuoted(&remainingScalars))
            case "\"":
                word = (word ?? .init()) + (try Self.readDoubleQuoted(&remainingScalars))
            case "\\":
                guard let escapedScalar = remainingScalars.popFirst() else {
                    throw Failure(
                        "the line ends with a backslash: a command must be on one line; write \\\\ "
                            + "for a backslash.", status: .usage)
                }
                word = (word ?? .init()) + [escapedScalar]
            default:
                word = (word ?? .init()) + [scalar]
            }
        }
        if let word { words.append(String(word)) }
    }

    private static func readSingleQuoted(_ remainingScalars: inout Substring.UnicodeScalarView)
        throws
        -> String.UnicodeScalarView
    {
        guard let quoteIndex = remainingScalars.firstIndex(of: "'") else {
            throw unclosedQuote("single", "'")
        }
        defer { remainingScalars = remainingScalars[remainingScalars.index(after: quoteIndex)...] }
        return String.UnicodeScalarView(remainingScalars[..<quoteIndex])
    }

    private static func readDoubleQuoted(_ remainingScalars: inout Substring.UnicodeScalarView)
        throws
        -> String.UnicodeScalarView
    {
        var text = String.UnicodeScalarView()
        while let scalar = remainingScalars.popFirst() {
            if scalar == "\"" { return text }
            if scalar == "\\", let next = remainingScalars.first,
                "\"\\$`".unicodeScalars.contains(next)
            {
                remainingScalars.removeFirst()
                text.append(next)
            } else {
                text.append(scalar)
            }
        }
        throw unclosedQuote("double", "\"")
    }

    private static func unclosedQuote(_ kind: String, _ quote: String) -> Failure {
        Failure(
            "a \(kind) quote is not closed: add the closing \(quote) on the same line.",
            status: .usage)
    }
}
