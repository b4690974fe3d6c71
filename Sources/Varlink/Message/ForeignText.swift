/// Text that somebody else chose, as it may go into a log: of bounded length, without what ends a
/// line or changes how others read it.
package struct ForeignText: CustomStringConvertible {
    private static let mostBytes = 200

    /// The text: cut, and with controls and directions as escapes.
    package let description: String

    /// - Parameter text: what somebody else chose.
    package init(_ text: String) {
        var shown = ""
        for scalar in text.unicodeScalars {
            if shown.utf8.count >= Self.mostBytes {
                shown += "…"
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        description = shown
    }
}
