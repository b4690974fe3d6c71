import StateRestoration
import Testing

@testable import ControllerKit

/// Tests the edits that each kind of text input accepts and refuses.
@Suite struct TextInputTests {
    static let edits: [TextEdit] = [
        .insertText("x"), .delete(.left), .delete(.right), .delete(.wordLeft),
        .delete(.beginningOfLine), .delete(.endOfLine), .move(.left), .move(.endOfLine),
        .extendSelection(.left), .selectAll,
    ]

    @Test(arguments: edits)
    func `a secure field only accepts appending and deleting backward, and only while enabled`(
        edit: TextEdit
    ) throws {
        let results: [(TextEdit, String)] = [
            (.insertText("x"), "ab cx"), (.delete(.left), "ab "), (.delete(.wordLeft), ""),
            (.delete(.beginningOfLine), ""),
        ]
        let expected = results.first { $0.0 == edit }?.1
        let field = SecureTextField()
        var changes = 0
        field.addAction(for: .editingChanged) { changes += 1 }
        field.secret.value = "ab c"
        if let expected {
            try field.edit(edit)
            #expect(field.secret.value ?? "" == expected)
            #expect(changes == 1)
        } else {
            #expect(throws: OperationError.self) { try field.edit(edit) }
            #expect(field.secret.value == "ab c")
            #expect(changes == 0)
        }
        field.secret.value = "ab c"
        field.isEnabled = false
        #expect(throws: OperationError.self) { try field.edit(edit) }
        #expect(field.secret.value == "ab c")
        #expect(throws: OperationError.self) { try field.selectText(0..<1) }
    }

    @Test(arguments: edits, [false, true])
    func `a text view that is not editable keeps its text, but its selection can move`(
        edit: TextEdit, isEditable: Bool
    ) throws {
        let view = TextView()
        view.text = "ab c"
        _ = view.select(2..<2)
        view.isEditable = isEditable
        var changes = 0
        view.addEditingAction { changes += 1 }
        if edit.changesText, !isEditable {
            #expect(throws: OperationError.self) { try view.edit(edit) }
            #expect(throws: OperationError.self) { try view.type("x", appending: true) }
        } else {
            try view.edit(edit)
        }
        #expect((view.text != "ab c") == (edit.changesText && isEditable))
        #expect(changes == (edit.changesText && isEditable ? 1 : 0))
        let ranges: [(TextEdit, Range<Int>)] = [
            (.move(.left), 1..<1), (.move(.endOfLine), 4..<4), (.extendSelection(.left), 1..<2),
            (.selectAll, 0..<4),
        ]
        if let range = ranges.first(where: { $0.0 == edit })?.1 {
            #expect(view.selectedRange == range)
        }
    }

    @Test
    func `an edit that changes nothing is not reported, and added lines are laid out`()
        throws
    {
        let view = TextView()
        view.visibleSize = Size(width: 12, height: 4)
        view.text = "a"
        _ = view.select(0..<0)
        var changes = 0
        view.addEditingAction { changes += 1 }
        try view.edit(.delete(.left))
        #expect(changes == 0)
        let height = view.contentSize.height
        try view.edit(.insertText("b\nc\n"))
        #expect(changes == 1)
        #expect(view.contentSize.height == height + 2)
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3), (8, 7)])
    func `a page is one line less than the visible lines, but at least one line`(
        height: Int, page: Int
    ) throws {
        let view = TextView()
        view.visibleSize = Size(width: 12, height: Double(height))
        view.text = (0..<20).map { "\($0)\n" }.joined()
        _ = view.select(0..<0)
        try view.edit(.move(.pageDown))
        let before = view.text.prefix(view.selectedRange.lowerBound)
        #expect(before.count { $0 == "\n" } == page)
    }

    @Test(arguments: [
        TextEdit.move(.left), .move(.right), .move(.beginningOfLine), .move(.endOfLine),
    ])
    func `a disabled slider does not move`(edit: TextEdit) throws {
        let slider = Slider()
        slider.value = 0.5
        slider.isEnabled = false
        #expect(throws: OperationError.self) { try slider.edit(edit) }
        #expect(throws: OperationError.self) { try slider.type("0.25", appending: false) }
        #expect(slider.value == 0.5)
        slider.isEnabled = true
        try slider.edit(edit)
        #expect(slider.value != 0.5)
    }

    @Test
    func
        `a restored selection applies to text set later, unless an edit or selection comes first`()
    {
        for change in 0..<4 {
            var text = EditedText()
            text.text = "ab"
            text.restore(2..<4)
            switch change {
            case 1: _ = text.select(0..<1)
            case 2: text.type("c", appending: true)
            case 3: text.finishRestoration()
            default: break
            }
            text.text = "abcdef"
            let expected = change == 0 ? 2..<4 : 6..<6
            #expect(text.selectedRange == expected, "\(change)")
        }
    }

    /// Compares every edit at every position of a text with the same edit of an array of
    /// characters.
    @Test func `the caret stays within the text after every edit`() {
        let movements: [TextMovement] = [
            .left, .right, .wordLeft, .wordRight, .beginningOfLine, .endOfLine, .up, .down, .pageUp,
            .pageDown, .beginningOfDocument, .endOfDocument,
        ]
        for source in ["", "a", "ab c", "a\n\nb", "ab\ncd\n"] {
            let characters = Array(source)
            for caret in 0...characters.count {
                for movement in movements {
                    var moved = EditedText()
                    moved.text = source
                    _ = moved.select(caret..<caret)
                    var deleted = moved
                    let lines = WrappedLines(layout: TextLayout(source, width: 5), linesPerPage: 2)
                    moved.apply(.move(movement), lines: lines)
                    #expect(moved.text == source)
                    let target = moved.selectedRange
                    #expect(target.isEmpty && (0...characters.count).contains(target.lowerBound))
                    deleted.apply(.delete(movement), lines: lines)
                    var (lower, upper) = (
                        min(caret, target.lowerBound), max(caret, target.lowerBound)
                    )
                    if movement == .endOfLine, lower == upper {
                        upper = min(upper + 1, characters.count)
                    }
                    #expect(deleted.text == String(characters[..<lower] + characters[upper...]))
                    lower = min(lower, deleted.text.count)
                    let rest = deleted.selectedRange
                    #expect(rest == lower..<lower)
                }
            }
        }
    }

    /// View without a caret, which has the default implementation of edits.
    private final class Ticker: TextInput {
        var text = ""
        var isEnabled = true

        func type(_ text: String, appending: Bool) throws(OperationError) {
            guard isEnabled else { throw .notPossible("it is disabled") }
            self.text = appending ? self.text + text : text
        }

        func selectText(_ range: Range<Int>) throws(OperationError) {
            throw .notPossible("it has no caret")
        }
    }

    @Test(arguments: edits)
    func `a view without a caret appends text and refuses other edits`(edit: TextEdit) throws {
        let ticker = Ticker()
        ticker.text = "ab"
        if edit == .insertText("x") {
            try ticker.edit(edit)
            #expect(ticker.text == "abx")
            ticker.isEnabled = false
        }
        let before = ticker.text
        #expect(throws: OperationError.self) { try ticker.edit(edit) }
        #expect(ticker.text == before)
    }
}
