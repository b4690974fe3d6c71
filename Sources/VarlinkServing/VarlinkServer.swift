import Glibc
public import Logging
public import NIOCore
import NIOPosix
import Synchronization
public import Varlink

/// A Varlink service on Unix sockets.
///
/// Make it, ``listen(path:mode:)`` or ``listen(inheritedDescriptor:)`` on any number of sockets,
/// then ``run()`` until ``stop()``. All tasks of the server are children of `run`, and each
/// connection's run on the event loop of its socket.
public final class VarlinkServer: Sendable {
    struct State {
        var listeners: [(channel: any Channel, socket: ListeningSocket)] = []
        var connections: [ObjectIdentifier: Connection] = [:]
        var isRunning = false
        var isStopped = false
        var limits: ServerLimits
        /// Tells who is at the other end of a socket.
        var identify: @Sendable (CInt) throws(SocketError) -> Peer = {
            descriptor throws(SocketError) in
            try Peer(connectedTo: descriptor)
        }
    }

    let service: VarlinkService
    let group: any EventLoopGroup
    let authorize: @Sendable (Peer) -> Access
    let logger: Logger
    let register: ConnectionRegister
    let refusals: RefusalLog
    private let trim = MemoryTrim()
    /// By their event loops.
    private let gates: [ObjectIdentifier: TurnGate]
    let state: Mutex<State>
    let accepted = AsyncStream.makeStream(of: Connection.self)
    private let stopping = AsyncStream.makeStream(of: Never.self)

