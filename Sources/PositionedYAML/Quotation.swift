/// A piece of a file as it is shown in a message: in quotes, short, and without characters that
/// could change a terminal.
package struct Quotation: CustomStringConvertible, Sendable {
    private static let limit = 64
    /// The text between ASCII quotes, with escapes, at most 64 characters and an ellipsis.
    package let description: String

    /// Quotes a text.
    package init(_ text: String) {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(Self.limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default:
                shown.unicodeScalars.append(scalar)
            }
        }
        let isWhole = text.unicodeScalars.dropFirst(Self.limit).isEmpty
        description = "\"\(shown)\(isWhole ? "" : "…")\""
    }
}
