extension String {
    /// The columns that the text takes on a terminal.
    var terminalColumns: Int { reduce(0) { $0 + $1.terminalColumns } }
}

extension Character {
    /// The columns that the character takes on a terminal: 2 for East Asian wide characters and
    /// emoji (Unicode Standard Annex 11), 0 for marks alone, else 1.
    var terminalColumns: Int {
        guard let base = unicodeScalars.first(where: { !$0.isZeroWidth }) else { return 0 }
        if base.isWide { return 2 }
        if base.properties.isEmoji, unicodeScalars.contains("\u{FE0F}") { return 2 }
        // A skin tone behind what has no skin stands by itself.
        let hasTone = unicodeScalars.contains(where: \.properties.isEmojiModifier)
        return hasTone && !base.properties.isEmojiModifierBase ? 3 : 1
    }
}

extension Unicode.Scalar {
    fileprivate var isZeroWidth: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    fileprivate var isWide: Bool {
        if properties.isEmojiPresentation { return true }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F5FF, 0x20000...0x3FFFD:
            return true
        default:
            return false
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would obey the scalar instead of showing it: control characters, and
    /// those that change the direction of the text around them (Unicode Standard Annex 9).
    var breaksLine: Bool {
        if properties.generalCategory == .control { return true }
        switch value {
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
        default: return false
        }
    }
}
