import TerminalText
import Testing

/// Tests how text is quoted, measured and cut for terminals.
@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("", "\"\""), ("abc", #""abc""#), (#"a"b"#, #""a\"b""#), (#"a\b"#, #""a\\b""#),
        ("a\nb", #""a\nb""#), (#"\""#, #""\\\"""#),
    ])
    func `a quoted text escapes quotation marks, backslashes and control characters`(
        text: String, quoted: String
    ) {
        #expect(text.quoted == quoted)
    }

    @Test func `a variation selector is escaped after a letter that is not an emoji`() {
        #expect("世\u{FE0F}".printable == #"世\u{FE0F}"#)
        #expect("a\u{FE0F}".terminalColumns == 1)
    }

    @Test(arguments: [
        ("abcdef", 1, 3, "bcd"), ("abc", 0, 3, "abc"), ("abc", 0, 9, "abc"), ("abc", 3, 2, ""),
        ("abc", 1, 0, ""), ("a日本b", 0, 3, "a日"), ("a日本b", 0, 2, "a"), ("a日本b", 2, 3, "本"),
        ("a日本b", 1, 5, "日本b"),
    ])
    func `a part of a text contains only characters that are entirely in its columns`(
        text: String, start: Int, columns: Int, part: String
    ) {
        #expect(text.part(from: start, columns: columns) == part)
    }

    @Test(arguments: [
        ("abc", 2, "ab", "bc"), ("abc", 3, "abc", "abc"), ("abc", 9, "abc", "abc"),
        ("abc", 0, "", ""), ("日本語", 2, "日本", "本語"), ("日本語", 3, "日本語", "日本語"),
    ])
    func `the beginning and the end of a text have at most the given number of scalars`(
        text: String, count: Int, beginning: String, end: String
    ) {
        #expect(String(text[...].beginning(scalars: count)) == beginning)
        #expect(String(text[...].ending(scalars: count)) == end)
    }

    @Test func `only the beginning of a text that is much too long is prepared for a terminal`() {
        let text = String(repeating: "x", count: 1000)
        let visible = String(repeating: "x", count: 3 * Character.maximumScalarCount)
        #expect(text.terminalText(columns: 2) == visible + "…")
        #expect(visible.terminalText(columns: 2) == visible)
    }

    @Test(arguments: [(31, 2), (32, 0)])
    func `a character has no columns if its visible scalar is beyond the limit`(
        count: Int, columns: Int
    ) {
        let text = String(repeating: "\u{600}", count: count) + "🌍"
        #expect(text.count == 1)
        #expect(text.terminalColumns == columns)
    }

    @Test(arguments: [31, 32, 33, 40])
    func `only a limited number of letters of one character is measured`(count: Int) {
        let text = String(repeating: "\u{1100}", count: count)
        #expect(text.count == 1)
        #expect(text.terminalColumns == 2 * min(count, Character.maximumScalarCount))
    }
}
