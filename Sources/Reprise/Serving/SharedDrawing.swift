import ExactText
import Preservation
import Synchronization
import Varlink

/// A scene in one width, drawn once for all who follow it so.
final class SharedDrawing: Sendable {
    /// A drawing. It equals another one that looks the same.
    struct Drawn: Sendable, Equatable {
        let scene: SceneDrawing
        /// When it was drawn.
        let moment: ContinuousClock.Instant
        /// Its number among those of this scene; 0: it was drawn for one client alone.
        fileprivate var number = 0
        /// The reply for a client that knows the drawing before.
        fileprivate var changes: [UInt8] = []

        static func == (one: Drawn, other: Drawn) -> Bool { one.scene == other.scene }
    }

    /// Which scene, of which application, in which width.
    struct Key: Hashable {
        let application: String
        let scene: String
        let columns: Int
    }

    /// It is drawn so often at most.
    private static let pause = Duration.milliseconds(8)

    let key: Key
    /// There is another drawing; over when none comes any more.
    let changes = Broadcast()
    private let newest = Mutex<Drawn?>(nil)

    fileprivate init(_ key: Key) { self.key = key }

    /// Draws after each turn that may have changed something, until it is cancelled, or the scene is gone.
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
            } tell: { drawn, last in
                var drawn = drawn
                if let last {
                    drawn.changes = try JSONText.encode(drawn.scene.changes(since: last.scene))
                }
                newest.withLock { newest in
                    drawn.number = (newest?.number ?? 0) + 1
                    newest = drawn
                }
                changes.send()
            }
        } catch {
            // Each follower looks for itself then, and is told why.
        }
    }

    /// The newest drawing, and what is told of it to who knows another one; nil: nothing is, because it looks
    /// the same.
    ///
    /// - Returns: nil if there is none that is newer.
    func changes(since last: Drawn) throws -> (drawn: Drawn, json: [UInt8]?)? {
        // One that is older than what a client has seen is followed by another one.
        guard let drawn = newest.withLock({ $0 }), drawn.moment > last.moment else { return nil }
        if drawn.number > 1, last.number == drawn.number - 1 { return (drawn, drawn.changes) }
        if drawn == last { return (drawn, nil) }
        return (drawn, try JSONText.encode(drawn.scene.changes(since: last.scene)))
    }
}

extension Application {
    /// A scene as it is drawn now.
    func drawing(
        of scene: String?, columns: Int, launches: Bool
    ) async throws -> SharedDrawing.Drawn {
        try await look(on: scene, launches: launches) {
            SharedDrawing.Drawn(scene: SceneCommands($0).drawing(columns: columns), moment: .now)
        }.result
    }
}

/// The scenes that are followed now.
final class SharedDrawings: Sendable {
    private struct Entry {
        let drawing: SharedDrawing
        var task: Task<Void, Never>?
        var followers = 1
    }

    private let clock: any Clock<Duration>
    private let executor: any TaskExecutor
    private let entries = Mutex<[SharedDrawing.Key: Entry]>([:])
    /// By bundle identifier.
    private let queues = Mutex<[ExactString: DrawingQueue]>([:])

    /// - Parameter executor: where they are drawn.
    init(clock: any Clock<Duration>, executor: any TaskExecutor) {
        self.clock = clock
        self.executor = executor
    }

    /// Begins to draw a scene, unless others have it drawn already.
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
        // At once, so that it hears of each turn from now on.
        let task = Task.immediate(executorPreference: executor) { [self, clock] in
            await new.draw(application, in: queue, clock)
            // Who comes later has it drawn anew.
            change(new) { $0 = nil }
        }
        change(new) { $0?.task = task }
        return new
    }

    /// Who has joined leaves; after the last one nothing is drawn.
    func leave(_ drawing: SharedDrawing) {
        var task: Task<Void, Never>?
        change(drawing) { entry in
            entry?.followers -= 1
            guard entry?.followers == 0 else { return }
            task = entry?.task
            entry = nil
        }
        // Not under the lock: a cancellation handler of the task may acquire it.
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
