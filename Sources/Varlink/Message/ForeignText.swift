import TerminalText

/// A text from a peer in the form that a log takes: printable and short.
package struct ForeignText: CustomStringConvertible {
    private static let mostBytes = 200

    /// The beginning of the text, printable, with an ellipsis if the text is longer than 200 bytes.
    package let description: String

    /// - Parameter text: The text from the peer.
    package init(_ text: String) {
        var shown = ""
        // The limit holds for the text with its escapes, which are longer than what they stand for.
        let beginning = String(text.unicodeScalars.prefix(Self.mostBytes + 1))
        for scalar in beginning.printable.unicodeScalars {
            if shown.utf8.count >= Self.mostBytes {
                shown += "…"
                break
            }
            shown.unicodeScalars.append(scalar)
        }
        description = shown
    }
}
