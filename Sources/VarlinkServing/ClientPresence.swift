import Glibc
import NIOCore
import Synchronization

/// Whether the client of a connection still waits for replies. Any thread may ask.
final class ClientPresence: Sendable {
    /// How long a client counts as connected after it was found to be. A call is checked when it is read and when its
    /// turn comes, usually much sooner than this.
    private static let validity = TimeAmount.milliseconds(5)

    private let channel: any Channel
    // -1 while it is unknown, which poll(2) ignores.
    private let socket = Atomic<CInt>(-1)
    /// When the client was last found to be connected, in nanoseconds.
    private let lastSeen = Atomic<UInt64>(0)

    init(on channel: any Channel) { self.channel = channel }

    /// Finds out the socket, on the channel's event loop.
    func begin() {
        do {
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { socket.store($0, ordering: .relaxed) }
        } catch {}  // The channel has closed.
    }

    /// Whether the client has closed its socket. A client that only shut down its sending side still reads
    /// (POLLRDHUP without POLLHUP, see poll(2)).
    var hasGone: Bool {
        let now = NIODeadline.now()
        let seen = NIODeadline.uptimeNanoseconds(lastSeen.load(ordering: .relaxed))
        if now - seen < Self.validity { return !channel.isActive }
        var status = pollfd(fd: socket.load(ordering: .relaxed), events: 0, revents: 0)
        // A closed channel is asked about last: its descriptor may be another socket's by now.
        let hasGone = poll(&status, 1, 0) > 0 || !channel.isActive
        if !hasGone { lastSeen.store(now.uptimeNanoseconds, ordering: .relaxed) }
        return hasGone
    }
}
