import ControllerKit
public import Reprise
import StateRestoration

extension HostedApplication {
    /// A sample application with a list of items and a controller that shows an item's details (A2).
    public static let stateRestore = HostedApplication(
        bundleIdentifier: "org.reprise.StateRestore", bundleVersion: "1",
        storyboards: ["StateRestore.yaml"],
        registerClasses: { classes in
            classes.register(controller: ItemListViewController.self)
            classes.register(controller: ItemViewController.self)
        },
        makeModel: { try DocumentList<Item>($0) },
        makeDelegate: { resources in
            StateRestoreDelegate(
                storyboard: try resources.mainStoryboard(),
                store: try resources.model())
        })
}

/// A delegate that enables saving and restoring and passes the list of items to the controllers.
final class StateRestoreDelegate: ApplicationDelegate {
    let storyboard: any Storyboard
    let store: DocumentList<Item>
    private(set) var window: Window?

    init(storyboard: any Storyboard, store: DocumentList<Item>) {
        self.storyboard = storyboard
        self.store = store
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let root = try storyboard.instantiateInitialViewController()
        guard let list = root.children.first as? ItemListViewController else {
            throw IncompatibleStoryboard(name: storyboard.name)
        }
        list.store = store
        let window = Window()
        window.rootViewController = root
        window.makeKeyAndVisible()
        self.window = window
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }
}

/// An error for a storyboard whose initial controller's first child is not an ``ItemListViewController``.
struct IncompatibleStoryboard: Error, CustomStringConvertible {
    let name: String

    var description: String {
        "the storyboard \(name) does not begin with a controller whose first child is an "
            + "ItemListViewController: set `initial` to such a controller"
    }
}
