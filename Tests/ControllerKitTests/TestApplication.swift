import ControllerKit
import StateRestoration

/// A scene with a window, saved and launched again.
final class TestApplication: ApplicationDelegate {
    let window: Window?
    private(set) var scene: Scene?
    private(set) var output: PassOutput?

    init(_ root: ViewController) {
        let window = Window()
        window.rootViewController = root
        self.window = window
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
        window?.makeKeyAndVisible()
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }

    /// Launches the scene, with what another saved.
    @discardableResult
    func launch(
        restoring other: TestApplication? = nil, storyboards: (any StoryboardFinding)? = nil
    ) throws -> RestorationReport {
        let saved = other.flatMap(\.saved)
        let scene = Scene(
            name: "main", launchReason: saved == nil ? .pristine : .restore, delegate: self,
            classes: .controllerKit,
            records: SceneRecords(
                names: NameTable(other?.names ?? [:]), numbering: RecordNumbering(after: 1000)))
        try scene.launch(restoring: saved, storyboards: storyboards)
        self.scene = scene
        return scene.report
    }

    /// Makes the first pass, which writes everything.
    @discardableResult
    func save() -> PassOutput? {
        output = scene?.preserve(
            PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: ""), isFull: true)
        return output
    }

    private var names: [UInt32: String] {
        Dictionary(uniqueKeysWithValues: (output?.names ?? []).map { ($0.number, $0.text) })
    }

    private var saved: SavedScene? {
        guard let output, let scene = output.objects.first(where: { $0.header.kind == .scene })
        else {
            return nil
        }
        func tree(_ parent: RecordNumber) -> [SavedRecord] {
            output.objects.filter { $0.header.parent == parent }.flatMap { record in
                [SavedRecord(header: record.header, values: output.values[record.values])]
                    + tree(record.header.number)
            }
        }
        return SavedScene(
            number: scene.header.number, values: output.values[scene.values], timestamp: 0,
            records: tree(scene.header.number))
    }
}

/// A controller whose view has one text field, whose text it saves.
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
    /// A controller with an identifier.
    static func named(_ identifier: RestorationIdentifier?) -> Self {
        let controller = Self()
        controller.restorationIdentifier = identifier
        controller.title = identifier?.text ?? ""
        return controller
    }
}

/// The lines that a view draws.
func lines(of view: View, width: Int = 20) -> [String] {
    var canvas = TextCanvas(width: width)
    view.draw(on: &canvas)
    return canvas.lines
}
