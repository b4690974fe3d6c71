import ExactText

/// An object that decides whether a scene is preserved and restored, and that creates the scene's base objects.
///
/// Each scene has its own delegate (S1), which the application's factory creates. The methods have the same names as
/// their counterparts in UIKit. Their `scene` parameter replaces UIKit's `UIApplication` parameter.
public protocol RestorationDelegate: AnyObject {
    /// Root view controller of the window (P5), or `nil` if the scene has none.
    var restorationRoot: (any StateRestoring)? { get }

    /// Creates the window and the objects that restoration expects to exist (R1).
    ///
    /// This is the first method that a launch calls, before anything is restored.
    ///
    /// - Throws: The error that prevents the scene from launching. Nothing is saved in that case (P17).
    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws

    /// Finishes the launch after everything has been restored (R1).
    ///
    /// This method is called at the end of a launch, before ``sceneDidLaunch(_:)``.
    ///
    /// - Throws: The error that prevents the scene from launching. Nothing is saved in that case (P17).
    func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) throws

    /// Observer that is notified before the delegate when a launch has completed, or `nil` if there is none.
    ///
    /// ControllerKit's delegates have an observer that makes the window's controllers appear.
    var launchObserver: LaunchObserver? { get }

    /// Called when the launch has completed, including any extensions (R13).
    func sceneDidLaunch(_ scene: Scene)

    /// Called after the last pass when the scene is closed cleanly or replaced by another scene.
    func applicationWillTerminate(_ scene: Scene)

    /// Returns a text rendering of the scene to store with the saved state.
    ///
    /// The rendering shows the user what an earlier state would restore. It is requested in every full pass except the
    /// first pass after a launch. Text larger than ``SceneSnapshot/maximumBytes`` is not stored.
    ///
    /// - Returns: The text, or `nil` if there is nothing to show.
    func snapshot(of scene: Scene) -> String?

    /// Returns whether to save state (P1).
    ///
    /// Every pass calls this method.
    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool

    /// Returns whether to restore the saved state (P1).
    ///
    /// A launch that has state to restore calls this method once.
    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool

    /// Finds or creates a recorded view controller that has no restoration class (R3).
    ///
    /// - Returns: The view controller, or `nil` to continue the search.
    /// - Throws: An error, such as a ``RestorationError``, if the view controller must not be restored. The report
    ///   contains the error.
    func application(
        _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
        coder: StateDecoder
    ) throws -> (any StateRestoring)?

    /// Stores application-level values.
    ///
    /// The four delegate methods that receive a coder share one namespace (P2).
    func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder)

    /// Restores application-level values, after every object has decoded (R1).
    func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder)
}

extension RestorationDelegate {
    /// The default is `nil`, for a scene that has only registered objects.
    public var restorationRoot: (any StateRestoring)? { nil }
    /// Does nothing.
    public func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {}
    /// Does nothing.
    public func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) throws {}
    /// The default is `nil`, so no observer is notified.
    public var launchObserver: LaunchObserver? { nil }
    /// Does nothing.
    public func sceneDidLaunch(_ scene: Scene) {}
    /// Does nothing.
    public func applicationWillTerminate(_ scene: Scene) {}
    /// Returns `nil`, so no snapshot is stored.
    public func snapshot(of scene: Scene) -> String? { nil }
    /// Returns `false`, because applications must opt in to saving (P1).
    public func application(
        _ scene: Scene, shouldSaveApplicationState coder: StateEncoder
    ) -> Bool { false }
    /// Returns `nil`, so the search for the view controller continues (R3).
    public func application(
        _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
        coder: StateDecoder
    ) -> (any StateRestoring)? { nil }
    /// Returns `false`, because applications must opt in to restoring (P1).
    public func application(
        _ scene: Scene, shouldRestoreApplicationState coder: StateDecoder
    ) -> Bool { false }
    /// Does nothing.
    public func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder) {}
    /// Does nothing.
    public func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder) {}
}

/// A type that creates view controllers from storyboards.
///
/// A launch creates a recorded view controller from its storyboard if the controller is not found in any other way
/// (R3).
public protocol StoryboardInstantiating {
    /// Creates a view controller from a storyboard.
    ///
    /// - Returns: The new view controller, or `nil` if the storyboard or the identifier is unknown.
    func instantiateViewController(_ origin: StoryboardOrigin) -> (any StateRestoring)?
}

/// An action that a framework performs when a scene's launch has completed, before the delegate is notified.
///
/// Only frameworks in this package can create observers, so an application cannot accidentally replace one.
public struct LaunchObserver {
    package let sceneDidLaunch: () -> Void

    /// Creates an observer.
    ///
    /// - Parameter sceneDidLaunch: A closure that is called once when the launch has completed, before the delegate's
    ///   ``RestorationDelegate/sceneDidLaunch(_:)``.
    package init(sceneDidLaunch: @escaping () -> Void) {
        self.sceneDidLaunch = sceneDidLaunch
    }
}

/// A class that finds or creates recorded objects during a launch (R3, R7).
///
/// An object's record contains the name of its restoration class, so the class must be registered in the application's
/// ``ClassRegistry``.
public protocol ObjectRestoration {
    /// Finds or creates the object for a restoration path.
    ///
    /// - Parameters:
    ///   - path: The path under which the object was saved.
    ///   - coder: A decoder for the object's saved state. It also provides access to the scene that is being restored.
    /// - Returns: The object, or `nil` to omit the object and all objects below it.
    /// - Throws: An error, such as a ``RestorationError``, if there is no object to return. The report contains the
    ///   error.
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) throws -> (any StateRestoring)?
}

/// An error that explains why a restoration class, a delegate or a parent returns no object (R3).
///
/// Throw an error of this type instead of returning `nil`:
///
/// ```swift
/// guard let item = store[id] else { throw RestorationError.gone }
/// ```
public enum RestorationError: Error, Equatable, CustomStringConvertible {
    /// The object no longer exists, for example because the user deleted the item that it showed.
    ///
    /// The object's record is removed, together with the records of the objects below it and, in a navigation stack,
    /// the objects above it. No warning is logged, and no state is retained.
    case gone
    /// The object cannot be created at present.
    ///
    /// The associated value is the reason. It appears in the report. The record is retained for the next launch, as if
    /// the method had returned `nil` (R16).
    case declined(String)

    /// The reason in words, for use within a sentence.
    public var description: String {
        switch self {
        case .gone: "it was removed on purpose"
        case .declined(let reason): reason
        }
    }
}
