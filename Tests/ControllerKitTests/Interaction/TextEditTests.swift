import StateRestoration
import Testing

@testable import ControllerKit

/// Tests the effects of keys on text.
@Suite struct TextEditTests {
    /// Returns an edited text, in which `|` marks the caret, or two `|` mark the ends of the
    /// selection.
    private static func edited(_ marked: String, by edits: [TextEdit], width: Int? = nil) -> String
    {
        var text = EditedText()
        let parts = marked.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        text.text = parts.joined()
        let start = parts[0].count
        _ = text.select(start..<start + (parts.count > 2 ? parts[1].count : 0))
        for edit in edits {
            text.apply(
                edit,
                lines: width.map {
                    WrappedLines(layout: TextLayout(text.text, width: $0), linesPerPage: 2)
                }
            )
        }
        var characters = Array(text.text).map(String.init)
        let range = text.selectedRange
        if !range.isEmpty { characters.insert("|", at: range.upperBound) }
        characters.insert("|", at: range.lowerBound)
        return characters.joined()
    }

    @Test(arguments: [
        ("a|b", TextEdit.insertText("x"), "ax|b"), ("a|bc|d", .insertText("x"), "ax|d"),
        ("a|bc|d", .delete(.left), "a|d"), ("ab|c", .delete(.left), "a|c"),
        ("|a", .delete(.left), "|a"), ("a|b", .delete(.right), "a|"), ("a|", .delete(.right), "a|"),
        ("one two  |x", .delete(.wordLeft), "one |x"), ("|", .delete(.wordLeft), "|"),
        ("one\ntw|o", .delete(.beginningOfLine), "one\n|o"),
        ("o|ne\ntwo", .delete(.endOfLine), "o|\ntwo"),
        ("one|\ntwo", .delete(.endOfLine), "one|two"),
        ("one t|wo th|ree", .move(.wordLeft), "one |two three"),
        ("a|b|c", .move(.left), "a|bc"), ("a|b|c", .move(.right), "ab|c"),
        ("ab|", .move(.left), "a|b"),
        ("ab|", .move(.right), "ab|"), ("one two|", .move(.wordLeft), "one |two"),
        ("one| two.", .move(.wordRight), "one two|."),
        ("a\nb|c", .move(.beginningOfLine), "a\n|bc"),
        ("a|b\nc", .move(.endOfLine), "ab|\nc"), ("a\nb|", .move(.beginningOfDocument), "|a\nb"),
        ("|a\nb", .move(.endOfDocument), "a\nb|"), ("a|b", .selectAll, "|ab|"),
        ("ab|cd", .extendSelection(.right), "ab|c|d"), ("ab|c", .extendSelection(.left), "a|b|c"),
        ("a|b\nc", .extendSelection(.endOfLine), "a|b|\nc"),
        ("👨‍👩‍👧|x", .delete(.left), "|x"), ("e|x", .insertText("\u{301}"), "e\u{301}|x"),
    ])
    func `a key edits user-perceived characters at the caret`(
        before: String, edit: TextEdit, after: String
    ) {
        #expect(Self.edited(before, by: [edit]) == after)
    }

    @Test(arguments: [
        ("|ab|c", TextEdit.delete(.left), "|c"), ("a|bc|", .delete(.right), "a|"),
        ("a|bc|", .delete(.endOfLine), "a|"), ("|a_b c", .move(.wordRight), "a_b| c"),
        ("|ab12 c", .move(.wordRight), "ab12| c"), ("|日本1_ c", .delete(.wordRight), "| c"),
    ])
    func `a selection at an edge can be deleted, and words contain digits and underscores`(
        before: String, edit: TextEdit, after: String
    ) {
        #expect(Self.edited(before, by: [edit]) == after)
    }

    @Test func `up and down move by visible lines`() {
        #expect(Self.edited("abcd efg|h", by: [.move(.up)], width: 5) == "abc|d efgh")
        #expect(Self.edited("ab|cd e", by: [.move(.down)], width: 5) == "abcd e|")
        #expect(Self.edited("ab|cd", by: [.move(.up)], width: 5) == "|abcd")
        #expect(Self.edited("ab|cd", by: [.move(.down)], width: 5) == "abcd|")
    }

    @Test func `page up and page down move by a page of visible lines`() {
        #expect(Self.edited("a|\nb\nc\nd", by: [.move(.pageDown)], width: 5) == "a\nb\nc|\nd")
        #expect(Self.edited("a\nb\nc|\nd", by: [.move(.pageDown)], width: 5) == "a\nb\nc\nd|")
        #expect(Self.edited("a\nb|", by: [.move(.pageUp)], width: 5) == "a|\nb")
        #expect(Self.edited("a\nb", by: [.move(.pageUp)]) == "a\nb|")
    }

    @Test func `a selection extends at the end that moved last, even back past its start`() {
        #expect(
            Self.edited("ab|cd", by: [.extendSelection(.left), .extendSelection(.left)]) == "|ab|cd"
        )
        let back: [TextEdit] = [
            .extendSelection(.left), .extendSelection(.right), .extendSelection(.right),
        ]
        #expect(Self.edited("ab|cd", by: back) == "ab|c|d")
        #expect(
            Self.edited(
                "ab|cd", by: [.extendSelection(.beginningOfLine), .extendSelection(.endOfLine)])
                == "ab|cd|")
        #expect(
            Self.edited(
                "ab|cd", by: [.extendSelection(.left), .selectAll, .extendSelection(.left)])
                == "|abc|d")
    }

    @Test func `a key in a field runs the actions only if it changes the text`() throws {
        let field = TextField()
        var edits = 0
        field.addAction(for: .editingChanged) { edits += 1 }
        try field.edit(.insertText("a\nb"))
        try field.edit(.move(.left))
        #expect(field.text == "a b" && field.selectedRange == 2..<2 && edits == 1)
        field.isEnabled = false
        #expect(throws: OperationError.self) { try field.edit(.delete(.left)) }
    }

    @Test func `P15: a secure field accepts edits but no caret movement`() throws {
        let field = SecureTextField()
        try field.edit(.insertText("abc"))
        try field.edit(.delete(.left))
        #expect(field.secret.value == "ab")
        #expect(throws: OperationError.self) { try field.edit(.move(.left)) }
        try field.edit(.delete(.beginningOfLine))
        #expect(field.secret.value == nil)
    }

    @Test func `arrow keys move a slider only up to its limits`() throws {
        let slider = Slider()
        slider.maximumValue = 20
        try slider.edit(.move(.right))
        #expect(slider.value == 1)
        try slider.edit(.move(.endOfLine))
        try slider.edit(.move(.right))
        #expect(slider.value == 20)
    }
}
