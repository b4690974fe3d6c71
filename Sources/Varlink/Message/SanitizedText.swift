import TerminalText

/// Text from a peer, made printable and short so that it is safe to log.
package struct SanitizedText: CustomStringConvertible {
    private static let maximumBytes = 200

    /// Beginning of the text, with unprintable characters escaped. If the escaped text has more than 200 bytes, an
    /// ellipsis replaces the rest.
    package let description: String

    /// Creates text that is safe to log.
    /// - Parameter text: The text from the peer.
    package init(_ text: String) {
        var escapedText = ""
        // The limit applies to the escaped text. Escape sequences are longer than the characters that they replace.
        let beginning = String(text.unicodeScalars.prefix(Self.maximumBytes + 1))
        for scalar in beginning.printable.unicodeScalars {
            if escapedText.utf8.count >= Self.maximumBytes {
                escapedText += "…"
                break
            }
            escapedText.unicodeScalars.append(scalar)
        }
        description = escapedText
    }
}
