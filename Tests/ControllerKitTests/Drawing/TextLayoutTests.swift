import TerminalText
import Testing

@testable import ControllerKit

@Suite struct TextLayoutTests {
    private func lines(_ text: String, _ width: Int) -> [String] {
        let layout = TextLayout(text, width: width)
        return layout.lines.indices.map { String(layout.shownText($0, of: text)) }
    }

    @Test func `lines end after spaces and at line breaks`() {
        #expect(lines("one two three", 8) == ["one two ", "three"])
        #expect(lines("one two three", 7) == ["one two", "three"])
        #expect(lines("a\r\nb\n\nc\u{2028}d\n", 8) == ["a", "b", "", "c", "d", ""])
        #expect(lines("", 8) == [""])
    }

    @Test func `spaces that do not fit on a line are hidden and do not start the next line`() {
        #expect(lines("one     two", 5) == ["one  ", "two"])
        #expect(lines("one      ", 5) == ["one  "])
        #expect(lines("         ", 5) == ["     "])
        #expect(lines(" one", 2) == [" ", "on", "e"])
        #expect(lines("12345 \u{200B}", 5) == ["12345"])
    }

    @Test func `a word that is longer than a line is broken`() {
        #expect(lines("a abcdefgh i", 3) == ["a ", "abc", "def", "gh ", "i"])
        #expect(lines("e\u{301}e\u{301}e\u{301}", 2) == ["e\u{301}e\u{301}", "e\u{301}"])
    }

    @Test func `a word with non-ASCII letters is kept together`() {
        #expect(lines("ab wörter", 8) == ["ab ", "wörter"])
        #expect(lines("ab we\u{301}r", 5) == ["ab ", "we\u{301}r"])
    }

    @Test func `nothing after the requested lines is read`() {
        let text = String(repeating: "word ", count: 100_000)
        let layout = TextLayout(text, width: 9, limit: 3)
        #expect(layout.lines.count == 3)
        #expect(layout.lines == Array(TextLayout(text, width: 9).lines.prefix(3)))
        #expect(layout.characterCount <= 4 * 10)
    }

    @Test func `lines break between wide characters, never inside them`() {
        #expect(lines("日本語", 5) == ["日本", "語"])
        #expect(lines("ab日cd", 3) == ["ab", "日", "cd"])
        #expect(lines("👩‍👩‍👧🇩🇪❤️x", 4) == ["👩‍👩‍👧🇩🇪", "❤️x"])
        #expect(lines("日a", 1) == ["日", "a"])
        #expect(lines("a b日", 4) == ["a b", "日"])
    }

    @Test(arguments: [Int.min, -1, 0])
    func `a line is at least one column wide`(width: Int) {
        #expect(lines(" ab", width) == lines(" ab", 1))
    }

    private static let parts = [
        "a", "bc", " ", "   ", "日", "語", "👩‍👩‍👧", "🇩🇪", "\u{1F1E9}", "e\u{301}", "\u{301}", "\n", "\r\n",
        "\r",
        "\u{200D}", "\t", "\u{1100}\u{1161}", "word", "🏽", "1\u{FE0F}\u{20E3}",
    ]

    /// Returns a pseudorandom text that is the same for the same seed.
    private static func text(_ seed: Int) -> String {
        var state = UInt64(seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
        return (0..<(seed % 40)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return parts[Int(state >> 33) % parts.count]
        }.joined()
    }

    @Test(arguments: 0..<200)
    func `no character is lost, and no line is too wide`(seed: Int) {
        let text = Self.text(seed)
        for width in [1, 2, 3, 7, 20] {
            let layout = TextLayout(text, width: width)
            #expect(layout.characterCount == text.count)
            for (index, line) in layout.lines.enumerated() {
                let shownText = layout.shownText(index, of: text)
                #expect(shownText.count == line.visibleCharacterCount)
                let columns = String(shownText).terminalText(columns: 1000).terminalColumns
                #expect(
                    columns <= width || line.visibleCharacterCount == 1,
                    "\(shownText.debugDescription)")
                let from = text.index(text.startIndex, offsetBy: line.characterOffset)
                #expect(from == shownText.startIndex)
                let next =
                    index + 1 < layout.lines.count ? layout.lines[index + 1].characterOffset : nil
                let end = next.map { text.index(text.startIndex, offsetBy: $0) } ?? text.endIndex
                let isBlank = text[shownText.endIndex..<end].allSatisfy {
                    $0 == " " || $0.isNewline
                }
                #expect(isBlank)
                #expect(layout.line(of: line.characterOffset) == index)
            }
            #expect(layout.line(of: text.count) == layout.lines.count - 1)
        }
    }

    @Test(arguments: 0..<50)
    func `a text typed in parts has the same lines as the whole text`(seed: Int) {
        for width in [1, 2, 3, 7, 20] {
            var text = ""
            var layout = TextLayout(text, width: width)
            for part in (0..<60).map({ Self.text((seed &* 37 &+ $0 &* 11) % 1009) }) {
                text += part.prefix(4)
                layout.extend(to: text)
                let whole = TextLayout(text, width: width)
                #expect(layout.lines == whole.lines, "\(text.debugDescription)")
                #expect(layout.characterCount == whole.characterCount)
            }
        }
    }

    @Test(arguments: 0..<200)
    func `characters are counted correctly while the user types`(seed: Int) {
        var edited = EditedText()
        for (index, part) in (0..<20).map({ Self.text(seed &* 31 &+ $0 &* 7) }).enumerated() {
            edited.type(part, appending: true)
            if index % 3 != 1 {
                let count = edited.text.count
                #expect(edited.count == count)
                #expect(edited.selectedRange == count..<count)
            }
        }
    }
}
