extension String {
    /// Number of columns that the text occupies on a terminal.
    package var terminalColumns: Int { reduce(0) { $0 + $1.terminalColumns } }

    /// Returns the part of the text that occupies the given range of columns.
    ///
    /// A wide character that is only partly inside the range is omitted.
    package func part(from startColumn: Int, columns: Int) -> String {
        var column = 0
        var result = ""
        for character in self {
            let nextColumn = column + character.terminalColumns
            if nextColumn > startColumn + columns { break }
            if column >= startColumn { result.append(character) }
            column = nextColumn
        }
        return result
    }

    /// Returns the text on one line, in a form that is safe for a terminal; see ``Character/terminalCharacter``.
    ///
    /// If the text is much longer than the given number of columns, only its beginning and `…` are returned.
    package func terminalText(columns: Int) -> String {
        let visiblePrefix = self[...].beginning(
            scalars: (columns + 1) * Character.maximumScalarCount)
        let isTruncated = visiblePrefix.endIndex < endIndex
        if !isTruncated, utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
        return String(String(visiblePrefix).compactMap(\.terminalCharacter))
            + (isTruncated ? "…" : "")
    }
}

extension Substring {
    /// Returns the beginning of the text, with at most the given number of scalars.
    package func beginning(scalars count: Int) -> Substring {
        if utf8.count <= count { return self }
        let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex)
        return self[..<(end ?? endIndex)]
    }

    /// Returns the end of the text, with at most the given number of scalars.
    package func ending(scalars count: Int) -> Substring {
        if utf8.count <= count { return self }
        let start = unicodeScalars.index(endIndex, offsetBy: -count, limitedBy: startIndex)
        return self[(start ?? startIndex)...]
    }
}

extension Character {
    /// Maximum number of scalars that are examined and shown for one character.
    ///
    /// Text in the Stream-Safe Text Format (Unicode Standard Annex 15) does not contain longer sequences of
    /// combining marks.
    package static let maximumScalarCount = 32

    /// Number of columns that the character occupies on a terminal.
    ///
    /// An emoji occupies 2 columns. The width of any other character is the sum of the widths of its scalars. A wide
    /// East Asian scalar (Unicode Standard Annex 11) occupies 2 columns, a zero-width scalar such as a combining mark
    /// occupies none, and any other scalar occupies 1, even if its width is ambiguous.
    package var terminalColumns: Int {
        if isASCII { return 1 }
        let baseScalar = unicodeScalars.prefix(Self.maximumScalarCount).first { !$0.isZeroWidth }
        guard let baseScalar else { return 0 }
        if baseScalar.properties.isEmojiPresentation { return 2 }
        let scalars = unicodeScalars.prefix(Self.maximumScalarCount)
        if baseScalar.properties.isEmoji, scalars.contains("\u{FE0F}") { return 2 }
        return scalars.reduce(0) { columns, scalar in
            if scalar.isZeroWidth { return columns }
            // A skin tone modifier changes the color of the emoji before it. After a scalar without skin tones, the
            // modifier is shown separately.
            let isColorModifier =
                scalar.properties.isEmojiModifier && baseScalar.properties.isEmojiModifierBase
            return isColorModifier ? columns : columns + (scalar.isWide ? 2 : 1)
        }
    }

    /// The character in a form that is safe for a terminal, or `nil` if it has no width.
    ///
    /// A line break is shown as `␤`. A character that a terminal would interpret is shown as `�`. Excess combining
    /// marks are omitted.
    package var terminalCharacter: Character? {
        if let ascii = asciiValue, 0x20...0x7E ~= ascii { return self }
        if isNewline { return "␤" }
        let scalars = unicodeScalars.prefix(Self.maximumScalarCount)
        if scalars.contains(where: \.isInterpretedByTerminal) { return "\u{FFFD}" }
        if terminalColumns == 0 { return nil }
        if scalars.endIndex == unicodeScalars.endIndex { return self }
        return String(String.UnicodeScalarView(scalars)).first
    }
}

extension Unicode.Scalar {
    fileprivate var isZeroWidth: Bool {
        switch value {
        // Vowels and final consonants of Hangul, which combine with the preceding consonant.
        case 0x1160...0x11FF, 0xD7B0...0xD7FB: return true
        // The soft hyphen is visible on terminals.
        case 0x00AD: return false
        default: break
        }
        return switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// Whether the scalar occupies two columns: its East_Asian_Width is W or F, or it has emoji presentation.
    fileprivate var isWide: Bool {
        if value < 0x1100 { return false }
        if properties.isEmojiPresentation { return true }
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
            0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F265, 0x20000...0x3FFFD:
            return true
        default:
            return false
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would interpret the scalar instead of showing it.
    ///
    /// Such scalars are control characters, or change the direction of the surrounding text (Unicode Standard Annex 9).
    package var isInterpretedByTerminal: Bool {
        if properties.generalCategory == .control { return true }
        switch value {
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
        default: return false
        }
    }
}
