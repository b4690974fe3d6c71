/// Strings that `String` treats as equal although their bytes differ (rule I5).
package enum EquivalentTexts {
    /// Pairs with composed and decomposed letters, letters with one canonical form, reordered marks, and Hangul.
    package static let pairs = [
        ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "\u{C5}"), ("K", "\u{212A}"), (";", "\u{37E}"),
        ("a\u{323}\u{302}", "a\u{302}\u{323}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ]
}
