import Synchronization

/// Signal that the daemon has launched its applications and listens for clients.
final class Readiness: Sendable {
    private struct State {
        var isSignalled = false
        var hasEnded = false
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    /// Whether the daemon is ready.
    var isSignalled: Bool { state.withLock { $0.isSignalled } }

    /// Signals that the daemon is ready.
    func signal() { finish { $0.isSignalled = true } }

    /// Resumes all waiters, because the daemon is stopping. If the daemon is not ready yet, it never will be.
    func end() { finish { $0.hasEnded = true } }

    private func finish(_ record: (inout State) -> Void) {
        let waiters = state.withLock { state in
            record(&state)
            return state.waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Waits until the daemon is ready or stops, or until the task is cancelled.
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
