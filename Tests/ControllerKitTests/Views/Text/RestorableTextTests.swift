import ControllerKit
import StateRestoration
import Testing

@Suite struct RestorableTextTests {
    private class NoteController: ViewController {
        @RestorableText("title", outlet: "titleField") var titleField: TextField
        @RestorableText("notes") var notes = TextView()
        @Restorable("count") var count = 0
        var seen: [String] = []

        override func viewDidLoad() {
            super.viewDidLoad()
            titleField.restorationIdentifier = "titleField"
            notes.restorationIdentifier = "notes"
            view.addSubview(notes)
        }

        override func restorables(_ visitor: inout some RestorableVisitor) {
            super.restorables(&visitor)
            visitor.visit($titleField)
            visitor.visit($notes)
            visitor.visit(&$count)
        }

        override func decodeRestorableState(with coder: StateDecoder) throws {
            try super.decodeRestorableState(with: coder)
            seen = [titleField.text, notes.text]
        }
    }

    private final class ForgetfulController: NoteController {
        @RestorableText("more") var more = TextField()
    }

    private func made<Controller: NoteController>(_ type: Controller.Type) -> Controller {
        let controller = Controller.named("note")
        controller.addOutlet("titleField", TextField())
        return controller
    }

    @Test func `V4: texts and their selections are restored with their controller`() throws {
        let note = made(NoteController.self)
        let first = TestApplication(note)
        try first.launch()
        try note.titleField.type("Títle 👩‍👩‍👧", appending: false)
        try note.titleField.selectText(2..<7)
        try note.notes.type("one\ntwo\n", appending: false)
        note.notes.select(1..<1)
        let output = try #require(first.save())
        #expect(output.diagnostics == [])

        let next = made(NoteController.self)
        let report = try TestApplication(next).launch(restoring: first)
        #expect(report.unrestored == [])
        #expect(next.titleField.text == "Títle 👩‍👩‍👧")
        #expect(next.titleField.selectedRange == 2..<7)
        #expect(next.notes.text == "one\ntwo\n")
        #expect(next.notes.selectedRange == 1..<1)
        #expect(next.seen == ["Títle 👩‍👩‍👧", "one\ntwo\n"])
    }

    @Test func `V4: typed text is saved in the next pass`() throws {
        let note = made(NoteController.self)
        let application = TestApplication(note)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        #expect(!scene.needsPass)
        try note.notes.type("x", appending: true)
        #expect(scene.needsPass)
    }

    @Test func `V4: a text that was not saved keeps its storyboard value`() throws {
        let first = TestApplication(ViewController.named("note"))
        try first.launch()
        first.save()
        let note = made(NoteController.self)
        note.titleField.text = "stated"
        try TestApplication(note).launch(restoring: first)
        #expect(note.titleField.text == "stated")
    }

    @Test func `saving does not load views`() throws {
        let root = ViewController.named("root")
        let note = made(NoteController.self)
        root.addChild(note)
        let application = TestApplication(root)
        try application.launch()
        #expect(try #require(application.save()).objects.count == 3)
        #expect(!note.isViewLoaded)
    }

    @Test func `a saved value of the wrong type is an error, and the other texts are restored`()
        throws
    {
        let note = made(NoteController.self)
        note.loadViewIfNeeded()
        note.titleField.text = "stated"
        let error = #expect(throws: StateDecodingError.self) {
            try restore(note) { coder in
                coder.encode(7, forKey: "title")
                coder.encode("kept", forKey: "notes")
            }
        }
        #expect(error?.key == "title")
        #expect(note.titleField.text == "stated")
        #expect(note.notes.text == "kept")
    }

    @Test func `a restorable text that is missing from restorables is reported once`() throws {
        let application = TestApplication(made(ForgetfulController.self))
        try application.launch()
        let output = try #require(application.save())
        #expect(
            output.diagnostics.map(\.description) == [
                "note: \"more\" is not saved: list $more in restorables(_:)"
            ])
    }
}
