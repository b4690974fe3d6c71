import ControllerKit
public import Reprise
import StateRestoration

extension HostedApplication {
    /// A list of what somebody owns, without a storyboard: all in code (A3).
    public static let homepwner = HostedApplication(
        bundleIdentifier: "org.reprise.Homepwner", bundleVersion: "1",
        registerClasses: { classes in
            classes.register(controller: ItemsViewController.self)
            classes.register(controller: DetailViewController.self)
        },
        makeModel: { try DocumentList<Possession>($0, name: "Possessions.json") },
        makeDelegate: { resources in
            HomepwnerDelegate(store: try resources.model())
        })
}

/// Makes the window before anything is restored, the navigation controllers while it is, and the
/// default interface after it, if no root view controller was restored. Open to tests of what
/// happens without its finder.
class HomepwnerDelegate: ApplicationDelegate {
    let store: DocumentList<Possession>
    private(set) var window: Window?

    init(store: DocumentList<Possession>) {
        self.store = store
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
        window = Window()
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }

    /// Only navigation controllers come here: the other controllers have restoration classes.
    func application(
        _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
        coder: StateDecoder
    ) -> (any StateRestoring)? {
        let navigation = NavigationController()
        navigation.restorationIdentifier = path.components.last
        if path.components.count == 1 { window?.rootViewController = navigation }
        return navigation
    }

    func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) {
        // A new possession that is gone leaves nothing to show in its navigation controller.
        let presented = window?.rootViewController?.presentedViewController
        if (presented as? NavigationController)?.viewControllers.isEmpty == true {
            presented?.dismiss()
        }
        let root = window?.rootViewController as? NavigationController
        if root?.viewControllers.isEmpty ?? true {
            window?.rootViewController = NavigationController.homepwner(
                showing: ItemsViewController(store: store))
        }
        window?.makeKeyAndVisible()
    }
}

extension NavigationController {
    /// A navigation controller with its class's name as its restoration identifier.
    static func homepwner(showing root: ViewController) -> NavigationController {
        let navigation = NavigationController(rootViewController: root)
        navigation.restorationIdentifier = "NavigationController"
        return navigation
    }
}

extension BarButtonItem {
    /// A button with an identifier, by which commands reach it.
    static func named(
        _ identifier: RestorationIdentifier, _ title: String, _ action: @escaping () -> Void
    ) -> BarButtonItem {
        let button = BarButtonItem(title: title, action: action)
        button.restorationIdentifier = identifier
        return button
    }
}
