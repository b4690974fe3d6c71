import ExactText
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
    /// of all (R1). It runs on the application's actor, beside those of other objects, and is cancelled when
    /// the scene ends.
    ///
    /// The launch is extended by it (R13): commands wait, and the program is not ready before, but no
    /// longer than the configured time. If it has not returned then the launch is over without it; what was
    /// saved of the object stays until it returns, or the object changes. It runs no commands that wait for
    /// the launch: they would wait for each other, and are refused. What it needs of other objects it asks
    /// them, by way of `scene`; what is to run commands later is a task of its own (`Task.detached`).
    ///
    /// - Throws: why the object is not restored, which the launch's report tells as `decode-failed`. What was
    ///   saved of it stays until the object changes (R16).
    nonisolated(nonsending) func finishRestoring(in scene: Scene) async throws
}

/// The objects whose restoration goes on when a launch has run, which waits for them.
struct UnfinishedObjects {
    /// An object, with the path that it was saved under.
    struct Entry {
        let object: any AsyncStateRestoring
        let path: String
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// Those that nobody has begun to finish, in the order of their records.
    private var waiting: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Their paths, sorted.
    var paths: [String] { entries.values.map(\.path).sorted() }

    mutating func insert(_ entry: Entry) {
        entries[ObjectIdentifier(entry.object)] = entry
        waiting.append(entry)
    }

    /// Takes those that nobody has begun to finish.
    mutating func takeWaiting() -> [Entry] {
        defer { waiting = [] }
        return waiting
    }

    /// An object has finished; false if nobody waits for it any more.
    mutating func remove(_ entry: Entry) -> Bool {
        entries.removeValue(forKey: ObjectIdentifier(entry.object)) != nil
    }

    /// Nobody waits for them any more.
    mutating func removeAll() -> [any AsyncStateRestoring] {
        defer { self = UnfinishedObjects() }
        return entries.values.map(\.object)
    }
}

extension Scene {
    /// The paths of the objects that the launch waits for, a few at most.
    package var unfinishedPaths: [String] {
        let paths = unfinished.paths
        return paths.prefix(10) + (paths.count > 10 ? ["and \(paths.count - 10) more"] : [])
    }

    /// The restorations that go on. Each is to be run once, on the application's actor; it gives a sentence
    /// if it failed after the time for the launch was over, so that the report does not tell it.
    package func takeFinishes() -> [() async -> String?] {
        unfinished.takeWaiting().map { entry in
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
        guard unfinished.remove(entry) else {
            if let reason { return "\(entry.path) could not finish its restoration: \(reason)" }
            entry.object.invalidateRestorableState()
            return nil
        }
        if let reason {
            entry.object.restoration.record.isUnrestored = true
            reportUnfinished(entry.path, "it could not finish its restoration: \(reason)")
        }
        completeIfNothingExtends()
        return nil
    }
}

/// Tells from anywhere whether a launch is over.
package final class LaunchEnd: Sendable {
    private let value = Atomic(false)

    /// Whether the launch has completed, also because the time for it was over, or was given up.
    package var isReached: Bool { value.load(ordering: .relaxed) }

    func reach() { value.store(true, ordering: .relaxed) }
}
