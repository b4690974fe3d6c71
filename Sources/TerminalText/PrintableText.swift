extension String {
    /// The text with escapes for scalars that a terminal would interpret or not show.
    ///
    /// The result is one line. Strings with different bytes never look equal because of a zero-width character. All
    /// text that does not originate in the program itself is printed in this form. The escapes have the syntax of Swift
    /// string literals, such as `\n` and `\u{202E}`.
    package var printable: String { escapingUnprintable { $0.escaped(asASCII: true) } }

    /// The printable text in quotation marks.
    ///
    /// A backslash precedes each quotation mark and each backslash.
    package var quoted: String {
        let scalars = unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "\"\(scalars.joined().printable)\""
    }

    /// Returns the text with a custom escape for each scalar that a terminal would interpret or not show.
    package func escapingUnprintable(_ escape: (Unicode.Scalar) -> String) -> String {
        if utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
        var result = ""
        var last: Unicode.Scalar?
        for scalar in unicodeScalars {
            if scalar.isUnprintable, !scalar.shapesEmoji(after: last) {
                result += escape(scalar)
                last = nil
            } else {
                result.unicodeScalars.append(scalar)
                last = scalar
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, a line separator or a text direction mark (Unicode Standard Annex
    /// 9), or has no width.
    fileprivate var isUnprintable: Bool {
        if isASCII { return properties.generalCategory == .control }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }

    /// Returns whether the scalar turns the previous scalar into an emoji, or joins the next scalar to it.
    fileprivate func shapesEmoji(after last: Unicode.Scalar?) -> Bool {
        guard let last else { return false }
        let isAfterEmoji = last.properties.isEmoji && !last.isASCII
        return switch value {
        case 0xFE0F: isAfterEmoji
        case 0x200D: isAfterEmoji || last.value == 0xFE0F
        default: false
        }
    }
}
