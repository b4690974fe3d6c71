import Glibc
import Preservation
import StateRestoration
import Synchronization

/// An application of notes, which says and does what a test wants of it.
final class Notes: Sendable {
    static let bundleIdentifier = "org.example.Notes"

    struct Wishes: Sendable {
        var savesState = true
        /// The scenes whose delegates do not save.
        var unsavedScenes: Set<String> = []
        var restoresState = true
        var failsBefore = false
        var failsAfter = false
        /// What the delegate stores for each scene.
        var applicationText = ""
        /// The scenes whose launch fails.
        var failingScenes: Set<String> = []
        /// The scenes that extend their restoration while they are launched.
        var extendingScenes: Set<String> = []
        /// Whether a scene has a second object, which is found only where it was registered.
        var registersExtra = false
        /// How many such objects a scene has.
        var extraCount = 1
        /// Whether a task completes an extended restoration, after it has loaded the note.
        var completesInTask = false
        /// Where the code of a scene ends the program.
        var deaths: [String: Death] = [:]
        /// Whether the delegate adds to the model while it encodes.
        var addsToModel = false
    }

    /// A point at which the code of a scene ends the program.
    enum Death: String, Sendable {
        /// A trap while the note takes its state back.
        case decoding
        /// A trap while the scene is launched, whether it has state or not.
        case launching
        /// A call of `exit` there.
        case exiting
        /// A signal there that nothing can handle.
        case killing
        /// A trap in a task of the scene, whose restoration is extended.
        case task
        /// A trap while the note encodes.
        case encoding
    }

    /// What the application was told, in order.
    struct Record: Sendable {
        var launches: [LaunchReason] = []
        var encoded: [PassStamp] = []
        var decoded: [PassStamp] = []
        /// The stamps of what delegates were asked to restore.
        var offered: [PassStamp] = []
        var applicationTexts: [String: String] = [:]
        var passesAskedFor = 0
        /// How often the delegate of each scene was asked for its root.
        var rootsAskedFor: [String: Int] = [:]
        /// The scenes whose delegates were told that they end, in order.
        var terminated: [String] = []
        /// The model that each scene was made with.
        var models: [ObjectIdentifier?] = []
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
        _ bundleIdentifier: String = Notes.bundleIdentifier,
        version: String = "1", scenes: [RestorationIdentifier] = ["main"], resources: UInt64 = 0,
        makeClasses: @escaping @Sendable () -> ClassRegistry = { ClassRegistry() },
        makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)? = nil
    ) -> ApplicationDefinition {
        var definition = ApplicationDefinition(
            bundleIdentifier: bundleIdentifier, bundleVersion: version, scenes: scenes,
            makeClasses: makeClasses, makeModel: makeModel,
            makeDelegate: { context in
                self.note { $0.models.append(context.model.map(ObjectIdentifier.init)) }
                return NotesDelegate(self, context)
            })
        definition.resourceFingerprint = resources
        return definition
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
        didSet { if !isSilent { invalidateRestorableState() } }
    }
    private var isSilent = false
    fileprivate var death: Notes.Death?

    init(_ identifier: RestorationIdentifier, _ notes: Notes) {
        self.notes = notes
        restoration.identifier = identifier
    }

    /// Changes the text and does not say so.
    func changeInSilence(_ text: String) {
        isSilent = true
        self.text = text
        isSilent = false
    }

    var restorationKind: RestorationKind { .viewController }

    func encodeRestorableState(with coder: StateEncoder) throws {
        if death == .encoding { fatalError("as the test wants") }
        notes.note { $0.encoded.append(coder.stamp) }
        coder.encode(text, forKey: "text")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        if death == .decoding { fatalError("as the test wants") }
        notes.note { $0.decoded.append(coder.stamp) }
        text = try coder.decode(String.self, forKey: "text") ?? ""
    }
}

final class NotesDelegate: RestorationDelegate {
    private let notes: Notes
    private let scene: String
    fileprivate let model: NotesModel?
    fileprivate let documentModel: DocumentModel?
    var note: Note?
    private var extras: [Note] = []

    init(_ notes: Notes, _ context: SceneContext) {
        self.notes = notes
        scene = context.name.text
        model = context.model as? NotesModel
        documentModel = context.model as? DocumentModel
    }

    var restorationRoot: (any StateRestoring)? {
        notes.note { $0.rootsAskedFor[scene, default: 0] += 1 }
        return note
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let wish = notes.wish
        if wish.failsBefore || wish.failingScenes.contains(scene.name.text) { throw Refusal() }
        if wish.extendingScenes.contains(scene.name.text) { scene.extendStateRestoration() }
        if wish.registersExtra { try registerExtras(in: scene) }
        let note = Note("note", notes)
        self.note = note
        note.death = wish.deaths[scene.name.text]
        die(note.death, in: scene)
        guard wish.completesInTask else { return }
        scene.run {
            await Task.yield()
            note.text = "loaded"
            scene.completeStateRestoration()
        }
    }

    /// Registers the objects besides the note.
    func registerExtras(in scene: Scene) throws {
        for number in 0..<notes.wish.extraCount {
            let identifier = try RestorationIdentifier(
                validating: number == 0 ? "extra" : "extra\(number)")
            let extra = Note(identifier, notes)
            try scene.registerObject(forStateRestoration: extra, restorationIdentifier: identifier)
            extras.append(extra)
        }
    }

    private func die(_ death: Notes.Death?, in scene: Scene) {
        switch death {
        case nil, .decoding, .encoding: break
        case .launching: fatalError("as the test wants")
        case .exiting: exit(3)
        case .killing: kill(getpid(), SIGKILL)
        case .task:
            scene.extendStateRestoration()
            scene.run {
                await Task.yield()
                fatalError("as the test wants")
            }
        }
    }

    func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) throws {
        if notes.wish.failsAfter { throw Refusal() }
        notes.note { $0.launches.append(reason) }
    }

    func applicationWillTerminate(_ scene: Scene) {
        notes.note { $0.terminated.append(scene.name.text) }
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        notes.note { $0.passesAskedFor += 1 }
        return notes.wish.savesState && !notes.wish.unsavedScenes.contains(scene.name.text)
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        notes.note { $0.offered.append(coder.stamp) }
        return notes.wish.restoresState
    }

    func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder) {
        if notes.wish.addsToModel { model?.add("added") }
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

    /// The model data that the scene was made with.
    var model: NotesModel? { (delegate as? NotesDelegate)?.model }

    /// The same, of a test that keeps it in a document.
    var documentModel: DocumentModel? { (delegate as? NotesDelegate)?.documentModel }
}
