import TerminalText
import Testing

@testable import ControllerKit

@Suite struct TextCanvasTests {
    @Test(
        arguments: TerminalColumnsTests.texts.map(\.0) + [
            "\n", "a\r\nb", "\u{1B}[31mred", "\t", "\u{7F}", "\u{0}", "\u{85}", "\u{2028}",
            String(repeating: "x", count: 100), String(repeating: "日", count: 40),
            String(repeating: "a🌍", count: 30), "\n\u{301}", "\u{1}🏽", "\u{FE0F}a", "\u{200D}🌍",
        ], [1, 2, 5, 8, 9, 20])
    func `every line is exactly as wide as the canvas`(text: String, width: Int) {
        var canvas = TextCanvas(width: width)
        canvas.line(text)
        canvas.centered(text)
        canvas.box(text)
        canvas.rule()
        canvas.trailing(text)
        canvas.line(text, trailing: text)
        #expect(canvas.lines.count == (width > 4 ? 8 : 6))
        for line in canvas.lines { #expect(line.terminalColumns == width, "\(line)") }
        for line in canvas.framed.split(separator: "\n") {
            #expect(String(line).terminalColumns == width + 4, "\(line)")
        }
        let isClean = canvas.framed.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar.properties.generalCategory != .control
        }
        #expect(isClean)
    }

    @Test func `text that does not fit is truncated with an ellipsis`() {
        var canvas = TextCanvas(width: 8)
        canvas.line("12345678")
        canvas.line("123456789")
        canvas.line("日本語日本")
        canvas.line("1234567日")
        #expect(canvas.lines == ["12345678", "1234567…", "日本語… ", "1234567…"])
    }

    @Test func `control characters and line breaks are drawn as symbols`() {
        var canvas = TextCanvas(width: 8)
        canvas.line("a\nb\tc")
        canvas.line("\u{1B}[2J")
        canvas.line("a\r\nb")
        #expect(canvas.lines == ["a␤b�c   ", "�[2J    ", "a␤b     "])
    }

    @Test func `centered text has equal space before and after it`() {
        var canvas = TextCanvas(width: 9)
        canvas.centered("abc")
        canvas.centered("🌍")
        #expect(canvas.lines == ["   abc   ", "   🌍    "])
    }

    @Test(
        arguments: ["\u{301}", "\u{200B}", "x", "日", "\u{1F1E6}", "\u{1160}", "e\u{301}\u{301}"])
    func `only the beginning of a very long text is drawn`(unit: String) {
        let text = String(repeating: unit, count: 1 << 20)
        var canvas = TextCanvas(width: 8)
        canvas.line(text)
        canvas.centered("a" + text)
        canvas.trailing(text)
        canvas.line(text, trailing: text)
        canvas.text("a" + text, limit: 2)
        for line in canvas.lines {
            #expect(line.terminalColumns == 8)
            #expect(line.unicodeScalars.count < 10 * Character.maximumScalarCount)
        }
    }

    @Test func `a very long text is truncated after the maximum number of lines`() {
        var canvas = TextCanvas(width: 8)
        canvas.text(String(repeating: "abcd ", count: 1 << 20))
        #expect(canvas.lines.count == TextCanvas.maximumLines)
        #expect(canvas.lines.last == "abcd …  ")
        canvas = TextCanvas(width: 8)
        canvas.text(String(repeating: "a\n", count: 5000), limit: .max)
        #expect(canvas.lines.count == TextCanvas.maximumLines)
        #expect(canvas.lines.last == "a…      ")
    }

    @Test(arguments: ["a", " ", "\u{301}", "\u{200B}", "e\u{301}\u{302}\u{303}\u{304}"])
    func `no more of a text is read than can be visible`(part: String) {
        let text = String(repeating: part, count: 1 << 20)
        for (width, lines) in [(8, 1), (80, 24), (80, TextCanvas.maximumLines)] {
            var canvas = TextCanvas(width: width)
            let scalars = canvas.visiblePrefix(of: text, lines: lines).unicodeScalars.count
            #expect(scalars <= 2 * (width + 1) * (lines + 1) + 32 * (width + 1))
            canvas.text(text, limit: lines)
            #expect(canvas.lines.last?.contains("…") == true)
        }
    }

    @Test func `only a limited number of marks is drawn for one character`() {
        var canvas = TextCanvas(width: 8)
        canvas.line("e" + String(repeating: "\u{301}", count: 100) + "x")
        #expect(
            canvas.lines == ["e" + String(repeating: "\u{301}", count: 31) + "x      "])
    }

    @Test func `characters without a width of their own are omitted`() {
        var canvas = TextCanvas(width: 8)
        canvas.line("\u{301}a\u{200B}b\u{FEFF}")
        #expect(canvas.lines == ["ab      "])
    }

    @Test func `trailing text ends at the right edge`() {
        var canvas = TextCanvas(width: 8)
        canvas.trailing("日本")
        canvas.trailing("123456789")
        #expect(canvas.lines == ["    日本", "1234567…"])
    }

    @Test func `if two texts share a line, the left text is truncated first`() {
        var canvas = TextCanvas(width: 9)
        canvas.line("ab", trailing: "12")
        canvas.line("abcdefgh", trailing: "12")
        canvas.line("日本語日", trailing: "12")
        canvas.line("abc", trailing: "1234567890")
        canvas.line("abc", trailing: "")
        #expect(
            canvas.lines == ["ab     12", "abcde… 12", "日本…  12", "12345678…", "abc      "])
    }

    @Test(arguments: [(-3, 1), (0, 1), (8, 8), (Int.max, 4096)])
    func `the width of a canvas is bounded`(asked: Int, width: Int) {
        #expect(TextCanvas(width: asked).width == width)
    }
}
