/// Texts that `String` takes for equal, and that have other bytes (rule I5).
package enum EquivalentTexts {
    /// Composed and decomposed letters, letters with one canonical form, the order of marks, Hangul.
    package static let pairs = [
        ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "\u{C5}"), ("K", "\u{212A}"), (";", "\u{37E}"),
        ("a\u{323}\u{302}", "a\u{302}\u{323}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ]
}
