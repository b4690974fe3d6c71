import Testing

@testable import ControllerKit

@Suite struct TextCanvasLayoutTests {
    @Test(arguments: TextCanvasTests.texts.map(\.0) + ["\u{FE0F}a", "\u{200D}🌍"])
    func `columns are as wide as promised, whatever is drawn in them`(text: String) {
        for count in 1...4 {
            for width in [8, 19, 20, 31, 60] {
                var canvas = TextCanvas(width: width)
                canvas.columns(
                    (0..<count).map { index in
                        { canvas in
                            for _ in 0...index { canvas.line(text) }
                        }
                    })
                for line in canvas.lines { #expect(line.terminalColumns == width) }
            }
        }
    }

    @Test func `columns are drawn side by side, the shorter ones filled`() {
        var canvas = TextCanvas(width: 20)
        canvas.columns([
            { canvas in canvas.line("日本語日本語") },
            { canvas in
                canvas.line("one")
                canvas.line("two")
            },
        ])
        #expect(canvas.lines == ["日本語…  │ one      ", "         │ two      "])
    }

    @Test func `columns that are too narrow are drawn one below the other`() {
        var canvas = TextCanvas(width: 18)
        canvas.columns([{ $0.line("first") }, { $0.line("second") }])
        #expect(
            canvas.lines == [
                "first             ", String(repeating: "─", count: 18), "second            ",
            ])
        canvas.columns([])
        #expect(canvas.lines.count == 3)
    }

    @Test(arguments: TextCanvasTests.texts.map(\.0) + [String(repeating: "日", count: 40)])
    func `a bar is as wide as promised`(text: String) {
        for width in [8, 9, 21] {
            var canvas = TextCanvas(width: width)
            for left in ["", text] {
                for right in ["", text] { canvas.bar(left: left, title: text, right: right) }
            }
            for line in canvas.lines { #expect(line.terminalColumns == width) }
        }
    }
}
