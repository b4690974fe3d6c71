import Preservation
import StateRestoration
import Synchronization

/// An application of notes, which says and does what a test wants of it.
final class Notes: Sendable {
    static let bundleIdentifier = "org.example.Notes"

    struct Wishes: Sendable {
        var savesState = true
        var restoresState = true
        var failsBefore = false
        var failsAfter = false
        /// What the delegate stores for each scene.
        var applicationText = ""
        /// The scenes whose launch fails.
        var failingScenes: Set<String> = []
    }

    /// What the application was told, in order.
    struct Record: Sendable {
        var launches: [LaunchReason] = []
        var encoded: [PassStamp] = []
        var decoded: [PassStamp] = []
        var applicationTexts: [String: String] = [:]
        var passesAskedFor = 0
    }

    private let wishes: Mutex<Wishes>
    private let kept = Mutex(Record())

    init(_ wishes: Wishes = Wishes()) {
        self.wishes = Mutex(wishes)
    }

    var record: Record { kept.withLock { $0 } }

    var wish: Wishes {
        get { wishes.withLock { $0 } }
        set { wishes.withLock { $0 = newValue } }
    }

    func note(_ body: (inout Record) -> Void) {
        kept.withLock { body(&$0) }
    }

    func definition(
        version: String = "1", scenes: [RestorationIdentifier] = ["main"]
    ) -> ApplicationDefinition {
        ApplicationDefinition(
            bundleIdentifier: Self.bundleIdentifier, bundleVersion: version, scenes: scenes,
            makeClasses: { ClassRegistry() },
            makeScene: { context in
                SceneParts(delegate: NotesDelegate(self, scene: context.name.text))
            })
    }
}

/// Refuses to launch.
struct Refusal: Error, CustomStringConvertible {
    var description: String { "no notes today" }
}

/// A note with a text, which it saves.
final class Note: StateRestoring {
    let restoration = RestorationNode()
    let notes: Notes
    var text = "" {
        didSet { invalidateRestorableState() }
    }

    init(_ identifier: RestorationIdentifier, _ notes: Notes) {
        self.notes = notes
        restoration.identifier = identifier
    }

    var restorationKind: RestorationKind { .viewController }

    func encodeRestorableState(with coder: StateEncoder) throws {
        notes.note { $0.encoded.append(coder.stamp) }
        coder.encode(text, forKey: "text")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        notes.note { $0.decoded.append(coder.stamp) }
        text = try coder.decode(String.self, forKey: "text") ?? ""
    }
}

final class NotesDelegate: RestorationDelegate {
    private let notes: Notes
    private let scene: String
    private(set) var note: Note?

    init(_ notes: Notes, scene: String) {
        self.notes = notes
        self.scene = scene
    }

    var restorationRoot: (any StateRestoring)? { note }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let wish = notes.wish
        if wish.failsBefore || wish.failingScenes.contains(scene.name.text) { throw Refusal() }
        note = Note("note", notes)
    }

    func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) throws {
        if notes.wish.failsAfter { throw Refusal() }
        notes.note { $0.launches.append(reason) }
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        notes.note { $0.passesAskedFor += 1 }
        return notes.wish.savesState
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        notes.wish.restoresState
    }

    func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder) {
        coder.encode("\(self.scene) \(notes.wish.applicationText)", forKey: "text")
    }

    func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder) {
        do {
            let text = try coder.decode(String.self, forKey: "text") ?? "nothing"
            notes.note { $0.applicationTexts[self.scene] = text }
        } catch {
            notes.note { $0.applicationTexts[self.scene] = "\(error)" }
        }
    }
}

extension Scene {
    /// The scene's only note.
    var note: Note {
        guard let note = delegate.restorationRoot as? Note else {
            preconditionFailure("a scene of notes has a note once it is launched")
        }
        return note
    }
}
