/// What a framework between the engine and an application does when a scene's launch has completed.
///
/// Only a framework of this package can make one, so that no delegate takes its place by chance.
public struct LaunchObserver {
    package let sceneDidLaunch: () -> Void

    /// - Parameter sceneDidLaunch: runs once, when the launch has completed, before the delegate's
    ///   own ``RestorationDelegate/sceneDidLaunch(_:)``.
    package init(sceneDidLaunch: @escaping () -> Void) {
        self.sceneDidLaunch = sceneDidLaunch
    }
}
