/// Words of a line, separated by spaces and tabs as in a shell (POSIX, 2.2 Quoting). Nothing is expanded.
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
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t", "\r":
                if let word { words.append(String(word)) }
                word = nil
            case "#" where word == nil:
                return
            case "'":
                word = (word ?? .init()) + (try Self.single(&rest))
            case "\"":
                word = (word ?? .init()) + (try Self.double(&rest))
            case "\\":
                guard let quoted = rest.popFirst() else {
                    throw Failure(
                        "the line ends with a backslash: a command must be on one line; write \\\\ "
                            + "for a backslash.", status: .usage)
                }
                word = (word ?? .init()) + [quoted]
            default:
                word = (word ?? .init()) + [scalar]
            }
        }
        if let word { words.append(String(word)) }
    }

    private static func single(_ rest: inout Substring.UnicodeScalarView) throws
        -> String.UnicodeScalarView
    {
        guard let end = rest.firstIndex(of: "'") else { throw unclosed("single", "'") }
        defer { rest = rest[rest.index(after: end)...] }
        return String.UnicodeScalarView(rest[..<end])
    }

    private static func double(_ rest: inout Substring.UnicodeScalarView) throws
        -> String.UnicodeScalarView
    {
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return text }
            if scalar == "\\", let next = rest.first, "\"\\$`".unicodeScalars.contains(next) {
                rest.removeFirst()
                text.append(next)
            } else {
                text.append(scalar)
            }
        }
        throw unclosed("double", "\"")
    }

    private static func unclosed(_ kind: String, _ mark: String) -> Failure {
        Failure(
            "a \(kind) quote is not closed: add the closing \(mark) on the same line.",
            status: .usage)
    }
}
