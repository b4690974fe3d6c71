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

    @Test(arguments: [(100, "ab▏      "), (10_000, "…▏       ")])
    func `many characters without a width do not hide the caret`(count: Int, text: String) {
        let field = TextField()
        field.text = "ab" + String(repeating: "\u{200B}", count: count)
        #expect(lines(of: field, width: 12)[1] == "│ \(text)│")
        field.select(2..<2 + count)
        #expect(lines(of: field, width: 12)[1] == "│ ab«»     │")
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 3)
        view.text = field.text
        #expect(lines(of: view, width: 14)[1] == "│ ab▏        │")
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
