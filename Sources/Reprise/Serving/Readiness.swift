import Synchronization

/// Tells once that the daemon has restored its applications and listens.
final class Readiness: Sendable {
    private let state = Mutex(false)
    private let channel = AsyncStream.makeStream(of: Never.self)

    /// Whether the daemon is ready.
    var isSignalled: Bool { state.withLock { $0 } }

    /// The daemon is ready.
    func signal() {
        state.withLock { $0 = true }
        channel.continuation.finish()
    }

    /// Returns when the daemon is ready, or the task is cancelled. For one task alone.
    func wait() async {
        for await _ in channel.stream {}
    }
}
