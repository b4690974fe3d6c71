extension String {
    /// The text, with an escape in place of each scalar that a terminal would interpret or would not show.
    ///
    /// The result is a single line. Zero-width characters are escaped, so that two different strings cannot look equal.
    /// Text from outside the program is always printed in this form. The escapes have the syntax of Swift string
    /// literals, such as `\n` and `\u{202E}`.
    package var printable: String { escapingUnprintable { $0.escaped(asASCII: true) } }

    /// The printable text in quotation marks.
    ///
    /// A backslash precedes each quotation mark and each backslash.
    package var quoted: String {
        let escapedScalars = unicodeScalars.map {
            $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0)
        }
        return "\"\(escapedScalars.joined().printable)\""
    }

    /// Returns the text, with a custom escape in place of each scalar that a terminal would interpret or would not
    /// show.
    package func escapingUnprintable(_ escape: (Unicode.Scalar) -> String) -> String {
        if utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
        var result = ""
        var previousScalar: Unicode.Scalar?
        for scalar in unicodeScalars {
            if scalar.isUnprintable, !scalar.shapesEmoji(after: previousScalar) {
                result += escape(scalar)
                previousScalar = nil
            } else {
                result.unicodeScalars.append(scalar)
                previousScalar = scalar
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

    /// Returns whether the scalar selects the emoji form of the previous scalar, or joins that emoji to the next
    /// scalar.
    fileprivate func shapesEmoji(after previousScalar: Unicode.Scalar?) -> Bool {
        guard let previousScalar else { return false }
        let isAfterEmoji = previousScalar.properties.isEmoji && !previousScalar.isASCII
        return switch value {
        case 0xFE0F: isAfterEmoji
        case 0x200D: isAfterEmoji || previousScalar.value == 0xFE0F
        default: false
        }
    }
}
