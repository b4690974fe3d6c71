import Testing

@testable import ControllerKit

@Suite struct TextCanvasTests {
    /// Texts that are hard to measure, with the columns that a terminal gives them.
    static let texts: [(String, Int)] = [
        ("", 0), ("abc", 3), ("wörld", 5), ("e\u{301}", 1), ("日本語", 6), ("한국", 4),
        ("ｆｕｌｌ", 8), ("🌍", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("👍🏽", 2), ("❤️", 2), ("\u{200B}", 0),
        ("\u{301}", 0), ("a\u{301}\u{302}b", 2), ("‹›▏", 3), ("𠀀", 2), ("\u{FE0F}", 0),
    ]

    @Test(arguments: texts)
    func `a text takes the columns of a terminal`(text: String, columns: Int) {
        #expect(text.terminalColumns == columns)
    }

    @Test(
        arguments: texts.map(\.0) + [
            "\n", "a\r\nb", "\u{1B}[31mred", "\t", "\u{7F}", "\u{0}", "\u{85}", "\u{2028}",
            String(repeating: "x", count: 100), String(repeating: "日", count: 40),
            String(repeating: "a🌍", count: 30), "\n\u{301}", "\u{1}🏽", "\u{FE0F}a", "\u{200D}🌍",
        ], [8, 9, 20])
    func `every line is exactly as wide as promised`(text: String, width: Int) {
        var canvas = TextCanvas(width: width)
        canvas.line(text)
        canvas.centered(text)
        canvas.box(text)
        canvas.rule()
        #expect(canvas.lines.count == 6)
        for line in canvas.lines { #expect(line.terminalColumns == width, "\(line)") }
        for line in canvas.framed.split(separator: "\n") {
            #expect(String(line).terminalColumns == width + 4, "\(line)")
        }
        let isClean = canvas.framed.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar.properties.generalCategory != .control
        }
        #expect(isClean)
    }

    @Test func `what does not fit is cut, and an ellipsis stands for it`() {
        var canvas = TextCanvas(width: 8)
        canvas.line("12345678")
        canvas.line("123456789")
        canvas.line("日本語日本")
        canvas.line("1234567日")
        #expect(canvas.lines == ["12345678", "1234567…", "日本語… ", "1234567…"])
    }

    @Test func `control characters and line breaks are shown, not sent`() {
        var canvas = TextCanvas(width: 8)
        canvas.line("a\nb\tc")
        canvas.line("\u{1B}[2J")
        canvas.line("a\r\nb")
        #expect(canvas.lines == ["a␤b�c   ", "�[2J    ", "a␤b     "])
    }

    @Test func `a centered text has as much room before it as behind it`() {
        var canvas = TextCanvas(width: 9)
        canvas.centered("abc")
        canvas.centered("🌍")
        #expect(canvas.lines == ["   abc   ", "   🌍    "])
    }

    @Test func `a canvas is at least 8 columns wide`() {
        #expect(TextCanvas(width: -3).width == 8)
        #expect(TextCanvas(width: 8).width == 8)
    }
}
