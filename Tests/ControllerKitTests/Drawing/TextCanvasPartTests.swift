import TerminalText
import Testing

@testable import ControllerKit

@Suite struct TextCanvasPartTests {
    private func drawn(_ texts: [String], width: Int) -> TextCanvas {
        var canvas = TextCanvas(width: width)
        for text in texts { canvas.line(text) }
        return canvas
    }

    @Test func `a part contains the given columns and lines`() {
        let canvas = drawn(["abcdef", "ghijkl", "mnopqr"], width: 6)
        #expect(canvas.part(columns: 1..<4, lines: 1..<3).lines == ["hij", "nop"])
        #expect(canvas.part(columns: 4..<8, lines: 2..<9).lines == ["qr  "])
        #expect(canvas.part(columns: -2..<2, lines: -1..<1).lines == ["    ", "  ab"])
        #expect(canvas.part(columns: 0..<6, lines: -2..<0).lines == ["      ", "      "])
        #expect(canvas.part(columns: 0..<6, lines: 3..<5).lines == [])
        #expect(canvas.part(columns: 0..<6, lines: -2..<(-2)).lines == [])
        let above = canvas.part(columns: 0..<6, lines: -3..<(-1)).lines
        #expect(!above.isEmpty && above.allSatisfy { $0 == "      " })
    }

    @Test func `half of a wide character is drawn as a space`() {
        let canvas = drawn(["a日本b", "👩‍👩‍👧e\u{301}🇩🇪c"], width: 6)
        #expect(canvas.part(columns: 2..<6, lines: 0..<2).lines == [" 本b", "e\u{301}🇩🇪c"])
        #expect(canvas.part(columns: 0..<2, lines: 0..<2).lines == ["a ", "👩‍👩‍👧"])
        #expect(canvas.part(columns: 1..<4, lines: 0..<2).lines == ["日 ", " e\u{301} "])
    }

    @Test(arguments: [
        Int.min..<Int.min, Int.min..<Int.max, Int.max..<Int.max, -1..<Int.max, Int.min..<3, 5..<5,
    ])
    func `a part of any range has a bounded size, and all lines are as wide as the part`(
        range: Range<Int>
    ) {
        let canvas = drawn(["a日本b", "c"], width: 6)
        for lines in [0..<2, range] {
            let part = canvas.part(columns: range, lines: lines)
            #expect((1...TextCanvas.maximumWidth).contains(part.width))
            #expect(part.lines.count <= 4098)
            for line in part.lines { #expect(line.terminalColumns == part.width) }
        }
    }

    @Test func `canvases drawn side by side are as tall as the tallest canvas`() {
        var canvas = TextCanvas(width: 15)
        var columns = canvas.columns(2)
        #expect(columns.map(\.width) == [6, 6])
        columns[0].line("left")
        columns[1].line("日本語日本")
        columns[1].line("two")
        canvas.sideBySide(columns)
        #expect(canvas.lines == ["left   │ 日本… ", "       │ two   "])
    }

    @Test func `columns fill the width and are at least one character wide`() {
        #expect(TextCanvas(width: 20).columns(3).map(\.width) == [5, 5, 4])
        #expect(TextCanvas(width: 20).columns(3, separator: " ").map(\.width) == [6, 6, 6])
        #expect(TextCanvas(width: 3).columns(3).map(\.width) == [1, 1, 1])
        #expect(TextCanvas(width: 3).columns(0).isEmpty)
        var canvas = TextCanvas(width: 3)
        var columns = canvas.columns(3)
        for index in columns.indices { columns[index].line("x") }
        canvas.sideBySide(columns)
        #expect(canvas.lines == ["x …"])
    }

    @Test func `characters at an edge do not combine with adjacent characters`() {
        var canvas = TextCanvas(width: 12)
        let texts = ["👩\u{200D}", "👧", "\u{1F1E9}", "\u{1F1EA}"]
        canvas.sideBySide(texts.map { drawn([$0], width: 2) }, separator: "")
        #expect(canvas.lines.map(\.terminalColumns) == [12])
        #expect(canvas.lines[0].hasPrefix("👩\u{200D} 👧"))
    }

    @Test func `a canvas can be boxed or appended, and is truncated to fit`() {
        var canvas = TextCanvas(width: 8)
        var inside = canvas.boxed
        inside.line("ab")
        inside.line("日本語")
        canvas.box(inside)
        canvas.append(inside)
        canvas.append(drawn(["123456789"], width: 9))
        #expect(
            canvas.lines == [
                "┌──────┐", "│ ab   │", "│ 日…  │", "└──────┘", "ab      ", "日…     ", "1234567…",
            ])
        var narrow = TextCanvas(width: 4)
        narrow.box("ab")
        #expect(narrow.lines == ["ab  "])
    }
}
