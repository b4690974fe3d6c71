import ControllerKit
import StateRecords
import StateRestoration

/// The delegate of a scene with a window, with methods to save and relaunch the scene.
final class TestApplication: ApplicationDelegate {
    let window: Window?
    private(set) var scene: Scene?
    private(set) var output: PassOutput?
    /// A closure that runs at the beginning of the launch.
    var prepare: (Scene) -> Void = { _ in }
    /// A closure that finds or creates the controller for a path during a restoration (R3).
    var finder: (String) -> ViewController? = { _ in nil }
    /// The scene's class registry, which contains the classes of ControllerKit by default.
    var classes = ClassRegistry.controllerKit

    init(_ root: ViewController) {
        let window = Window()
        window.rootViewController = root
        self.window = window
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
        window?.makeKeyAndVisible()
        self.scene = scene
        prepare(scene)
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }

    func application(
        _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
        coder: StateDecoder
    ) -> (any StateRestoring)? {
        finder(path.description)
    }

    /// Returns the values that an object of the scene would save now.
    func values(of object: any StateRestoring) throws -> [String: StoredValue] {
        guard let scene else { return [:] }
        return try StateInspection(scene).values(
            of: object,
            passMetadata: PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: ""))
    }

    /// The paths of all preserved objects.
    var recordedPaths: [String] {
        guard let scene else { return [] }
        return TreeSurvey(scene).entries().filter { $0.omission == nil }.map(\.address)
    }

    /// The records in the archive, keyed by number, including records of the restored application.
    private var records: [UInt32: ObjectRecord] = [:]
    private var names: [UInt32: String] = [:]

    /// Launches the scene, and restores the state that another application saved.
    @discardableResult
    func launch(
        restoring other: TestApplication? = nil, storyboards: (any StoryboardInstantiating)? = nil
    ) throws -> RestorationReport {
        records = other?.records ?? [:]
        names = other?.names ?? [:]
        let highest = records.keys.max() ?? 0
        let scene = Scene(
            name: "main", launchReason: records.isEmpty ? .pristine : .restore, delegate: self,
            classes: classes,
            records: SceneRecords(
                names: NameTable(names), numbering: RecordNumberGenerator(after: max(highest, 1000))
            ))
        try scene.launch(restoring: saved, storyboards: storyboards)
        self.scene = scene
        return scene.report
    }

    /// Makes a full pass, and writes its output.
    @discardableResult
    func save() -> PassOutput? { preserve(isFull: true) }

    /// Makes a pass over the marked objects, and writes its output.
    @discardableResult
    func saveChanges() -> PassOutput? { preserve(isFull: false) }

    private func preserve(isFull: Bool) -> PassOutput? {
        output = scene?.preserve(
            PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: ""),
            isFull ? .everything() : .marked)
        guard let output else { return nil }
        for name in output.names { names[name.number] = name.text }
        for record in output.objects {
            records[record.header.number] = record
        }
        for header in output.moves { records[header.number]?.header = header }
        for number in output.removals {
            for record in tree(number) { records[record.header.number] = nil }
            records[number] = nil
        }
        return output
    }

    /// The records in the archive, ordered by number.
    var archived: [ObjectRecord] { records.values.sorted { $0.header.number < $1.header.number } }

    /// Returns an application with the same archive, in which the values of one record are
    /// replaced.
    func replacingValues(of number: UInt32, by values: [UInt8]) -> TestApplication {
        let other = TestApplication(ViewController())
        other.records = records
        other.names = names
        other.records[number]?.values = values[...]
        return other
    }

    private var saved: SavedScene? {
        guard let scene = records.values.first(where: { $0.header.parent == 0 }) else {
            return nil
        }
        return SavedScene(RecordList([scene] + tree(scene.header.number)), timestamp: 0)
    }

    /// Returns the records below a record, parents before their children.
    private func tree(_ parent: UInt32) -> [ObjectRecord] {
        records.values.filter { $0.header.parent == parent }
            .sorted { $0.header.number < $1.header.number }
            .flatMap { [$0] + tree($0.header.number) }
    }
}

/// A controller that saves the text of its text field.
final class FieldController: ViewController {
    let field = TextField()
    private(set) var loads = 0

    override func viewDidLoad() {
        super.viewDidLoad()
        loads += 1
        field.restorationIdentifier = "field"
        view.addSubview(field)
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(field.text, forKey: "text")
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        field.text = try coder.decode(String.self, forKey: "text") ?? ""
    }
}

extension ViewController {
    /// Creates a controller with an identifier, which is also its title.
    static func named(_ identifier: RestorationIdentifier?) -> Self {
        let controller = Self()
        controller.restorationIdentifier = identifier
        controller.title = identifier?.text ?? ""
        return controller
    }
}

/// Returns the lines that a view draws.
func lines(of view: View, width: Int = 20) -> [String] {
    var canvas = TextCanvas(width: width)
    view.draw(on: &canvas)
    return canvas.lines
}

/// A log of calls to controllers, in order.
final class CallLog {
    private(set) var calls: [String] = []

    func record(_ call: String) { calls.append(call) }

    /// Returns the calls since the last call to this method.
    func take() -> [String] {
        defer { calls = [] }
        return calls
    }
}

/// A controller that logs calls to its methods, together with its title.
class LoggingController: ViewController {
    var log: CallLog?

    static func named(_ identifier: RestorationIdentifier, _ log: CallLog) -> LoggingController {
        let controller = LoggingController.named(identifier)
        controller.log = log
        return controller
    }

    private func record(_ call: String) { log?.record("\(title) \(call)") }

    override func viewDidLoad() {
        super.viewDidLoad()
        record("did load")
    }

    override func viewWillAppear() { record("will appear") }
    override func viewDidAppear() { record("did appear") }
    override func viewWillDisappear() { record("will disappear") }
    override func viewDidDisappear() { record("did disappear") }

    override func willMove(toParent parent: ViewController?) {
        record("will move to \(parent?.title ?? "nothing")")
    }

    override func didMove(toParent parent: ViewController?) {
        record("did move to \(parent?.title ?? "nothing")")
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        record("decode")
    }

    override func applicationFinishedRestoringState() { record("finished") }
}

extension PassOutput {
    /// The objects that the pass recorded.
    var objects: [ObjectRecord] { records.objects.objects }
    /// The new headers of objects that have moved.
    var moves: [ObjectHeader] { records.placements }
    /// The numbers of the removed records.
    var removals: [UInt32] { records.removals }
    /// The bytes of all buffers that contain the objects' records.
    var values: [UInt8] { records.objects.buffers.flatMap(\.self) }
    /// The new names in the name table.
    var names: [(number: UInt32, text: String)] { records.names }
}
