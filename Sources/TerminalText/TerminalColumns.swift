extension String {
    /// The columns that the text takes on a terminal.
    package var terminalColumns: Int { reduce(0) { $0 + $1.terminalColumns } }

    /// What stands in so many columns of the text, from one on; of a wide character that begins before them
    /// nothing.
    package func part(from start: Int, columns: Int) -> String {
        var column = 0
        var result = ""
        for character in self {
            let next = column + character.terminalColumns
            if next > start + columns { break }
            if column >= start { result.append(character) }
            column = next
        }
        return result
    }

    /// The text as a terminal may get it, on one line: see ``Character/drawn``. Of a text that is far
    /// longer than a line of so many columns can show it is the beginning, and `…`: nobody looks at
    /// the rest.
    package func drawn(columns: Int) -> String {
        let seen = self[...].beginning(scalars: (columns + 1) * Character.mostScalars)
        let isCut = seen.endIndex < endIndex
        if !isCut, utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
        return String(String(seen).compactMap(\.drawn)) + (isCut ? "…" : "")
    }
}

extension Substring {
    /// The text up to so many scalars.
    package func beginning(scalars count: Int) -> Substring {
        if utf8.count <= count { return self }
        let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex)
        return self[..<(end ?? endIndex)]
    }

    /// So many of its last scalars.
    package func ending(scalars count: Int) -> Substring {
        if utf8.count <= count { return self }
        let start = unicodeScalars.index(endIndex, offsetBy: -count, limitedBy: startIndex)
        return self[(start ?? startIndex)...]
    }
}

extension Character {
    /// The most scalars that are looked at, and drawn. A text has no more marks in a row if it may go
    /// through a stream (Unicode Standard Annex 15, Stream-Safe Text Format).
    package static let mostScalars = 32

    /// The columns that the character takes on a terminal: 2 for an emoji, however many scalars it
    /// has; else the sum of its scalars': 2 for East Asian wide ones (Unicode Standard Annex 11), 0
    /// for marks that take no space, 1 for the others and for those whose width is ambiguous.
    package var terminalColumns: Int {
        if isASCII { return 1 }
        let base = unicodeScalars.prefix(Self.mostScalars).first { !$0.isZeroWidth }
        guard let base else { return 0 }
        if base.properties.isEmojiPresentation { return 2 }
        let scalars = unicodeScalars.prefix(Self.mostScalars)
        if base.properties.isEmoji, scalars.contains("\u{FE0F}") { return 2 }
        return scalars.reduce(0) { columns, scalar in
            if scalar.isZeroWidth { return columns }
            // A skin tone colours what has skin; behind anything else it stands by itself.
            let isColour = scalar.properties.isEmojiModifier && base.properties.isEmojiModifierBase
            return isColour ? columns : columns + (scalar.isWide ? 2 : 1)
        }
    }

    /// The character as a terminal may get it: `␤` for a line break, `�` for what a terminal would
    /// obey, nil for what has no width. Of a character with very many marks it has the first.
    package var drawn: Character? {
        if let ascii = asciiValue, 0x20...0x7E ~= ascii { return self }
        if isNewline { return "␤" }
        let scalars = unicodeScalars.prefix(Self.mostScalars)
        if scalars.contains(where: \.breaksLine) { return "\u{FFFD}" }
        if terminalColumns == 0 { return nil }
        if scalars.endIndex == unicodeScalars.endIndex { return self }
        return String(String.UnicodeScalarView(scalars)).first
    }
}

extension Unicode.Scalar {
    fileprivate var isZeroWidth: Bool {
        switch value {
        // Vowels and final consonants of Hangul, which join the consonant before.
        case 0x1160...0x11FF, 0xD7B0...0xD7FB: return true
        // The soft hyphen is seen.
        case 0x00AD: return false
        default: break
        }
        return switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// Wide of those that are not emoji by themselves: class W and F of East_Asian_Width.
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
    /// Whether a terminal would obey the scalar instead of showing it: control characters, and
    /// those that change the direction of the text around them (Unicode Standard Annex 9).
    package var breaksLine: Bool {
        if properties.generalCategory == .control { return true }
        switch value {
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
        default: return false
        }
    }
}
