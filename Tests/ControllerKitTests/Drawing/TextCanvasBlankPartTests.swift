import Testing

@testable import ControllerKit

@Suite struct TextCanvasBlankPartTests {
    @Test func `a part above the drawing has as many blank lines as its range has lines`() {
        var canvas = TextCanvas(width: 3)
        canvas.line("abc")
        #expect(canvas.part(columns: 0..<3, lines: -3..<(-1)).lines == ["   ", "   "])
        #expect(canvas.part(columns: 0..<3, lines: -3..<0).lines == ["   ", "   ", "   "])
        #expect(canvas.part(columns: 0..<3, lines: -3..<1).lines == ["   ", "   ", "   ", "abc"])
    }
}
