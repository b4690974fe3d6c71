import Preservation
import StateRestoration
import Synchronization

/// Model data of notes, which saves the items that a test adds.
final class NotesModel: ApplicationModel {
    /// Storage that outlives the models. A test controls whether saving fails, and reads the saved items.
    final class Store: Sendable {
        private let state = Mutex((saved: [String](), fails: false, made: 0))
        let watch: DirectoryWatch

        init(_ watch: DirectoryWatch) {
            self.watch = watch
        }

        var saved: [String] { state.withLock { $0.saved } }
        var made: Int { state.withLock { $0.made } }
        var fails: Bool {
            get { state.withLock { $0.fails } }
            set { state.withLock { $0.fails = newValue } }
        }

        func make() -> NotesModel {
            state.withLock { $0.made += 1 }
            return NotesModel(self)
        }

        func write(_ items: [String]) throws {
            if fails { throw Unwritable() }
            state.withLock { $0.saved += items }
            watch.record("model")
        }
    }

    struct Unwritable: Error, CustomStringConvertible {
        var description: String { "the disk of the notes is full" }
    }

    private let store: Store
    private var changes: [String] = []

    init(_ store: Store) {
        self.store = store
    }

    func add(_ item: String) {
        changes.append(item)
    }

    var hasChanges: Bool { !changes.isEmpty }

    func saveChanges() throws {
        if changes.isEmpty { return }
        try store.write(changes)
        changes = []
    }
}