    /// A server that does not listen yet.
    /// - Parameters:
    ///   - info: What `GetInfo` tells.
    ///   - interfaces: The interfaces, with a function for each method.
    ///   - limits: How much clients may take.
    ///   - register: Where its connections are counted; several servers may have one, and their
    ///     limits count for the connections of all then.
    ///   - group: The event loops for the connections; one event loop is such a group too.
    ///   - observe: Is told of each call that fits its definition, before it is carried out, on the
    ///     event loop of its connection.
    ///   - onRefusal: Is told each time that a client is refused or closed, with a sentence for people,
    ///     and whether that is logged.
    ///   - refusal: Answers every call of who may call, and none is carried out, as of a service that
    ///     cannot start; nil: they are.
    ///   - authorize: What a peer may call, asked once a connection; every other call is answered
    ///     `PermissionDenied`. Nil: the process's own user and root may call everything, and nobody
    ///     else anything.
    ///   - logger: Is told of faults, and of clients that are refused.
    /// - Throws: `InterfaceImplementation.RegistrationError`.
    public init(
        info: ServiceInfo, interfaces: [InterfaceImplementation], limits: ServerLimits = .init(),
        register: ConnectionRegister = ConnectionRegister(), group: any EventLoopGroup,
        observe: @escaping @Sendable (Call, Peer) -> Void = { _, _ in },
        refusal: VarlinkError? = nil,
        authorize: (@Sendable (Peer) -> Access)? = nil,
        onRefusal: @escaping @Sendable (Refusal, String, _ isLogged: Bool) -> Void = { _, _, _ in },
        logger: Logger
    ) throws {
        service = try VarlinkService(
            info: info, interfaces: interfaces, observe: observe, refusal: refusal, logger: logger)
        self.register = register
        state = Mutex(State(limits: limits))
        self.group = group
        self.authorize = authorize ?? { $0.isOwner(geteuid()) ? .all : .none }
        self.logger = logger
        let eventLoop = group.next()
        refusals = RefusalLog(
            logger, onRefusal: onRefusal, later: { _ = eventLoop.scheduleTask(in: $0, $1) })
        gates = Dictionary(
            group.makeIterator().map { (ObjectIdentifier($0), TurnGate(on: $0)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// What the server bears of connections that are accepted from now on; how long it drains
    /// counts at once.
    public var limits: ServerLimits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    /// Serves the connections until ``stop()``, or until the task is cancelled, which closes them
    /// at once.
    ///
    /// Call it once.
    public func run() async {
        state.withLock { $0.isRunning = true }
        await withTaskCancellationHandler {
            let eventLoop = group.next()
            await withTaskExecutorPreference(EventLoopTaskExecutor(eventLoop)) {
                await withTaskGroup { tasks in
                    tasks.addTask { await self.serve() }
                    tasks.addTask { await self.drainDeadline(on: eventLoop) }
                    await tasks.next()
                    tasks.cancelAll()
                }
            }
        } onCancel: {
            stop()
        }
        for connection in connections { connection.abort() }
        closeGates()
    }

    private var connections: [Connection] { state.withLock { Array($0.connections.values) } }

    private func closeGates() {
        for gate in gates.values { gate.close() }
    }

    private func serve() async {
        await withDiscardingTaskGroup { tasks in
            for await connection in accepted.stream {
                tasks.addTask(executorPreference: connection.taskExecutor) {
                    await connection.run()
                    self.forget(connection)
                }
            }
        }
    }

    /// Returns when the time to finish is over; at once when all connections have ended before.
    private func drainDeadline(on eventLoop: any EventLoop) async {
        for await _ in stopping.stream {}
        let timer = eventLoop.scheduleTask(in: TimeAmount(limits.drain)) { [logger] in
            logger.warning("Calls were still running when the time to finish was over.")
        }
        await withTaskCancellationHandler {
            do { try await timer.futureResult.get() } catch { return }
        } onCancel: {
            timer.cancel()
        }
    }

    /// Stops gracefully: no connection is accepted any more, calls that were sent whole are
    /// answered, connections close, and ``run()`` returns, at the latest after
    /// ``ServerLimits/drain``. Calls still under way then are cancelled.
    public func stop() {
        let (listeners, isRunning) = state.withLock { state in
            defer {
                state.listeners = []
                state.isStopped = true
            }
            return (state.listeners, state.isRunning)
        }
        for listener in listeners {
            if let error = listener.socket.removeFile() {
                logger.warning(
                    "The socket could not be removed.",
                    metadata: ["path": "\(listener.socket.path ?? "")", "error": "\(error)"])
            }
            listener.channel.close(promise: nil)
        }
        accepted.continuation.finish()
        stopping.continuation.finish()
        for connection in connections {
            if isRunning { connection.stop() } else { connection.abort() }
        }
        if !isRunning { closeGates() }
    }
}

extension VarlinkServer.State {
    /// Adds a listening socket, and removes earlier sockets of its path.
    ///
    /// - Returns: Channels of the earlier sockets, for the caller to close, or `nil` if the server was stopped.
    fileprivate mutating func add(
        _ channel: any Channel, _ socket: ListeningSocket
    ) -> [any Channel]? {
        if isStopped { return nil }
        let replaced = listeners.filter { socket.replaces($0.socket) }.map(\.channel)
        listeners.removeAll { socket.replaces($0.socket) }
        listeners.append((channel, socket))
        return replaced
    }
}

extension VarlinkServer {
    /// Finds out whether a socket can be made at a path later, before other work is begun. One that
    /// nobody listens on any more is removed; anything else is left as it is.
    /// - Throws: ``ListenError``, also if somebody listens there.
    public static func prepare(path: String) throws(ListenError) {
        try ListeningSocket.makeRoom(at: path)
    }

    /// Binds a socket at a path and listens; the file is removed by ``stop()``.
    ///
    /// The directory must exist. A socket there that nobody listens on any more is replaced; anything
    /// else is left as it is. If the server already listened on a socket of this path, which was removed, the new
    /// socket replaces it; the connections of the earlier socket stay open.
    /// - Parameters:
    ///   - path: At most 107 bytes.
    ///   - mode: The permissions of the file, as chmod(2) takes them.
    /// - Throws: ``ListenError``.
    public func listen(path: String, mode: UInt32 = 0o600) async throws {
        try await openGates(path: path)
        try await listen(on: try ListeningSocket(path: path, mode: mode))
    }

    /// Listens on a socket that was passed in, for example by systemd; its file is left alone.
    /// - Parameter inheritedDescriptor: A listening Unix stream socket; the server closes it when
    ///   it stops.
    /// - Throws: ``ListenError``.
    public func listen(inheritedDescriptor: CInt) async throws {
        try await openGates(path: "descriptor \(inheritedDescriptor)")
        try await listen(on: try ListeningSocket(inherited: inheritedDescriptor))
    }

    /// Before there is a socket, so that none is left behind if they cannot be had. They are closed when
    /// the server stops, also one that never listened.
    private func openGates(path: String) async throws {
        do {
            for gate in gates.values { try await gate.open() }
        } catch let error as SocketError {
            throw ListenError.system(error, path: path)
        }
    }

    private func listen(on socket: ListeningSocket) async throws {
        let refusals = self.refusals
        let channel = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptErrorHandler(refusals))
                }
            }
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.setUp(channel) }
            }
            .withBoundSocket(socket.descriptor).get()
        guard let replaced = state.withLock({ $0.add(channel, socket) }) else {
            try await channel.close()
            _ = socket.removeFile()
            throw ListenError.stopped
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.listenerClosed(channel) }
        for channel in replaced { channel.close(promise: nil) }
    }

    /// A socket that clients cannot reach: its file was removed, or replaced by another file.
    public struct UnreachableSocket: Sendable, Equatable {
        /// Path of the file.
        public let path: String
        /// Whether the socket was passed to this process, so that its file belongs to another one.
        public let isInherited: Bool
    }

    /// Sockets on which the server listens and that clients cannot reach.
    public var unreachableSockets: [UnreachableSocket] {
        state.withLock { state in
            state.listeners.map(\.socket).filter { !$0.isReachable }.compactMap { socket in
                socket.path.map {
                    UnreachableSocket(path: $0, isInherited: !socket.ownsFile)
                }
            }
        }
    }

    /// A server that nobody can reach any more must not look as if it ran.
    private func listenerClosed(_ channel: any Channel) {
        guard state.withLock({ state in state.listeners.contains { $0.channel === channel } })
        else { return }
        logger.error("The system has closed a listening socket; the server stops. Start it again.")
        stop()
    }

    /// Called on the event loop of the new connection.
    ///
    /// - Throws: what closes the connection, and is logged.
    private func setUp(_ channel: any Channel) throws {
        do {
            try accept(channel)
        } catch {
            refusals.tell(.setUpFailed, "\(error)")
            throw error
        }
    }

    private func accept(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let identify = state.withLock { $0.identify }
        guard
            let (peer, descriptor) = try pipeline.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self, { (try identify($0), $0) })
        else { throw ChannelError.operationUnsupported }
        // NIO accepts connections without SOCK_CLOEXEC.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let limits = limits
        let gate = gates[ObjectIdentifier(channel.eventLoop)] ?? TurnGate(on: channel.eventLoop)
        let connection = Connection(
            channel: channel, peer: peer, service: service, access: authorize(peer), limits: limits,
            register: register, refusals: refusals, gate: gate, trim: trim)
        do throws(ConnectionRegister.Full) {
            try register.add(connection, descriptor)
        } catch {
            refusals.tell(.tooManyConnections, "\(error)", peer)
            return try pipeline.addHandler(RefusalHandler(limits.tooManyConnections?(error.limit)))
        }
        state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
        channel.closeFuture.whenComplete { [register] _ in
            register.closed(connection, left: connection.assumeIsolated { $0.heldBytes })
        }
        try pipeline.addHandler(ConnectionHandler(connection))
        if case .terminated = accepted.continuation.yield(connection) {
            forget(connection)
            connection.abort()
        }
    }

    private func forget(_ connection: Connection) {
        register.remove(connection)
        state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
    }
}
