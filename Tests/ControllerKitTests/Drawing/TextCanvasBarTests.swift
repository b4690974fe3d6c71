import TerminalText
import Testing

@testable import ControllerKit

@Suite struct TextCanvasBarTests {
    @Test(
        arguments: TerminalColumnsTests.texts.map(\.0) + [
            String(repeating: "日", count: 40), "\n\t",
        ])
    func `a bar is exactly as wide as the canvas`(text: String) {
        for width in [1, 2, 5, 8, 9, 21] {
            var canvas = TextCanvas(width: width)
            for left in ["", text] {
                for right in ["", text] { canvas.bar(left: left, title: text, right: right) }
            }
            for line in canvas.lines { #expect(line.terminalColumns == width, "\(line)") }
        }
    }

    @Test func `a title makes room for text at the right edge`() {
        var canvas = TextCanvas(width: 20)
        canvas.bar(left: "", title: "Title", right: "")
        canvas.bar(left: "", title: "Title", right: "Add")
        canvas.bar(left: "", title: "Long title", right: "Add")
        canvas.bar(left: "Back", title: "Title", right: "Add")
        canvas.bar(left: "", title: "Title", right: "much too long")
        canvas.bar(left: "", title: "Twelve chars", right: "Add")
        #expect(
            canvas.lines == [
                "       Title        ", "       Title     Add", "     Long title  Add",
                "Back   Title     Add", "  Title   much too …", "    Twelve chars Add",
            ])
    }
}
