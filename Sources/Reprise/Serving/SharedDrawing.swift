import ExactText
import Preservation
import Synchronization
import Varlink

/// Drawing of a scene at one size. It is rendered once for all clients that follow the scene at that size.
final class SharedDrawing: Sendable {
    /// Drawing at one point in time.
    ///
    /// Two drawings are equal if they look the same.
    struct Frame: Sendable, Equatable {
        let drawing: SceneDrawing
        /// Time at which the scene was drawn.
        let time: ContinuousClock.Instant
        /// Number of the drawing in the series of shared drawings, or 0 if the drawing was rendered for a single
        /// client.
        fileprivate var number = 0
        /// Reply to a client that has the previous drawing.
        fileprivate var changesReply: [UInt8] = []

        static func == (lhs: Frame, rhs: Frame) -> Bool { lhs.drawing == rhs.drawing }
    }

    /// Application, scene and size of a drawing.
    struct Key: Hashable {
        let application: String
        let scene: String
        let size: SceneDrawing.Size
    }

    /// Minimum time between two drawings.
    private static let minimumInterval = Duration.milliseconds(8)

    let key: Key
    /// Broadcast that is sent after each new drawing, and that finishes when no more drawings will follow.
    let changes = Broadcast()
    private let newestFrame = Mutex<Frame?>(nil)

    fileprivate init(_ key: Key) { self.key = key }

    /// Draws the scene after each turn that may have changed it, until the task is cancelled or the scene closes.
    fileprivate func drawAfterEachTurn(
        _ application: Application, in queue: DrawingQueue, _ clock: any Clock<Duration>
    ) async {
        defer { changes.finish() }
        let observer = TurnObserver(
            application: application, clock: clock, minimumInterval: Self.minimumInterval)
        do {
            try await observer.follow { (_: Frame?) in
                try await queue.run {
                    try await application.drawing(
                        of: key.scene, size: key.size, launchesScene: false)
                }
            } deliver: { frame, lastFrame in
                var frame = frame
                if let lastFrame {
                    frame.changesReply = try JSONText.write(
                        frame.drawing.changes(since: lastFrame.drawing))
                }
                newestFrame.withLock { newestFrame in
                    frame.number = (newestFrame?.number ?? 0) + 1
                    newestFrame = frame
                }
                changes.send()
            }
        } catch {
            // Each follower then queries the application itself, and reports the reason.
        }
    }

    /// Returns the newest drawing and the reply to a client that has an earlier drawing.
    ///
    /// - Returns: The newest drawing and the reply, or `nil` if there is no newer drawing. The reply is `nil` if both
    ///   drawings look the same.
    func changes(since lastFrame: Frame) throws -> (frame: Frame, json: [UInt8]?)? {
        // If the client already has a newer drawing, another drawing will follow.
        guard let frame = newestFrame.withLock({ $0 }), frame.time > lastFrame.time else {
            return nil
        }
        if frame.number > 1, lastFrame.number == frame.number - 1 {
            return (frame, frame.changesReply)
        }
        if frame == lastFrame { return (frame, nil) }
        return (frame, try JSONText.write(frame.drawing.changes(since: lastFrame.drawing)))
    }
}

extension Application {
    /// Returns a drawing of the current state of a scene.
    func drawing(
        of scene: String?, size: SceneDrawing.Size, launchesScene: Bool
    ) async throws -> SharedDrawing.Frame {
        try await inspect(on: scene, launchesScene: launchesScene) {
            SharedDrawing.Frame(drawing: SceneCommandRunner($0).drawing(size: size), time: .now)
        }.result
    }
}

/// Drawings of the scenes that clients follow.
final class SharedDrawings: Sendable {
    private struct Entry {
        let drawing: SharedDrawing
        var task: Task<Void, Never>?
        var followerCount = 1
    }

    private let clock: any Clock<Duration>
    private let executor: any TaskExecutor
    private let entries = Mutex<[SharedDrawing.Key: Entry]>([:])
    /// Drawing queues, keyed by bundle identifier.
    private let queues = Mutex<[ExactString: DrawingQueue]>([:])

    /// Creates an empty collection of drawings.
    ///
    /// - Parameter executor: The executor that renders the drawings.
    init(clock: any Clock<Duration>, executor: any TaskExecutor) {
        self.clock = clock
        self.executor = executor
    }

    /// Adds a client to the drawing of a scene, and starts the drawing if it is not active yet.
    func join(
        _ scene: String, size: SceneDrawing.Size, of application: Application
    ) -> SharedDrawing {
        let key = SharedDrawing.Key(
            application: application.bundleIdentifier, scene: scene, size: size)
        let newDrawing = SharedDrawing(key)
        let existingDrawing = entries.withLock { entries in
            entries[key]?.followerCount += 1
            defer { if entries[key] == nil { entries[key] = Entry(drawing: newDrawing) } }
            return entries[key]?.drawing
        }
        if let existingDrawing { return existingDrawing }
        let queue = queue(of: application)
        // The task starts immediately, so that it observes every turn from now on.
        let task = Task.immediate(executorPreference: executor) { [self, clock] in
            await newDrawing.drawAfterEachTurn(application, in: queue, clock)
            // Clients that join later start a new drawing.
            updateEntry(newDrawing) { $0 = nil }
        }
        updateEntry(newDrawing) { $0?.task = task }
        return newDrawing
    }

    /// Removes a client from a drawing.
    ///
    /// After the last client has left, the scene is no longer drawn.
    func leave(_ drawing: SharedDrawing) {
        var task: Task<Void, Never>?
        updateEntry(drawing) { entry in
            entry?.followerCount -= 1
            guard entry?.followerCount == 0 else { return }
            task = entry?.task
            entry = nil
        }
        // Cancel outside the lock, because a cancellation handler of the task may acquire the lock.
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

    private func updateEntry(_ drawing: SharedDrawing, _ body: (inout Entry?) -> Void) {
        entries.withLock { entries in
            if entries[drawing.key]?.drawing === drawing { body(&entries[drawing.key]) }
        }
    }
}
