import Preservation
import Synchronization

/// Signal that the daemon has launched its applications and is listening for clients.
final class Readiness: Sendable {
    private let isReady = Mutex(false)
    /// Broadcast that finishes when the daemon is ready or stops.
    private let waitBroadcast = Broadcast()

    /// Whether the daemon is ready.
    var isDaemonReady: Bool { isReady.withLock { $0 } }

    /// Signals that the daemon is ready.
    func signal() {
        isReady.withLock { $0 = true }
        waitBroadcast.finish()
    }

    /// Resumes all waiters, because the daemon is stopping.
    ///
    /// A daemon that is not ready at this point never becomes ready.
    func end() { waitBroadcast.finish() }

    /// Waits until the daemon is ready or stops, or until the task is cancelled.
    func wait() async {
        for await _ in waitBroadcast.subscribe() {}
    }
}
