import ControllerKit
public import Reprise
import StateRestoration

extension HostedApplication {
    /// A sample application that lists possessions and creates its interface in code, without a storyboard (A3).
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

/// A delegate that creates the window and the navigation controllers.
///
/// The delegate creates the window before restoration and the navigation controllers during restoration. If no root
/// view controller is restored, it then creates the default interface. The class is not final, so that tests can
/// override the method that creates the navigation controllers.
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

    /// Creates a navigation controller.
    ///
    /// The engine calls this method only for navigation controllers, because the other controllers have restoration
    /// classes.
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
        // If a new possession no longer exists, the navigation controller that showed it is empty.
        let presentedController = window?.rootViewController?.presentedViewController
        if (presentedController as? NavigationController)?.viewControllers.isEmpty == true {
            presentedController?.dismiss()
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
    /// Creates a navigation controller whose restoration identifier is the name of its class.
    static func homepwner(showing root: ViewController) -> NavigationController {
        let navigation = NavigationController(rootViewController: root)
        navigation.restorationIdentifier = "NavigationController"
        return navigation
    }
}

extension BarButtonItem {
    /// Creates a button with a restoration identifier, so that commands can address the button.
    static func named(
        _ identifier: RestorationIdentifier, _ title: String, _ action: @escaping () -> Void
    ) -> BarButtonItem {
        let button = BarButtonItem(title: title, action: action)
        button.restorationIdentifier = identifier
        return button
    }
}
