import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

// The classes in docs/storyboards.md and docs/finding-objects.md, and the types that they need.

private struct Note {
    let id = UUID()
}

private final class NoteEditorViewController: ViewController {
    var note: Note?
}

final class NoteListViewController: TableViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(
            views: [RequiredView("addNote", BarButtonItem.self)], segues: ["addNote"])
    }

    override func prepare(for segue: Segue, sender: Any?) {
        (segue.destination as? NoteEditorViewController)?.note = Note()
    }

    private var notes: [Note] = []

    fileprivate func possession(at indexPath: IndexPath) -> Note? {
        notes.indices.contains(indexPath.item) ? notes[indexPath.item] : nil
    }

    fileprivate var store: NoteListViewController? { self }

    fileprivate func index(of id: UUID) -> Int? { notes.firstIndex { $0.id == id } }
}

extension NoteListViewController: DataSourceModelAssociation {
    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
        possession(at: indexPath)?.id.uuidString
    }

    func indexPathForElement(
        withModelIdentifier identifier: String, in view: View
    ) -> IndexPath? {
        UUID(uuidString: identifier).flatMap { store?.index(of: $0) }
            .map { IndexPath(row: $0, section: 0) }
    }
}

final class WordView: View {
    var text = ""
    var columns = 1
    private var words: [Substring] { text.split(separator: " ") }

    override var properties: [Property] {
        [
            Property("text", of: self, \.text),
            Property("columns", of: self, \.columns, in: 1...80),
            Property("wordCount", self.words.count.inspectionValue),  // read-only
        ] + super.properties
    }
}

@Suite struct StoryboardDocumentTests {
    @Test func `properties are inspected as the documentation describes`() {
        let view = WordView()
        view.text = "one two"
        #expect(view.inspectedProperties["wordCount"] == .integer(2))
        #expect(view.inspectedProperties["columns"] == .integer(1))
    }

    @Test func `a class declares what its storyboard must contain`() {
        let requirements = NoteListViewController.storyboardRequirements
        #expect(requirements.segues == ["addNote"])
        #expect(requirements.views.map(\.name) == ["addNote"])
    }
}
