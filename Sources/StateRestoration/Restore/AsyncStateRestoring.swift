import Synchronization

/// An object whose restoration goes on after it has decoded, in async code: it connects anew, or reads what
/// its saved state names.
///
/// ```swift
/// extension Session: AsyncStateRestoring {
///     func finishRestoring(in scene: Scene) async throws {
///         connection = try await Connection.resume(ticket)
///     }
/// }
/// ```
public protocol AsyncStateRestoring: StateRestoring {
    /// Finishes the restoration of an object that has decoded, after `applicationFinishedRestoringState()`
    /// of all (R1). It runs on the application's actor, beside those of other objects.
    ///
    /// The launch is extended by it (R13): commands wait, and the program is not ready before, but no
    /// longer than the configured time; past that it goes on while the launch is over. For the same reason
    /// it cannot run commands of the application: what it needs of other objects it asks them, by way of
    /// `scene`.
    ///
    /// - Throws: why the object is not restored, which the launch's report tells as `decode-failed`. What was
    ///   saved of it stays until the object changes (R16).
    nonisolated(nonsending) func finishRestoring(in scene: Scene) async throws
}

/// What a launch still waits for: the rest of one object's restoration.
package struct RestorationFinish {
    /// The scene that is launched.
    let scene: Scene
    let object: any AsyncStateRestoring
    /// The object's restoration path, as it was saved.
    let path: String

    /// Finishes it, and completes the extension of the launch.
    package nonisolated(nonsending) func callAsFunction() async {
        do {
            try await object.finishRestoring(in: scene)
        } catch {
            object.restoration.record.isUnrestored = true
            scene.reportUnfinished(path, String(describing: error))
        }
        scene.completeStateRestoration()
    }
}

/// Tells from anywhere whether a launch is over.
package final class LaunchEnd: Sendable {
    private let value = Atomic(false)

    /// Whether the launch has completed, also because the time for it was over.
    package var isReached: Bool { value.load(ordering: .relaxed) }

    func reach() { value.store(true, ordering: .relaxed) }
}
