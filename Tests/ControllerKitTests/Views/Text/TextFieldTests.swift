import ControllerKit
import StateRestoration
import TestSupport
import Testing

@Suite struct TextFieldTests {
    @Test func `setting the text moves the caret to its end`() {
        let field = TextField()
        field.text = "wörld 🌍"
        #expect(field.selectedRange == 7..<7)
    }

    @Test func `a selection counts user-perceived characters`() {
        let field = TextField()
        field.text = "e\u{301}👩‍👩‍👧x"
        #expect(field.text.count == 3)
        #expect(field.select(1..<2))
        #expect(lines(of: field, width: 12)[1] == "│ e\u{301}«👩‍👩‍👧»x   │")
    }

    @Test(arguments: [-1..<0, -1..<2, 0..<4, 4..<4, 3..<5, Int.min..<Int.max])
    func `a selection outside the text is refused`(range: Range<Int>) {
        let field = TextField()
        field.text = "abc"
        field.select(1..<2)
        #expect(!field.select(range))
        #expect(field.selectedRange == 1..<2)
    }

    @Test func `typing replaces or appends text and runs the actions`() throws {
        let field = TextField()
        var edits = 0
        var other = 0
        field.addAction(for: .editingChanged) { edits += 1 }
        field.addAction(for: .valueChanged) { other += 1 }
        field.text = "set"
        #expect(edits == 0)
        try field.type("typed", appending: false)
        #expect(field.text == "typed")
        try field.type(" more", appending: true)
        #expect(field.text == "typed more")
        #expect(field.selectedRange == 10..<10)
        #expect([edits, other] == [2, 0])
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: an edit to a canonically equivalent text runs the actions`(
        one: String, other: String
    ) throws {
        let field = TextField()
        field.text = one
        var edits = 0
        field.addAction(for: .editingChanged) { edits += 1 }
        for _ in 1...2 {
            try field.edit(.selectAll)
            try field.edit(.insertText(other))
            #expect(edits == 1)
            #expect(field.text.utf8.elementsEqual(other.utf8))
        }
    }

    @Test func `a disabled field refuses user actions and stays unchanged`() {
        let field = TextField()
        field.text = "abc"
        field.isEnabled = false
        var edits = 0
        field.addAction(for: .editingChanged) { edits += 1 }
        #expect(throws: OperationError.notPossible("it is disabled")) {
            try field.type("x", appending: true)
        }
        #expect(throws: OperationError.notPossible("it is disabled")) {
            try field.selectText(0..<1)
        }
        #expect(field.text == "abc")
        #expect(field.selectedRange == 3..<3)
        #expect(edits == 0)
    }

    @Test func `the user can select only existing characters`() throws {
        let field = TextField()
        field.text = "a👩‍👩‍👧\r\n🇩🇪e\u{301}"
        try field.selectText(1..<5)
        #expect(field.selectedRange == 1..<5)
        let error = OperationError.notPossible("the range 2 to 6 is outside its text of length 5")
        #expect(throws: error) { try field.selectText(2..<6) }
        #expect(throws: OperationError.self) { try field.selectText(Int.min..<Int.max) }
        #expect(field.selectedRange == 1..<5)
    }

    @Test func `a field draws its caret, its selection and its placeholder`() {
        let field = TextField()
        field.placeholder = "Name"
        #expect(
            lines(of: field, width: 12) == ["┌──────────┐", "│ ▏Name    │", "└──────────┘"])
        field.text = "abc"
        #expect(lines(of: field, width: 12)[1] == "│ abc▏     │")
        field.select(0..<3)
        #expect(lines(of: field, width: 12)[1] == "│ «abc»    │")
    }

    @Test func `if a text is too long, the part around the caret is drawn`() {
        let field = TextField()
        field.text = "0123456789"
        #expect(lines(of: field, width: 14)[1] == "│ …456789▏   │")
        field.select(0..<0)
        #expect(lines(of: field, width: 14)[1] == "│ ▏01234567… │")
        field.select(2..<9)
        #expect(lines(of: field, width: 14)[1] == "│ 01«234567… │")
        field.text = "日本語日本語"
        #expect(lines(of: field, width: 14)[1] == "│ …日本語▏   │")
        for width in 1...9 { #expect(!lines(of: field, width: width).isEmpty) }
    }

    @Test func `V4: the selection is preserved`() throws {
        let controller = FieldController.named("page")
        let first = TestApplication(controller)
        try first.launch()
        controller.field.text = "wörld 🌍"
        controller.field.select(2..<4)
        first.save()
        let found = FieldController.named("page")
        let report = try TestApplication(found).launch(restoring: first)
        #expect(report.restored == 2)
        #expect(found.field.text == "wörld 🌍")
        #expect(found.field.selectedRange == 2..<4)
    }

    @Test func `V4: a selection that no longer fits is dropped`() throws {
        final class Shortening: ViewController {
            let field = TextField()
            override func viewDidLoad() {
                field.restorationIdentifier = "field"
                field.text = isFirst ? "long text" : "ab"
                field.select(isFirst ? 4..<9 : 1..<1)
                view.addSubview(field)
            }
            var isFirst = false
        }
        let controller = Shortening.named("page")
        controller.isFirst = true
        let first = TestApplication(controller)
        try first.launch()
        first.save()
        let found = Shortening.named("page")
        let report = try TestApplication(found).launch(restoring: first)
        #expect(report.restored == 2)
        #expect(found.field.selectedRange == 1..<1)
    }

    @Test(arguments: ["👩‍👩‍👧🇩🇪e\u{301}\r\nx", "👩‍👩‍👧", ""])
    func `V4: a selection is restored even if the text is set when restoration finishes`(
        text: String
    ) throws {
        let range = min(1, text.count)..<min(4, text.count)
        let field: TextField = try relaunched(
            change: {
                $0.text = text
                $0.select(range)
            }, finished: { $0.text = text })
        #expect(field.selectedRange == range)
        field.text = text + "1234"
        #expect(field.selectedRange == field.text.count..<field.text.count)
    }

    @Test
    func `V4: a selection made in code when restoration finishes replaces the saved selection`()
        throws
    {
        let field: TextField = try relaunched(
            { $0.text = "abcdef" }, change: { $0.select(2..<4) },
            finished: {
                $0.select(0..<1)
                $0.text = "ABCDEF"
            })
        #expect(field.selectedRange == 6..<6)
    }

    @Test(arguments: [-5..<3, 0..<Int.max, Int.min..<Int.max, 7..<7])
    func `V4: a forged selection is dropped`(range: Range<Int>) throws {
        let field = TextField()
        field.text = "abc"
        field.select(1..<2)
        try restore(field) { $0.encode(range, forKey: "selectedRange") }
        #expect(field.selectedRange == 1..<2)
    }

    @Test func `a field that no longer preserves its text keeps its current text`() throws {
        for isPreserved in [false, true] {
            let field = TextField()
            field.text = "of the launch"
            field.preservesText = isPreserved
            try restore(field) { $0.encode("saved", forKey: "text") }
            #expect(field.text == (isPreserved ? "saved" : "of the launch"))
        }
    }

    @Test func `typed text is saved in the next pass with its controller`() throws {
        let controller = FieldController.named("page")
        let application = TestApplication(controller)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        #expect(!scene.needsPass)
        try controller.field.type("x", appending: false)
        #expect(scene.needsPass)
        #expect(application.save()?.objects.count == 2)
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let field = TextField()
        try field.setProperty("text", to: .string("abc"))
        try field.setProperty("placeholder", to: .string("Name"))
        try field.setProperty("isHidden", to: .bool(true))
        try field.setProperty("isEnabled", to: .bool(false))
        #expect(
            field.inspectedProperties == [
                "text": .string("abc"), "placeholder": .string("Name"), "isHidden": .bool(true),
                "isEnabled": .bool(false), "selectedRange": .range(3..<3),
            ])
        #expect(throws: PropertyError.invalidValue("a string is required")) {
            try field.setProperty("text", to: .integer(4))
        }
        #expect(
            throws: PropertyError.unknownProperty(known: [
                "text", "preservesText", "placeholder", "isEnabled", "isHidden",
            ])
        ) {
            try field.setProperty("txt", to: .string("abc"))
        }
    }
}
