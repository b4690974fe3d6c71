import ExactText
import Synchronization

/// An object whose restoration continues asynchronously after it has decoded its state.
///
/// For example, the object reopens a connection or reads a file that its saved state identifies.
///
/// ```swift
/// extension Session: AsyncStateRestoring {
///     func finishRestoring(in scene: Scene) async throws {
///         connection = try await Connection.resume(ticket)
///     }
/// }
/// ```
public protocol AsyncStateRestoring: StateRestoring {
    /// Finishes the restoration of this object after it has decoded its state.
    ///
    /// The method runs on the application's actor, after `applicationFinishedRestoringState()` has been called on all
    /// objects (R1) and concurrently with the same method of other objects. Its task is cancelled when the scene ends.
    ///
    /// The method extends the launch until it returns or the configured timeout expires (R13). Until then, commands
    /// wait, and the daemon is not ready. If the timeout expires, the launch completes without this object, and the
    /// object's saved state is retained until the method returns or the object changes.
    ///
    /// The method must not run commands that wait for the launch. Such commands are rejected, because they would cause
    /// a deadlock. The method can access other objects through `scene`. To run commands later, start a separate task
    /// with `Task.detached`.
    ///
    /// - Throws: The reason why the object is not restored. The reason is reported as `decode-failed`, and the object's
    ///   saved state is retained until the object changes (R16).
    nonisolated(nonsending) func finishRestoring(in scene: Scene) async throws
}

extension Collection<String> {
    /// The first ten elements. If there are more, a further element states the number of omitted elements.
    package var abridged: [String] {
        prefix(10) + (count > 10 ? ["and \(count - 10) more"] : [])
    }
}

extension Scene {
    /// Paths of the objects for which the launch is waiting, abridged to the first ten.
    package var unfinishedPaths: [String] { unfinishedObjects.paths.abridged }

    /// Removes all pending restorations, and returns a closure for each.
    ///
    /// The caller must run each closure once, on the application's actor. If a restoration fails after the launch has
    /// timed out, its closure returns a message, because the report does not contain the failure.
    package func consumePendingRestorations() -> [() async -> String?] {
        unfinishedObjects.popPendingEntries().map { entry in
            { [weak self] in
                guard let self else { return nil }
                do {
                    try await entry.object.finishRestoring(in: self)
                    return finish(entry, because: nil)
                } catch {
                    return finish(entry, because: String(describing: error))
                }
            }
        }
    }

    private func finish(_ entry: UnfinishedObjects.Entry, because reason: String?) -> String? {
        if hasEnded { return nil }
        guard unfinishedObjects.remove(entry) else {
            if let reason { return "\(entry.path) could not finish its restoration: \(reason)" }
            entry.object.invalidateRestorableState()
            return nil
        }
        if let reason {
            records.retainUnrestoredState(of: entry.object.restoration)
            reportUnfinished(entry.path, "it could not finish its restoration: \(reason)")
        }
        completeLaunchIfNotExtended()
        return nil
    }
}
