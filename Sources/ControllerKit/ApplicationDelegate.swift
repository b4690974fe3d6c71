public import StateRestoration

/// Decides over an application's scene and makes its window.
///
/// `application(_:willFinishLaunchingWith:)` makes the window and calls
/// ``Window/makeKeyAndVisible()``; `application(_:didFinishLaunchingWith:)` makes what was not
/// restored (R1).
public protocol ApplicationDelegate: RestorationDelegate {
    /// The scene's window; nil before the launch made it, and the same one from then on.
    var window: Window? { get }
}

extension ApplicationDelegate {
    /// The window's root view controller (P5).
    public var restorationRoot: (any StateRestoring)? { window?.rootViewController }

    /// Lets the window's controllers appear.
    public var launchObserver: LaunchObserver? {
        LaunchObserver { [weak self] in self?.window?.sceneDidLaunch() }
    }
}
