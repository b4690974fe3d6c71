import Glibc
import NIOCore
import Synchronization

/// Thread-safe check of whether a connection's client can still receive replies.
final class ClientDisconnectionCheck: Sendable {
    /// Time for which a client is assumed to be still connected after a check.
    ///
    /// A client is checked when a call is read and when the call's turn comes. The second check usually follows within
    /// this time.
    private static let assumedConnectedPeriod = TimeAmount.milliseconds(5)

    private let channel: any Channel
    // The value is -1 while the descriptor is unknown. poll(2) ignores negative descriptors.
    private let socketDescriptor = Atomic<CInt>(-1)
    /// Time at which the client was last found to be connected, in nanoseconds.
    private let lastConnectedTime = Atomic<UInt64>(0)

    init(on channel: any Channel) { self.channel = channel }

    /// Stores the socket's descriptor. Call this method on the channel's event loop.
    func storeDescriptor() {
        do {
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { socketDescriptor.store($0, ordering: .relaxed) }
        } catch {}  // The channel has closed.
    }

    /// Whether the client has closed its socket.
    ///
    /// A client that has only stopped sending can still receive replies (POLLRDHUP without POLLHUP; see poll(2)).
    var hasDisconnected: Bool {
        let now = NIODeadline.now()
        let lastCheckTime = NIODeadline.uptimeNanoseconds(
            lastConnectedTime.load(ordering: .relaxed))
        if now - lastCheckTime < Self.assumedConnectedPeriod { return !channel.isActive }
        var pollDescriptor = pollfd(
            fd: socketDescriptor.load(ordering: .relaxed), events: 0, revents: 0)
        // The state of the channel is read last: if the channel has closed, its descriptor may now belong to another
        // socket.
        let hasDisconnected = poll(&pollDescriptor, 1, 0) > 0 || !channel.isActive
        if !hasDisconnected { lastConnectedTime.store(now.uptimeNanoseconds, ordering: .relaxed) }
        return hasDisconnected
    }
}
