import TerminalText
import Testing

@testable import ControllerKit

@Suite struct TerminalColumnsTests {
    /// Strings that are difficult to measure, with their widths in a terminal.
    static let texts: [(String, Int)] = [
        ("", 0), ("abc", 3), ("wörld", 5), ("e\u{301}", 1), ("日本語", 6), ("한국", 4),
        ("ｆｕｌｌ", 8), ("🌍", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("👍🏽", 2), ("❤️", 2), ("\u{200B}", 0),
        ("\u{301}", 0), ("a\u{301}\u{302}b", 2), ("‹›▏", 3), ("𠀀", 2), ("\u{FE0F}", 0),
        // Hangul as separate letters, and a single vowel.
        ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{1112}", 2), ("\u{1161}", 0),
        // Keycaps, a heart and a thermometer as text and as emoji, and sequences that contain a
        // flag.
        ("1\u{FE0F}\u{20E3}", 2), ("1\u{20E3}", 1), ("❤", 1), ("🌡", 1), ("🌡️", 2), ("🏳️‍🌈", 2),
        ("❤️‍🔥", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("🇩🇪🇫🇷", 4), ("⌚", 2), ("1️2", 3),
        // Characters of ambiguous width are narrow, including circled numbers on black squares.
        ("§±×α①─█…", 8), ("\u{3248}", 1), ("\u{AD}", 1),
        ("〈〉", 4), ("︐", 2), ("ｱ", 1), ("\u{3000}", 2), ("नि", 2), ("ก็", 1), ("👨‍👩‍👧‍👦👨🏽‍🚀", 4),
    ]

    @Test(arguments: texts)
    func `a text's width matches its columns in a terminal`(text: String, columns: Int) {
        #expect(text.terminalColumns == columns)
    }

    /// Checks clusters against the widths that glibc's `wcwidth` and Python's wcwidth return.
    @Test(arguments: [
        ("กำ", 2), ("नमस्ते", 4), ("का", 2), ("கா", 2), ("क्ष", 2), ("ກຳ", 2), ("ලො", 2),
        ("ᄀᄀ", 4), ("가", 2), ("한", 2), ("☝🏽", 1), ("x🏽", 3),
    ])
    func `a cluster of several letters is as wide as its letters together`(
        text: String, columns: Int
    ) {
        #expect(text.terminalColumns == columns)
    }
}
