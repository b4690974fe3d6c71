import ControllerKit
import Preservation
import StateRestoration

@testable import Reprise

/// A scene with one controller, `main`, whose views `list`, `pages`, `text` and `button` are operated.
struct OperatedScene {
    private final class Delegate: ApplicationDelegate {
        let window: Window? = Window()

        func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
            window?.makeKeyAndVisible()
        }

        func application(
            _ scene: Scene, shouldSaveApplicationState coder: StateEncoder
        ) -> Bool { true }
    }

    let controller = OperatedController()
    let commands: SceneCommands
    private let delegate = Delegate()

    /// - Parameters:
    ///   - identifier: the controller's.
    ///   - unnamed: the views without an identifier, by their names.
    init(identifier: RestorationIdentifier? = "main", unnamed: Set<String> = []) throws {
        controller.restorationIdentifier = identifier
        let views: [(RestorationIdentifier, View)] = [
            ("list", controller.list), ("pages", controller.pages), ("text", controller.text),
            ("button", controller.button),
        ]
        for (name, view) in views where !unnamed.contains(name.text) {
            view.restorationIdentifier = name
        }
        delegate.window?.rootViewController = controller
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: delegate, classes: .controllerKit,
            records: SceneRecords(names: NameTable(), numbering: RecordNumbering()))
        try scene.launch(restoring: nil)
        _ = scene.preserve(PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: "T"))
        commands = SceneCommands(scene)
    }
}

extension SceneCommands {
    /// Makes the pass of a command's turn, and has its change judged.
    ///
    /// - Parameter isNew: whether what cannot be saved could be before.
    func judged(_ verdict: @escaping ChangeVerdict, isNew: Bool = true) -> String? {
        judged([verdict], isNew: isNew)[0]
    }

    /// Makes the pass of a turn, and has the changes of its commands judged.
    func judged(_ verdicts: [ChangeVerdict], isNew: Bool = true) -> [String?] {
        let pass = scene.preserve(PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: "T"))
        let losses = pass?.diagnostics.filter(\.isLoss).map { (diagnostic: $0, isNew: isNew) }
        return verdicts.map { $0(TurnEvidence(losses: losses ?? [])) }
    }
}
