import ExactText

/// What decides over a scene's preservation and restoration, and makes its base objects.
///
/// Each scene has an instance of its own (S1), made by the application's factory. In every method
/// `scene` is what a running application is to UIKit, whose names the methods keep.
public protocol RestorationDelegate: AnyObject {
    /// The root of the scene's objects: the window's root view controller (P5).
    var restorationRoot: (any StateRestoring)? { get }

    /// The first call of a launch, before anything is restored: makes the window and the objects
    /// that restoring finds (R1).
    ///
    /// - Throws: what keeps the scene from launching. Nothing is saved then (P17).
    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws

    /// The last call of a launch, after everything was restored (R1).
    ///
    /// - Throws: what keeps the scene from launching. Nothing is saved then (P17).
    func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) throws

    /// Observer that is notified before the delegate that the launch has completed; nil:
    /// nothing. ControllerKit's delegates have one that lets the window's controllers appear.
    var launchObserver: LaunchObserver? { get }

    /// The launch has completed, also one that was extended (R13).
    func sceneDidLaunch(_ scene: Scene)

    /// The scene ends in an orderly way, or another has taken its place; its last pass was made.
    func applicationWillTerminate(_ scene: Scene)

    /// How the scene looks, as text: kept with what is saved of it, so that a person sees what an
    /// earlier state would bring. Asked when every object is looked at, but not at a launch. At most
    /// ``SceneSnapshot/mostBytes`` bytes; a longer one is not kept.
    ///
    /// - Returns: nil: there is nothing to see.
    func snapshot(of scene: Scene) -> String?

    /// Whether to save at all; asked at every pass (P1).
    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool

    /// Whether to restore what was saved; asked once in a launch that has something to restore
    /// (P1).
    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool

    /// Finds or makes a recorded view controller that has no restoration class (R3).
    ///
    /// - Returns: nil if it is to be looked for in other ways.
    /// - Throws: the reason for which it is not to be restored at all: a ``RestorationError``, or
    ///   any other error, which the report tells.
    func application(
        _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
        coder: StateDecoder
    ) throws -> (any StateRestoring)?

    /// Stores application-level values, in the namespace shared by the four calls with a coder
    /// (P2).
    func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder)

    /// Takes application-level values back, after every object has decoded (R1).
    func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder)
}

extension RestorationDelegate {
    /// No root: the scene has registered objects alone.
    public var restorationRoot: (any StateRestoring)? { nil }
    /// Does nothing.
    public func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {}
    /// Does nothing.
    public func application(_ scene: Scene, didFinishLaunchingWith reason: LaunchReason) throws {}
    /// Nil: nothing else is told.
    public var launchObserver: LaunchObserver? { nil }
    /// Does nothing.
    public func sceneDidLaunch(_ scene: Scene) {}
    /// Does nothing.
    public func applicationWillTerminate(_ scene: Scene) {}
    /// Nil: there is nothing to see.
    public func snapshot(of scene: Scene) -> String? { nil }
    /// False: saving is opted in to (P1).
    public func application(
        _ scene: Scene, shouldSaveApplicationState coder: StateEncoder
    ) -> Bool { false }
    /// Nil: view controllers are looked for in other ways (R3).
    public func application(
        _ scene: Scene, viewControllerWithRestorationIdentifierPath path: RestorationPath,
        coder: StateDecoder
    ) -> (any StateRestoring)? { nil }
    /// False: restoring is opted in to (P1).
    public func application(
        _ scene: Scene, shouldRestoreApplicationState coder: StateDecoder
    ) -> Bool { false }
    /// Does nothing.
    public func application(_ scene: Scene, willEncodeRestorableStateWith coder: StateEncoder) {}
    /// Does nothing.
    public func application(_ scene: Scene, didDecodeRestorableStateWith coder: StateDecoder) {}
}

/// The last way to find a view controller that was recorded: its storyboard makes it anew (R3).
public protocol StoryboardFinding {
    /// A new view controller from a storyboard; nil if storyboard or identifier is unknown to it.
    func instantiateViewController(_ origin: StoryboardOrigin) -> (any StateRestoring)?
}

/// Action of a framework between the engine and an application when a scene's launch has completed.
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

/// Finds or makes an object that was recorded with this class as its restoration class (R3, R7).
///
/// The class is recorded under its token, so it has to be in the application's ``ClassRegistry``.
public protocol ObjectRestoration {
    /// The object for a restoration path; nil drops the object, and everything below it.
    ///
    /// - Parameters:
    ///   - path: the path under which the object was saved.
    ///   - coder: what was saved of the object, and the scene that is restored.
    /// - Throws: the reason for which there is no object: a ``RestorationError``, or any other
    ///   error, which the report tells.
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) throws -> (any StateRestoring)?
}

/// The reason for which a restoration class, or a delegate as a finder, gives no object (R3).
///
/// Throw one where you would return nil:
///
/// ```swift
/// guard let item = store[id] else { throw RestorationError.gone }
/// ```
public enum RestorationError: Error, Equatable, CustomStringConvertible {
    /// The object is gone on purpose: a person deleted what it showed. Its record goes, with all
    /// below it and, in a navigation stack, above it. Nobody is warned, and nothing is kept.
    case gone
    /// The object cannot be made now, for this reason, a clause that the report tells. Its record
    /// is kept and offered again, as when nil is returned (R16).
    case declined(String)

    /// The reason as a clause.
    public var description: String {
        switch self {
        case .gone: "it is gone on purpose"
        case .declined(let reason): reason
        }
    }
}
