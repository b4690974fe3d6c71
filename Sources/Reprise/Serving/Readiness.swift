import Synchronization

/// Tells once that the daemon has restored its applications and listens.
final class Readiness: Sendable {
    private struct State {
        var isSignalled = false
        var hasEnded = false
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    /// Whether the daemon is ready.
    var isSignalled: Bool { state.withLock { $0.isSignalled } }

    /// The daemon is ready.
    func signal() { finish { $0.isSignalled = true } }

    /// The daemon ends, and will not become ready if it is not: nobody waits any more.
    func end() { finish { $0.hasEnded = true } }

    private func finish(_ note: (inout State) -> Void) {
        let waiters = state.withLock { state in
            note(&state)
            return state.waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Returns when the daemon is ready or ends, or the task is cancelled.
    func wait() async {
        let (signals, waiter) = AsyncStream.makeStream(of: Never.self)
        let isOver = state.withLock { state in
            if !state.isSignalled, !state.hasEnded { state.waiters.append(waiter) }
            return state.isSignalled || state.hasEnded
        }
        if isOver { return }
        for await _ in signals {}
    }
}
