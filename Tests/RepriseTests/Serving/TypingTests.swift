import ControllerKit
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

@Suite struct TypingTests {
    private static let path = "main/text"

    private func refusal(_ reason: String) -> ControlError {
        .notPossible(path: Self.path, method: "type", reason: reason)
    }

    @Test func `text is typed or appended, and a given range is selected`() throws {
        let scene = try OperatedScene()
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.type("wörld", selecting: 1..<5, at: Self.path))
                == nil)
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.type("🌍", isAppended: true, at: Self.path))
                == nil)
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.type("!", isAppended: true, selecting: 7..<7, at: Self.path)) == nil)
        #expect(scene.controller.text.text == "wörld🌍!")
        #expect(
            scene.controller.text.performed == [
                "type wörld false", "select 1..<5", "type 🌍 true", "type ! true", "select 7..<7",
            ])
    }

    @Test(arguments: [3..<6, 6..<6, -1..<2, Int.min..<Int.max])
    func `a selection beyond the new text is refused before any text is typed`(
        selection: Range<Int>
    ) throws {
        let scene = try OperatedScene()
        #expect(throws: refusal("the text has 5 characters")) {
            try scene.commands.type("five!", selecting: selection, at: Self.path)
        }
        #expect(scene.controller.text.performed == [])
    }

    @Test func `a selection counts user-perceived characters`() throws {
        let scene = try OperatedScene()
        // The text is a family, a flag, and an e with a combining accent.
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.type("👨‍👩‍👧🇩🇪e\u{301}", selecting: 1..<3, at: Self.path)) == nil)
        #expect(throws: refusal("the text has 3 characters")) {
            try scene.commands.type("👨‍👩‍👧🇩🇪e\u{301}", selecting: 1..<4, at: Self.path)
        }
    }

    @Test
    func `the error for a selection that does not fit appended text says that the text was typed`()
        throws
    {
        let scene = try OperatedScene()
        #expect(
            throws: refusal("the text was typed, but nothing was selected: the text is short")
        ) {
            try scene.commands.type("ab", isAppended: true, selecting: 1..<3, at: Self.path)
        }
        #expect(scene.controller.text.text == "ab")
    }

    @Test func `text is not appended beyond the size limit for a value`() throws {
        let scene = try OperatedScene()
        let field = TextField()
        field.restorationIdentifier = "field"
        scene.controller.view.addSubview(field)
        scene.commands.scene.limits.maximumBytes = 6
        _ = try scene.commands.type("äöü", at: "main/field")
        #expect(
            throws: ControlError.notPossible(
                path: "main/field", method: "type",
                reason: "the text would have 7 bytes, and the limit for a value is 6 "
                    + "(limits.state)")
        ) {
            try scene.commands.type("x", isAppended: true, at: "main/field")
        }
        #expect(field.text == "äöü")
        // A replacement text does not count as growth, and is reported as not saved.
        _ = try scene.commands.type("1234567", at: "main/field")
        #expect(field.text == "1234567")
    }

    @Test func `a selection alone types nothing`() throws {
        let scene = try OperatedScene()
        _ = try scene.commands.type("abc", at: Self.path)
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.type(nil, selecting: 1..<2, at: Self.path))
                == nil)
        #expect(throws: refusal("the text is short")) {
            try scene.commands.type(nil, selecting: 1..<4, at: Self.path)
        }
        #expect(scene.controller.text.text == "abc")
    }

    @Test func `text is appended up to the size limit for a value, and a key inserts no more`()
        throws
    {
        let scene = try OperatedScene()
        let field = TextField()
        field.restorationIdentifier = "field"
        scene.controller.view.addSubview(field)
        scene.commands.scene.limits.maximumBytes = 6
        _ = try scene.commands.type("äö", isAppended: true, at: "main/field")
        _ = try scene.commands.edit(.insertText("ü"), at: "main/field")
        #expect(field.text == "äöü")
        #expect(
            throws: ControlError.notPossible(
                path: "main/field", method: "edit-text",
                reason: "the text would have 7 bytes, and the limit for a value is 6 "
                    + "(limits.state)")
        ) {
            try scene.commands.edit(.insertText("x"), at: "main/field")
        }
        #expect(field.text == "äöü")
        _ = try scene.commands.edit(.delete(.left), at: "main/field")
        _ = try scene.commands.type("ü", isAppended: true, at: "main/field")
        #expect(field.text == "äöü")
    }

    /// Creates a scene with a text field.
    private static func field(_ text: String) throws -> (SceneCommandRunner, TextField) {
        let (scene, field) = (try OperatedScene(), TextField())
        field.restorationIdentifier = "field"
        field.text = text
        scene.controller.view.addSubview(field)
        return (scene.commands, field)
    }

    private static func replace(
        _ range: Range<Int>, with newText: String, in field: TextField,
        _ commands: SceneCommandRunner
    ) throws {
        _ = try commands.replaceText(
            range, with: newText, base: TextDigest.digest(of: field.text), at: "main/field")
    }

    @Test func `replacing a part of a text succeeds if an action disables the field`() throws {
        let (commands, field) = try Self.field("ac")
        field.addAction(for: .editingChanged) { [unowned field] in field.isEnabled = false }
        try Self.replace(1..<1, with: "b", in: field, commands)
        #expect(field.text == "abc")
        #expect(!field.isEnabled)
    }

    @Test(arguments: [
        (0..<0, 2..<3, "abc", 0..<0), (1..<1, 1..<1, "é👍🏽", 3..<3), (2..<2, 0..<1, "", 1..<1),
        (3..<3, 1..<1, "x", 4..<4), (2..<2, 1..<3, "x", 2..<2), (1..<2, 1..<1, "x", 2..<3),
        (1..<2, 2..<2, "x", 1..<2), (1..<3, 2..<2, "x", 1..<4), (0..<3, 0..<3, "", 0..<0),
    ])
    func `the selection stays at the same characters if another part of the text is replaced`(
        selection: Range<Int>, range: Range<Int>, newText: String, expected: Range<Int>
    ) throws {
        let (commands, field) = try Self.field("012")
        field.select(selection)
        try Self.replace(range, with: newText, in: field, commands)
        #expect(field.selectedRange == expected)
    }

    @Test func `a replaced part does not count toward the size limit for a value`() throws {
        let (commands, field) = try Self.field("abcdef")
        commands.scene.limits.maximumBytes = 6
        try Self.replace(0..<6, with: "äöü", in: field, commands)
        #expect(field.text == "äöü")
        #expect(throws: ControlError.self) {
            try Self.replace(0..<1, with: "123", in: field, commands)
        }
        #expect(field.text == "äöü")
        commands.scene.limits.maximumBytes = 2
        try Self.replace(2..<3, with: "", in: field, commands)
        #expect(field.text == "äö")
    }

    @Test func `a selection can begin at the first character of the new text`() throws {
        let scene = try OperatedScene()
        _ = try scene.commands.type("abc", selecting: 0..<3, at: Self.path)
        #expect(scene.controller.text.performed == ["type abc false", "select 0..<3"])
    }

    @Test func `a part of a text above the size limit can be replaced by an equally long part`()
        throws
    {
        let (commands, field) = try Self.field("abcdef")
        commands.scene.limits.maximumBytes = 2
        try Self.replace(0..<3, with: "xyz", in: field, commands)
        #expect(field.text == "xyzdef")
    }

    @Test func `edits of a disabled field are refused, and nothing changes`() throws {
        let (commands, field) = try Self.field("abc")
        field.isEnabled = false
        func refusal(_ method: String) -> ControlError {
            .notPossible(path: "main/field", method: method, reason: "it is disabled")
        }
        #expect(throws: refusal("replace-text")) {
            try Self.replace(0..<1, with: "x", in: field, commands)
        }
        for edit in [TextEdit.delete(.left), .move(.left), .insertText("x")] {
            #expect(throws: refusal("edit-text")) { try commands.edit(edit, at: "main/field") }
        }
        #expect(field.text == "abc")
    }
}
