import ControllerKit
import StateRestoration
import Testing

@Suite struct TextFieldTests {
    @Test func `setting the text puts the caret behind it`() {
        let field = TextField()
        field.text = "wörld 🌍"
        #expect(field.selectedRange == 7..<7)
    }

    @Test func `a selection counts characters as a person does`() {
        let field = TextField()
        field.text = "e\u{301}👩‍👩‍👧x"
        #expect(field.text.count == 3)
        #expect(field.select(1..<2))
        #expect(lines(of: field, width: 12)[1] == "│ e\u{301}«👩‍👩‍👧»x   │")
    }

    @Test(arguments: [-1..<0, -1..<2, 0..<4, 4..<4, 3..<5, Int.min..<Int.max])
    func `a selection that does not fit is refused`(range: Range<Int>) {
        let field = TextField()
        field.text = "abc"
        field.select(1..<2)
        #expect(!field.select(range))
        #expect(field.selectedRange == 1..<2)
    }

    @Test func `typing replaces the text and runs the actions`() {
        let field = TextField()
        var edits = 0
        var other = 0
        field.addAction(for: .editingChanged) { edits += 1 }
        field.addAction(for: .valueChanged) { other += 1 }
        field.text = "set"
        #expect(edits == 0)
        field.type("typed")
        #expect(field.text == "typed")
        #expect([edits, other] == [1, 0])
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

    @Test func `what a person types is saved at the next pass, with its controller`() throws {
        let controller = FieldController.named("page")
        let application = TestApplication(controller)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        #expect(!scene.needsPass)
        controller.field.type("x")
        #expect(scene.needsPass)
        #expect(application.save()?.objects.count == 2)
    }

    @Test func `the properties of a storyboard are set`() throws {
        let field = TextField()
        try field.setProperty("text", to: .string("abc"))
        try field.setProperty("placeholder", to: .string("Name"))
        try field.setProperty("isHidden", to: .bool(true))
        #expect(
            field.inspectedProperties == [
                "text": .string("abc"), "placeholder": .string("Name"), "isHidden": .bool(true),
                "selectedRange": .range(3..<3),
            ])
        #expect(throws: PropertyError.invalidValue("a text is wanted")) {
            try field.setProperty("text", to: .integer(4))
        }
        #expect(throws: PropertyError.unknownProperty(known: ["text", "placeholder", "isHidden"])) {
            try field.setProperty("txt", to: .string("abc"))
        }
    }
}
