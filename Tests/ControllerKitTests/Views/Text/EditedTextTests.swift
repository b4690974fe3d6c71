import Testing

@testable import ControllerKit

@Suite struct EditedTextTests {
    private static let invisibleText = String(repeating: "\u{200B}", count: 1000)

    /// Returns the line that shows a text in ten columns.
    private func line(_ text: String) -> String {
        var edited = EditedText()
        edited.text = text
        return edited.line(columns: 10).text
    }

    @Test func `a text that fits together with the caret is drawn entirely`() {
        #expect(line("01234567") == "01234567▏")
        #expect(line("012345678") == "…345678▏")
    }

    @Test func `an ellipsis replaces hidden text before the caret, even if it has no width`() {
        #expect(line("a" + Self.invisibleText).first == "…")
        #expect(line(Self.invisibleText + "abcdefghijkl") == "…ghijkl▏")
    }

    @Test func `a restored selection waits for a text that it fits`() {
        var edited = EditedText()
        edited.restore(2..<4)
        edited.text = "a"
        #expect(edited.selectedRange == 1..<1)
        edited.text = "abcd"
        #expect(edited.selectedRange == 2..<4)
    }
}
