import Glibc
import NIOCore
import Synchronization

/// Check of whether a connection's client can still receive replies, for use on any thread.
final class ClientPresence: Sendable {
    /// Time for which a connected client counts as connected without another check. A call is checked when it is read
    /// and when its turn comes, which is usually much sooner.
    private static let validity = TimeAmount.milliseconds(5)

    private let channel: any Channel
    // -1 while the descriptor is unknown, which poll(2) ignores.
    private let socket = Atomic<CInt>(-1)
    /// Time at which the client was last found connected, in nanoseconds.
    private let lastSeen = Atomic<UInt64>(0)

    init(on channel: any Channel) { self.channel = channel }

    /// Gets the descriptor of the socket. Call it on the channel's event loop.
    func begin() {
        do {
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { socket.store($0, ordering: .relaxed) }
        } catch {}  // The channel has closed.
    }

    /// Whether the client has closed its socket. A client that only shut down its sending direction still reads
    /// (POLLRDHUP without POLLHUP; see poll(2)).
    var hasGone: Bool {
        let now = NIODeadline.now()
        let seen = NIODeadline.uptimeNanoseconds(lastSeen.load(ordering: .relaxed))
        if now - seen < Self.validity { return !channel.isActive }
        var status = pollfd(fd: socket.load(ordering: .relaxed), events: 0, revents: 0)
        // The state of the channel is read last: if the channel has closed, its descriptor may now belong to another
        // socket.
        let hasGone = poll(&status, 1, 0) > 0 || !channel.isActive
        if !hasGone { lastSeen.store(now.uptimeNanoseconds, ordering: .relaxed) }
        return hasGone
    }
}
