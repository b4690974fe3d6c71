import ExactText
import Preservation
import Synchronization
import Varlink

/// Drawing of a scene in one width, rendered once for all clients that follow the scene in that width.
final class SharedDrawing: Sendable {
    /// Drawing at one point in time. Two drawings are equal if they look the same.
    struct Drawn: Sendable, Equatable {
        let scene: SceneDrawing
        /// Time at which the scene was drawn.
        let moment: ContinuousClock.Instant
        /// Number of the drawing among the drawings of this scene, or 0 for a drawing that was made for a single
        /// client.
        fileprivate var number = 0
        /// Reply to a client that has the previous drawing.
        fileprivate var changes: [UInt8] = []

        static func == (one: Drawn, other: Drawn) -> Bool { one.scene == other.scene }
    }

    /// Application, scene and width of a drawing.
    struct Key: Hashable {
        let application: String
        let scene: String
        let columns: Int
    }

    /// Minimum time between two drawings.
    private static let pause = Duration.milliseconds(8)

    let key: Key
    /// Broadcast that is sent after each new drawing, and that finishes when no more drawings follow.
    let changes = Broadcast()
    private let newest = Mutex<Drawn?>(nil)

    fileprivate init(_ key: Key) { self.key = key }

    /// Draws the scene after each turn that may have changed it, until the task is cancelled or the scene is
    /// closed.
    fileprivate func draw(
        _ application: Application, in queue: DrawingQueue, _ clock: any Clock<Duration>
    ) async {
        defer { changes.finish() }
        let follower = Follower(application: application, clock: clock, pause: Self.pause)
        do {
            try await follower.follow { (_: Drawn?) in
                try await queue.run {
                    try await application.drawing(
                        of: key.scene, columns: key.columns, launches: false)
                }
            } deliver: { drawn, last in
                var drawn = drawn
                if let last {
                    drawn.changes = try JSONText.write(drawn.scene.changes(since: last.scene))
                }
                newest.withLock { newest in
                    drawn.number = (newest?.number ?? 0) + 1
                    newest = drawn
                }
                changes.send()
            }
        } catch {
            // Each follower then checks the application itself and reports the reason.
        }
    }

    /// Returns the newest drawing and the reply to a client that has an earlier drawing, or `nil` if there is no newer
    /// drawing.
    ///
    /// The reply is `nil` if both drawings look the same.
    func changes(since last: Drawn) throws -> (drawn: Drawn, json: [UInt8]?)? {
        // If the client has already received a newer drawing, another drawing will follow.
        guard let drawn = newest.withLock({ $0 }), drawn.moment > last.moment else { return nil }
        if drawn.number > 1, last.number == drawn.number - 1 { return (drawn, drawn.changes) }
        if drawn == last { return (drawn, nil) }
        return (drawn, try JSONText.write(drawn.scene.changes(since: last.scene)))
    }
}

extension Application {
    /// Returns a drawing of the current state of a scene.
    func drawing(
        of scene: String?, columns: Int, launches: Bool
    ) async throws -> SharedDrawing.Drawn {
        try await inspect(on: scene, launches: launches) {
            SharedDrawing.Drawn(scene: SceneCommands($0).drawing(columns: columns), moment: .now)
        }.result
    }
}

/// Drawings of the scenes that clients follow.
final class SharedDrawings: Sendable {
    private struct Entry {
        let drawing: SharedDrawing
        var task: Task<Void, Never>?
        var followers = 1
    }

    private let clock: any Clock<Duration>
    private let executor: any TaskExecutor
    private let entries = Mutex<[SharedDrawing.Key: Entry]>([:])
    /// Drawing queues, keyed by bundle identifier.
    private let queues = Mutex<[ExactString: DrawingQueue]>([:])

    /// Creates an empty collection.
    ///
    /// - Parameter executor: Executor that renders the drawings.
    init(clock: any Clock<Duration>, executor: any TaskExecutor) {
        self.clock = clock
        self.executor = executor
    }

    /// Joins the drawing of a scene, and starts it if it is not yet active.
    func join(_ scene: String, columns: Int, of application: Application) -> SharedDrawing {
        let key = SharedDrawing.Key(
            application: application.bundleIdentifier, scene: scene, columns: columns)
        let new = SharedDrawing(key)
        let known = entries.withLock { entries in
            entries[key]?.followers += 1
            defer { if entries[key] == nil { entries[key] = Entry(drawing: new) } }
            return entries[key]?.drawing
        }
        if let known { return known }
        let queue = queue(of: application)
        // The task starts immediately, so that it receives each turn from now on.
        let task = Task.immediate(executorPreference: executor) { [self, clock] in
            await new.draw(application, in: queue, clock)
            // Clients that join later start a new drawing.
            change(new) { $0 = nil }
        }
        change(new) { $0?.task = task }
        return new
    }

    /// Leaves a drawing. After the last client has left, the scene is no longer drawn.
    func leave(_ drawing: SharedDrawing) {
        var task: Task<Void, Never>?
        change(drawing) { entry in
            entry?.followers -= 1
            guard entry?.followers == 0 else { return }
            task = entry?.task
            entry = nil
        }
        // Cancels outside the lock, because a cancellation handler of the task may acquire it.
        task?.cancel()
    }

    private func queue(of application: Application) -> DrawingQueue {
        queues.withLock { queues in
            let key = ExactString(application.bundleIdentifier)
            let queue = queues[key] ?? DrawingQueue(clock: clock)
            queues[key] = queue
            return queue
        }
    }

    private func change(_ drawing: SharedDrawing, _ body: (inout Entry?) -> Void) {
        entries.withLock { entries in
            if entries[drawing.key]?.drawing === drawing { body(&entries[drawing.key]) }
        }
    }
}
