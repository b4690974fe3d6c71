import TerminalText

/// A text from a peer in the form that a log takes: printable and short.
package struct ForeignText: CustomStringConvertible {
    private static let mostBytes = 200

    /// The beginning of the text, printable, with an ellipsis if the text is longer than 200 bytes.
    package let description: String

    /// - Parameter text: The text from the peer.
    package init(_ text: String) {
        var shown = ""
        for scalar in text.unicodeScalars {
            if shown.utf8.count >= Self.mostBytes {
                shown += "…"
                break
            }
            shown.unicodeScalars.append(scalar)
        }
        description = shown.printable
    }
}
