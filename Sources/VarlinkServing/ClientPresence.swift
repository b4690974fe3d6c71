import Glibc
import NIOCore
import Synchronization

/// Whether the client of a connection still waits for replies. Any thread may ask.
final class ClientPresence: Sendable {
    private let channel: any Channel
    // -1 while it is unknown, which poll(2) ignores.
    private let socket = Atomic<CInt>(-1)

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
        var status = pollfd(fd: socket.load(ordering: .relaxed), events: 0, revents: 0)
        // A closed channel is asked about last: its descriptor may be another socket's by now.
        return poll(&status, 1, 0) > 0 || !channel.isActive
    }
}
