import ControllerKit
public import Reprise
import StateRestoration

extension HostedApplication {
    /// A sample application with three tabs, which show a picture, web pages, and notes (A4).
    public static let scrapbook = HostedApplication(
        bundleIdentifier: "org.reprise.Scrapbook", bundleVersion: "2",
        storyboards: ["Scrapbook.yaml"],
        registerClasses: { classes in
            classes.register(controller: PictureViewController.self)
            classes.register(controller: WebViewController.self)
            classes.register(controller: NotesViewController.self)
            classes.register(Clipboard.self)
        },
        makeDelegate: { resources in
            ScrapbookDelegate(storyboard: try resources.mainStoryboard())
        })
}

/// A delegate that enables saving and refuses state saved by version 1.
///
/// The delegate saves the number of launches as an application-level value. It also registers the clipboard, so that
/// the clipboard is preserved.
final class ScrapbookDelegate: ApplicationDelegate {
    private let storyboard: any Storyboard
    private let clipboard = Clipboard()
    private var launchCount = 0
    private(set) var window: Window?

    init(storyboard: any Storyboard) {
        self.storyboard = storyboard
    }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
        try scene.registerObject(
            forStateRestoration: clipboard, restorationIdentifier: "clipboard")
        let window = Window()
        let root = try storyboard.instantiateInitialViewController()
        for case let notes as NotesViewController in root.children { notes.clipboard = clipboard }
        window.rootViewController = root
        window.makeKeyAndVisible()
        self.window = window
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    /// Refuses state saved by version 1, which stored different values under the same keys (L6).
    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        coder.passMetadata.bundleVersion != "1"
    }

    func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder) {
        coder.encode(launchCount, forKey: "timesOpened")
        coder.excludeFromHistory(forKey: "timesOpened")
    }

    func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder) {
        launchCount = (try? coder.decode(Int.self, forKey: "timesOpened")) ?? 0
    }

    func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) {
        launchCount += 1
        scene.invalidateApplicationState()
        let times = launchCount == 1 ? "once" : "\(launchCount) times"
        window?.rootViewController?.title = "Scrapbook, opened \(times)"
    }
}

/// Text that the user has copied.
///
/// The clipboard is neither a controller nor a view. It is preserved because the delegate registers it.
final class Clipboard: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("text") var text = ""

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$text)
    }

    func encodeRestorableState(with coder: StateEncoder) {}

    func decodeRestorableState(with coder: StateDecoder) {}
}
