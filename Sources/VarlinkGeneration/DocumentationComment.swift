import ExactText

/// Comment on a declaration, split into its text and its annotations.
///
/// Each annotation is on a separate line. `[Supports 'more' flag]` and `[Requires 'more' flag]` are systemd's
/// annotations for methods with several replies. `[Read-only]` marks a method that changes nothing.
struct DocumentationComment {
    /// Number of replies that a method sends to a call.
    enum ReplyMode {
        case single, supportsMore, requiresMore
    }

    private(set) var text: String
    private(set) var replyMode = ReplyMode.single
    private(set) var isReadOnly = false

    init(_ comment: String) {
        var lines: [Substring] = []
        for line in comment.split(separator: "\n", omittingEmptySubsequences: false) {
            switch line {
            case "[Supports 'more' flag]": replyMode = .supportsMore
            case "[Requires 'more' flag]": replyMode = .requiresMore
            case "[Read-only]": isReadOnly = true
            default: lines.append(line)
            }
        }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        text = lines.joined(separator: "\n")
    }

    /// Returns the text, or a substitute sentence if the text is empty.
    func text(or sentence: String) -> String { text.isEmpty ? sentence : text }
}
