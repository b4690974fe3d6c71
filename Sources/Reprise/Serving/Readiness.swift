import Synchronization

/// Tells once that the daemon has restored its applications and listens.
final class Readiness: Sendable {
    private struct State {
        var isSignalled = false
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    /// Whether the daemon is ready.
    var isSignalled: Bool { state.withLock { $0.isSignalled } }

    /// The daemon is ready.
    func signal() {
        let waiters = state.withLock { state in
            state.isSignalled = true
            return state.waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Returns when the daemon is ready, or the task is cancelled.
    func wait() async {
        let (signals, waiter) = AsyncStream.makeStream(of: Never.self)
        let isSignalled = state.withLock { state in
            if !state.isSignalled { state.waiters.append(waiter) }
            return state.isSignalled
        }
        if isSignalled { return }
        for await _ in signals {}
    }
}
