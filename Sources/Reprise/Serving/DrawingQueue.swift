import Synchronization

/// Queue that renders an application's drawings one at a time, and leaves at least half of the time for commands.
///
/// If clients follow a scene at many widths, every change requires one drawing for each width. Rendering all of them at
/// once would delay the commands of other clients by the total time. With the queue, a command waits for at most one
/// drawing.
final class DrawingQueue: Sendable {
    private struct State {
        var isDrawing = false
        /// Earliest time at which the next drawing may start.
        var earliestStartTime = ContinuousClock.now
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// Creates a queue.
    ///
    /// - Parameter clock: The clock for the pauses between drawings.
    init(clock: any Clock<Duration>) { self.clock = clock }

    /// Runs a closure after the closures from earlier calls have returned.
    ///
    /// Between two closures, the queue pauses for as long as the first closure took.
    ///
    /// - Throws: Any error that the closure throws, or `CancellationError` if the caller is cancelled before the
    ///   closure starts.
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        await beginDrawing()
        defer { endDrawing() }
        let pause = state.withLock(\.earliestStartTime) - .now
        if pause > .zero { try await clock.sleep(for: pause) }
        try Task.checkCancellation()
        let start = ContinuousClock.now
        defer {
            let end = ContinuousClock.now
            state.withLock { $0.earliestStartTime = end + (end - start) }
        }
        return try await body()
    }

    private func beginDrawing() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isDrawing {
                    state.waiters.append(continuation)
                    return false
                }
                state.isDrawing = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func endDrawing() {
        let nextWaiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isDrawing = !state.waiters.isEmpty
            return state.isDrawing ? state.waiters.removeFirst() : nil
        }
        nextWaiter?.resume()
    }
}
