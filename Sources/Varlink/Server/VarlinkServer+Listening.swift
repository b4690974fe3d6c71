import Logging
import NIOCore
import NIOPosix
import Synchronization

extension VarlinkServer {
    /// Finds out whether a socket can be made at a path later, before other work is begun. One that
    /// nobody listens on any more is removed; anything else is left as it is.
    /// - Throws: ``ListenError``, also if somebody listens there.
    package static func prepare(path: String) throws(ListenError) {
        try ListeningSocket.makeRoom(at: path)
    }

    /// Binds a socket at a path and listens; the file is removed by ``stop()``.
    ///
    /// The folder must exist. A socket there that nobody listens on any more is replaced; anything
    /// else is left as it is.
    /// - Parameters:
    ///   - path: At most 107 bytes.
    ///   - mode: The permissions of the file, as chmod(2) takes them.
    /// - Throws: ``ListenError``.
    package func listen(path: String, mode: UInt32 = 0o600) async throws {
        try await listen(on: try ListeningSocket(path: path, mode: mode))
    }

    /// Listens on a socket that was passed in, for example by systemd; its file is left alone.
    /// - Parameter inheritedDescriptor: A listening Unix stream socket; the server closes it when
    ///   it stops.
    /// - Throws: ``ListenError/notListening(descriptor:)``.
    package func listen(inheritedDescriptor: CInt) async throws {
        try await listen(on: try ListeningSocket(inherited: inheritedDescriptor))
    }

    private func listen(on socket: ListeningSocket) async throws {
        let logger = self.logger
        let channel = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptErrorHandler(logger: logger))
                }
            }
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel) }
            }
            .withBoundSocket(socket.descriptor).get()
        let isStopped = state.withLock { state in
            if !state.isStopped { state.listeners.append((channel, socket.file)) }
            return state.isStopped
        }
        guard isStopped else { return }
        try await channel.close()
        _ = socket.file?.remove()
        throw ListenError.stopped
    }

    /// Called on the event loop of the new connection.
    private func accept(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        guard
            let peer = try pipeline.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self, { try Peer(connectedTo: $0) })
        else { throw ChannelError.operationUnsupported }
        let limits = limits
        try register.admit(peer, limit: limits.connectionsPerUser)
        let connection = Connection(
            channel: channel, peer: peer, service: authorize(peer) ? service : nil,
            machine: ServerConnection(
                requestBytes: limits.requestBytes, tooLarge: limits.requestTooLarge),
            callsPerTurn: limits.callsPerTurn, logger: logger)
        register.add(connection)
        try pipeline.addHandler(ConnectionHandler(connection))
        if case .terminated = accepted.feed.yield(connection) {
            register.remove(connection)
            connection.abort()
        }
    }
}
