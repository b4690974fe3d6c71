import Glibc
import Preservation
import StateRestoration
import Synchronization

/// Application of notes whose behavior a test controls and records.
final class Notes: Sendable {
    static let bundleIdentifier = "org.example.Notes"

    struct Behavior: Sendable {
        var savesState = true
        /// Scenes whose delegates do not opt in to saving.
        var unsavedScenes: Set<String> = []
        var restoresState = true
        var failsWillFinishLaunching = false
        var failsDidFinishLaunching = false
        /// Text that the delegate saves for each scene.
        var applicationText = ""
        /// Scenes whose launches fail.
        var failingScenes: Set<String> = []
        /// Scenes that extend their restoration.
        var extendingScenes: Set<String> = []
        /// Whether a scene has additional objects, which are found only if they have been registered.
        var registersExtra = false
        /// Number of additional objects in a scene.
        var extraCount = 1
        /// Whether a task loads the note and then completes an extended restoration.
        var completesInTask = false
        /// Points at which the code of a scene ends the process, keyed by scene.
        var crashPoints: [String: CrashPoint] = [:]
        /// Whether the delegate adds an item to the model while it encodes.
        var addsToModel = false
    }

    /// Point at which the code of a scene ends the process, and how.
    enum CrashPoint: String, Sendable {
        /// A trap while the note decodes its state.
        case decoding
        /// A trap while the scene is launched, with or without state.
        case launching
        /// A call to `exit` while the scene is launched.
        case exiting
        /// A `SIGKILL` while the scene is launched.
        case killing
        /// A trap in a task of the scene, whose restoration is extended.
        case task
        /// A trap while the note encodes its state.
        case encoding
    }

    /// Callbacks that the application received, in order.
    struct Record: Sendable {
        var launches: [LaunchReason] = []
        var encoded: [PassMetadata] = []
        var decoded: [PassMetadata] = []
        /// Stamps of the states that delegates were asked to restore.
        var offered: [PassMetadata] = []
        var applicationTexts: [String: String] = [:]
        var saveRequestCount = 0
        /// Number of times that each scene's delegate was asked for its root.
        var rootRequestCounts: [String: Int] = [:]
        /// Scenes whose delegates were notified of their termination, in order.
        var terminated: [String] = []
        /// Models with which the scenes were created.
        var models: [ObjectIdentifier?] = []
    }

    private let storedBehavior: Mutex<Behavior>
    private let storedRecord = Mutex(Record())

    init(_ storedBehavior: Behavior = Behavior()) {
        self.storedBehavior = Mutex(storedBehavior)
    }

    var record: Record { storedRecord.withLock { $0 } }

    var behavior: Behavior {
        get { storedBehavior.withLock { $0 } }
        set { storedBehavior.withLock { $0 = newValue } }
    }

    func updateRecord(_ body: (inout Record) -> Void) {
        storedRecord.withLock { body(&$0) }
    }

    func definition(
        _ bundleIdentifier: String = Notes.bundleIdentifier,
        version: String = "1", scenes: [RestorationIdentifier] = ["main"], resources: UInt64 = 0,
        makeClasses: @escaping @Sendable () -> ClassRegistry = { ClassRegistry() },
        makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)? = nil
    ) -> ApplicationDefinition {
        var definition = ApplicationDefinition(
            bundleIdentifier: bundleIdentifier, bundleVersion: version, scenes: scenes,
            makeClasses: makeClasses, makeModel: makeModel,
            makeDelegate: { context in
                self.updateRecord { $0.models.append(context.model.map(ObjectIdentifier.init)) }
                return NotesDelegate(self, context)
            })
        definition.resourceFingerprint = resources
        return definition
    }
}

/// Error of a delegate that refuses to launch.
struct Refusal: Error, CustomStringConvertible {
    var description: String { "no notes today" }
}

/// Note whose text is saved.
final class Note: StateRestoring {
    let restoration = RestorationNode()
    let notes: Notes
    var text = "" {
        didSet { if !suppressesInvalidation { invalidateRestorableState() } }
    }
    private var suppressesInvalidation = false
    fileprivate var crashPoint: Notes.CrashPoint?

    init(_ identifier: RestorationIdentifier, _ notes: Notes) {
        self.notes = notes
        restoration.identifier = identifier
    }

    /// Changes the text without invalidating the note.
    func changeWithoutInvalidating(_ text: String) {
        suppressesInvalidation = true
        self.text = text
        suppressesInvalidation = false
    }

    var restorationKind: RestorationKind { .viewController }

    func encodeRestorableState(with coder: StateEncoder) throws {
        if crashPoint == .encoding { fatalError("as the test wants") }
        notes.updateRecord { $0.encoded.append(coder.passMetadata) }
        coder.encode(text, forKey: "text")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        if crashPoint == .decoding { fatalError("as the test wants") }
        notes.updateRecord { $0.decoded.append(coder.passMetadata) }
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
        notes.updateRecord { $0.rootRequestCounts[scene, default: 0] += 1 }
        return note
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let behavior = notes.behavior
        if behavior.failsWillFinishLaunching || behavior.failingScenes.contains(scene.name.text) {
            throw Refusal()
        }
        if behavior.extendingScenes.contains(scene.name.text) { scene.extendStateRestoration() }
        if behavior.registersExtra { try registerExtras(in: scene) }
        let note = Note("note", notes)
        self.note = note
        note.crashPoint = behavior.crashPoints[scene.name.text]
        crash(note.crashPoint, in: scene)
        guard behavior.completesInTask else { return }
        scene.run {
            await Task.yield()
            note.text = "loaded"
            scene.completeStateRestoration()
        }
    }

    /// Registers the additional objects.
    func registerExtras(in scene: Scene) throws {
        for number in 0..<notes.behavior.extraCount {
            let identifier = try RestorationIdentifier(
                validating: number == 0 ? "extra" : "extra\(number)")
            let extra = Note(identifier, notes)
            try scene.registerObject(forStateRestoration: extra, restorationIdentifier: identifier)
            extras.append(extra)
        }
    }

    private func crash(_ crashPoint: Notes.CrashPoint?, in scene: Scene) {
        switch crashPoint {
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
        if notes.behavior.failsDidFinishLaunching { throw Refusal() }
        notes.updateRecord { $0.launches.append(reason) }
    }

    func applicationWillTerminate(_ scene: Scene) {
        notes.updateRecord { $0.terminated.append(scene.name.text) }
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        notes.updateRecord { $0.saveRequestCount += 1 }
        return notes.behavior.savesState && !notes.behavior.unsavedScenes.contains(scene.name.text)
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        notes.updateRecord { $0.offered.append(coder.passMetadata) }
        return notes.behavior.restoresState
    }

    func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder) {
        if notes.behavior.addsToModel { model?.add("added") }
        coder.encode("\(self.scene) \(notes.behavior.applicationText)", forKey: "text")
    }

    func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder) {
        do {
            let text = try coder.decode(String.self, forKey: "text") ?? "nothing"
            notes.updateRecord { $0.applicationTexts[self.scene] = text }
        } catch {
            notes.updateRecord { $0.applicationTexts[self.scene] = "\(error)" }
        }
    }
}

extension Scene {
    /// Only note in the scene.
    var note: Note {
        guard let note = delegate.restorationRoot as? Note else {
            preconditionFailure("a scene of notes has a note once it is launched")
        }
        return note
    }

    /// Model data with which the scene was created.
    var model: NotesModel? { (delegate as? NotesDelegate)?.model }

    /// Model data in a document with which the scene was created.
    var documentModel: DocumentModel? { (delegate as? NotesDelegate)?.documentModel }
}
