import ControllerKit
import StateRecords
import StateRestoration
import Storyboards
import Testing

/// A scene whose interface is created from storyboards, and which can be saved and launched again.
struct StoryboardApplication {
    let storyboards: StoryboardCollection
    let root: ViewController
    let scene: Scene
    private let window = Window()
    private let names: NameTable

    /// Launches the initial controller of the first storyboard, and restores the state that another application saves.
    init(
        _ yamls: [String], restoring other: StoryboardApplication? = nil,
        classes: ClassRegistry = .testing
    ) throws {
        storyboards = try StoryboardCollection(
            yamls.map { try StoryboardDefinition(yaml: Array($0.utf8), file: "in.yaml") },
            classes: classes)
        root = try #require(storyboards.storyboards.first).instantiateInitialViewController()
        window.rootViewController = root
        let saved = try other.map { try $0.saved() }
        names = other?.names ?? NameTable()
        scene = Scene(
            name: "main", launchReason: saved == nil ? .pristine : .restore,
            delegate: Delegate(window), classes: classes,
            records: SceneRecords(
                names: names, numbering: RecordNumberGenerator(after: saved == nil ? 0 : 1000)))
        try scene.launch(restoring: saved, storyboards: storyboards)
    }

    /// Returns the view at a path, as a command finds it.
    func view<Found: View>(at address: String, _ type: Found.Type = Found.self) throws -> Found {
        try #require(TreeSurvey(scene).object(at: address) as? Found)
    }

    private func saved() throws -> SavedScene {
        let pass = try #require(
            scene.preserve(
                PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: ""), .everything()))
        func tree(_ parent: UInt32) -> [ObjectRecord] {
            pass.objects.filter { $0.header.parent == parent }.flatMap { record in
                [record] + tree(record.header.number)
            }
        }
        return SavedScene(RecordList(tree(0)), timestamp: 0)
    }

    private final class Delegate: ApplicationDelegate {
        let window: Window?

        init(_ window: Window) {
            self.window = window
        }

        func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
            window?.makeKeyAndVisible()
        }

        func application(
            _ scene: Scene, shouldSaveApplicationState coder: StateEncoder
        ) -> Bool { true }

        func application(
            _ scene: Scene, shouldRestoreApplicationState coder: StateDecoder
        ) -> Bool { true }
    }
}

extension PassOutput {
    /// The objects that the pass encoded.
    var objects: [ObjectRecord] { records.objects.objects }
}
