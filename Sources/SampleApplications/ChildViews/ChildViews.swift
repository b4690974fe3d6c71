import ControllerKit
public import Reprise
import StateRestoration

extension HostedApplication {
    /// A sample application in which a parent controller shows one of two children (A1).
    ///
    /// The user selects the child with a segmented control.
    public static let childViews = HostedApplication(
        bundleIdentifier: "org.reprise.ChildViews", bundleVersion: "1",
        storyboards: ["ChildViews.yaml"],
        registerClasses: { classes in
            classes.register(controller: ParentViewController.self)
            classes.register(controller: Child1ViewController.self)
            classes.register(controller: Child2ViewController.self)
        },
        makeDelegate: { resources in
            ChildViewsDelegate(storyboard: try resources.mainStoryboard())
        })
}

/// A delegate that enables saving and restoring and shows the storyboard's initial controller.
final class ChildViewsDelegate: ApplicationDelegate {
    private let storyboard: any Storyboard
    private(set) var window: Window?

    init(storyboard: any Storyboard) {
        self.storyboard = storyboard
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        let window = Window()
        window.rootViewController = try storyboard.instantiateInitialViewController()
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
