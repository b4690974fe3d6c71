import ControllerKit
import Preservation
import StateRecords
import StateRestoration

@testable import Reprise

/// Scene with one controller, `main`, which has the views `list`, `pages`, `text` and `button`.
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
    let commands: SceneCommandRunner
    private let delegate = Delegate()

    /// Creates the scene.
    ///
    /// - Parameters:
    ///   - identifier: Restoration identifier of the controller.
    ///   - unnamed: Names of the views without a restoration identifier.
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
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        scene.makePass()
        commands = SceneCommandRunner(scene)
    }
}

extension Scene {
    /// Makes a pass, and makes its records available to checks, as an archive does.
    @discardableResult
    func makePass() -> PassOutput? {
        let pass = preserve(PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "T"))
        let (objects, previousValues) = (pass?.records.objects.objects ?? [], records.savedValues)
        records.savedValues = { number in
            objects.last { $0.header.number == number.rawValue }.map {
                SavedValues($0.values, outOfLine: $0.outOfLine.map(\.bytes))
            } ?? previousValues?(number)
        }
        return pass
    }
}

extension SceneCommandRunner {
    /// Makes the pass of a turn with one command, and returns why the command's change was not saved.
    ///
    /// - Parameter isNew: Whether the values that cannot be saved could be saved in the previous pass.
    func notSavedReason(_ check: @escaping PersistenceCheck, isNew: Bool = true) -> String? {
        notSavedReason([check], isNew: isNew)[0]
    }

    /// Makes the pass of a turn, and returns why the changes of its commands were not saved.
    func notSavedReason(_ checks: [PersistenceCheck], isNew: Bool = true) -> [String?] {
        let pass = scene.makePass()
        let losses = pass?.diagnostics.filter(\.isLoss).map { (diagnostic: $0, isNew: isNew) }
        let outcome = PassOutcome(losses: losses ?? [])
        return checks.map { $0(outcome) }
    }
}
