import StateRestoration
import Testing

@testable import ControllerKit

/// What keys do to a text.
@Suite struct TextEditTests {
    /// A text in which `|` stands for the caret, or two of them for the ends of the selection.
    private static func edited(_ marked: String, by edits: [TextEdit], width: Int? = nil) -> String
    {
        var text = EditedText()
        let parts = marked.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        text.text = parts.joined()
        let start = parts[0].count
        _ = text.select(start..<start + (parts.count > 2 ? parts[1].count : 0))
        for edit in edits {
            text.apply(edit, layout: width.map { TextLayout(text.text, width: $0) })
        }
        var characters = Array(text.text).map(String.init)
        let range = text.selectedRange
        if !range.isEmpty { characters.insert("|", at: range.upperBound) }
        characters.insert("|", at: range.lowerBound)
        return characters.joined()
    }

    @Test(arguments: [
        ("a|b", TextEdit.insertText("x"), "ax|b"), ("a|bc|d", .insertText("x"), "ax|d"),
        ("a|bc|d", .deleteBackward, "a|d"), ("ab|c", .deleteBackward, "a|c"),
        ("|a", .deleteBackward, "|a"), ("a|b", .deleteForward, "a|"), ("a|", .deleteForward, "a|"),
        ("one two  |x", .deleteWordBackward, "one |x"), ("|", .deleteWordBackward, "|"),
        ("one\ntw|o", .deleteToBeginningOfLine, "one\n|o"),
        ("o|ne\ntwo", .deleteToEndOfLine, "o|\ntwo"), ("one|\ntwo", .deleteToEndOfLine, "one|two"),
        ("a|b|c", .moveLeft, "a|bc"), ("a|b|c", .moveRight, "ab|c"), ("ab|", .moveLeft, "a|b"),
        ("ab|", .moveRight, "ab|"), ("one two|", .moveWordLeft, "one |two"),
        ("one| two.", .moveWordRight, "one two|."), ("a\nb|c", .moveToBeginningOfLine, "a\n|bc"),
        ("a|b\nc", .moveToEndOfLine, "ab|\nc"), ("a\nb|", .moveToBeginningOfDocument, "|a\nb"),
        ("|a\nb", .moveToEndOfDocument, "a\nb|"), ("a|b", .selectAll, "|ab|"),
        ("👨‍👩‍👧|x", .deleteBackward, "|x"), ("e|x", .insertText("\u{301}"), "e\u{301}|x"),
    ])
    func `a key edits at the caret, by characters that a person sees`(
        before: String, edit: TextEdit, after: String
    ) {
        #expect(Self.edited(before, by: [edit]) == after)
    }

    @Test func `up and down go by the lines that are seen`() {
        #expect(Self.edited("abcd efg|h", by: [.moveUp], width: 5) == "abc|d efgh")
        #expect(Self.edited("ab|cd e", by: [.moveDown], width: 5) == "abcd e|")
        #expect(Self.edited("ab|cd", by: [.moveUp], width: 5) == "|abcd")
        #expect(Self.edited("ab|cd", by: [.moveDown], width: 5) == "abcd|")
    }

    @Test func `a key in a field runs its actions only if the text is another then`() throws {
        let field = TextField()
        var edits = 0
        field.addAction(for: .editingChanged) { edits += 1 }
        try field.edit(.insertText("a\nb"))
        try field.edit(.moveLeft)
        #expect(field.text == "a b" && field.selectedRange == 2..<2 && edits == 1)
        field.isEnabled = false
        #expect(throws: OperationError.self) { try field.edit(.deleteBackward) }
    }

    @Test func `P15: a secret takes keys, and does not tell where its caret is`() throws {
        let field = SecureTextField()
        try field.edit(.insertText("abc"))
        try field.edit(.deleteBackward)
        #expect(field.secret.value == "ab")
        #expect(throws: OperationError.self) { try field.edit(.moveLeft) }
        try field.edit(.deleteToBeginningOfLine)
        #expect(field.secret.value == nil)
    }

    @Test func `the arrow keys move a slider as far as its limits reach`() throws {
        let slider = Slider()
        slider.maximumValue = 20
        try slider.edit(.moveRight)
        #expect(slider.value == 1)
        try slider.edit(.moveToEndOfLine)
        try slider.edit(.moveRight)
        #expect(slider.value == 20)
    }
}
