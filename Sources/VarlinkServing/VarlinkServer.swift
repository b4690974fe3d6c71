import Glibc
public import Logging
public import NIOCore
import NIOPosix
import Synchronization
public import Varlink

/// Server that provides a Varlink service on Unix sockets.
///
/// Create a server, call ``listen(path:mode:)`` or ``listen(inheritedDescriptor:)`` for each socket, then call
/// ``run()``, which returns after ``stop()``. All of the server's tasks are child tasks of `run`. A connection's tasks
/// run on the event loop of the connection's socket.
public final class VarlinkServer: Sendable {
    struct ServingState {
        var listeners: [(channel: any Channel, socket: ListeningSocket)] = []
        var connections: [ObjectIdentifier: Connection] = [:]
        var isRunning = false
        var isStopped = false
        var limits: ServerLimits
        /// Closure that identifies the process at the other end of a socket.
        var identifyPeer: @Sendable (CInt) throws(SocketError) -> Peer = {
            descriptor throws(SocketError) in
            try Peer(connectedTo: descriptor)
        }
    }

    let service: VarlinkService
    let group: any EventLoopGroup
    let authorize: @Sendable (Peer) -> Access
    let logger: Logger
    let registry: ConnectionRegistry
    let refusalLog: RefusalLog
    private let memoryTrimmer = MemoryTrimmer()
    /// Yielders, keyed by event loop.
    private let yielders: [ObjectIdentifier: EventLoopYielder]
    let state: Mutex<ServingState>
    let acceptedConnections = AsyncStream.makeStream(of: Connection.self)
    private let stopSignal = AsyncStream.makeStream(of: Never.self)

    /// Creates a server that is not listening yet.
    /// - Parameters:
    ///   - info: The reply to `GetInfo`.
    ///   - interfaces: The interfaces, with the functions that implement their methods.
    ///   - limits: Limits for clients.
    ///   - registry: Registry of the server's connections. If several servers share a registry, each server's limits
    ///     apply to the connections to all of these servers.
    ///   - group: The event loops that serve the connections. A single event loop is also a group.
    ///   - observe: A closure that the service calls on the connection's event loop before it handles a call whose
    ///     parameters match the definition.
    ///   - onRefusal: A closure that is called for each refusal. It receives a sentence that describes the refusal, and
    ///     whether the refusal is logged.
    ///   - refusal: The error with which the service refuses every call from a peer that has access, or `nil` to handle
    ///     calls. An error can state, for example, why the service cannot start.
    ///   - authorize: Closure that returns a peer's access rights. It is called once for each connection. If the peer
    ///     is not permitted to make a call, the reply is `PermissionDenied`. If `authorize` is `nil`, only the
    ///     process's own user and root have access.
    ///   - logger: The logger for errors and for refused clients.
    /// - Throws: `InterfaceImplementation.RegistrationError` if two interfaces have the same name.
    public init(
        info: ServiceInfo, interfaces: [any InterfaceDispatcher], limits: ServerLimits = .init(),
        registry: ConnectionRegistry = ConnectionRegistry(), group: any EventLoopGroup,
        observe: @escaping @Sendable (Call, Peer) -> Void = { _, _ in },
        refusal: VarlinkError? = nil,
        authorize: (@Sendable (Peer) -> Access)? = nil,
        onRefusal: @escaping @Sendable (Refusal, String, _ isLogged: Bool) -> Void = { _, _, _ in },
        logger: Logger
    ) throws {
        service = try VarlinkService(
            info: info, interfaces: interfaces, observe: observe, refusal: refusal, logger: logger)
        self.registry = registry
        state = Mutex(ServingState(limits: limits))
        self.group = group
        self.authorize = authorize ?? { $0.isOwnerOrRoot(geteuid()) ? .all : .none }
        self.logger = logger
        let eventLoop = group.next()
        refusalLog = RefusalLog(
            logger, onRefusal: onRefusal, schedule: { _ = eventLoop.scheduleTask(in: $0, $1) })
        yielders = Dictionary(
            group.makeIterator().map { (ObjectIdentifier($0), EventLoopYielder(on: $0)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Limits for new connections. A change to ``ServerLimits/drainTimeout`` applies immediately.
    public var limits: ServerLimits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    /// Serves connections until the server has stopped; see ``stop()``. If the task is cancelled, the method closes the
    /// connections immediately.
    ///
    /// Call this method only once.
    public func run() async {
        state.withLock { $0.isRunning = true }
        await withTaskCancellationHandler {
            let eventLoop = group.next()
            await withTaskExecutorPreference(EventLoopTaskExecutor(eventLoop)) {
                await withTaskGroup { tasks in
                    tasks.addTask { await self.serve() }
                    tasks.addTask { await self.waitForDrainDeadline(on: eventLoop) }
                    await tasks.next()
                    tasks.cancelAll()
                }
            }
        } onCancel: {
            stop()
        }
        for connection in connections { connection.abort() }
        closeYielders()
    }

    private var connections: [Connection] { state.withLock { Array($0.connections.values) } }

    private func closeYielders() {
        for yielder in yielders.values { yielder.close() }
    }

    private func serve() async {
        await withDiscardingTaskGroup { tasks in
            for await connection in acceptedConnections.stream {
                tasks.addTask(executorPreference: connection.taskExecutor) {
                    await connection.run()
                    self.removeConnection(connection)
                }
            }
        }
    }

    /// Waits until the drain timeout has expired. The task is cancelled earlier if all connections have closed.
    private func waitForDrainDeadline(on eventLoop: any EventLoop) async {
        for await _ in stopSignal.stream {}
        let timer = eventLoop.scheduleTask(in: TimeAmount(limits.drainTimeout)) { [logger] in
            logger.warning("Calls were still running when the shutdown timeout expired.")
        }
        await withTaskCancellationHandler {
            do { try await timer.futureResult.get() } catch { return }
        } onCancel: {
            timer.cancel()
        }
    }

    /// Stops the server gracefully.
    ///
    /// The server accepts no further connections, finishes the calls that it has received completely, and closes its
    /// connections. ``run()`` returns after ``ServerLimits/drainTimeout`` at the latest, and cancels the calls that are
    /// still running.
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
        acceptedConnections.continuation.finish()
        stopSignal.continuation.finish()
        for connection in connections {
            if isRunning { connection.stop() } else { connection.abort() }
        }
        if !isRunning { closeYielders() }
    }
}

extension VarlinkServer.ServingState {
    /// Adds a listening socket, and removes earlier sockets with the same path.
    ///
    /// - Returns: Channels of the earlier sockets, which the caller must close, or `nil` if the server has been
    ///   stopped.
    fileprivate mutating func add(
        _ channel: any Channel, _ socket: ListeningSocket
    ) -> [any Channel]? {
        if isStopped { return nil }
        let replacedChannels = listeners.filter { socket.replaces($0.socket) }.map(\.channel)
        listeners.removeAll { socket.replaces($0.socket) }
        listeners.append((channel, socket))
        return replacedChannels
    }
}

extension VarlinkServer {
    /// Checks that a socket can be bound to a path, so that a program can fail before it does any other work.
    ///
    /// If no process listens on an existing socket at the path, the socket is removed. Any other file is left
    /// unchanged.
    /// - Throws: ``ListenError``, for example if a process already listens there.
    public static func prepare(path: String) throws(ListenError) {
        try ListeningSocket.prepareToBind(at: path)
    }

    /// Binds a socket to a path and listens. ``stop()`` removes the socket's file.
    ///
    /// The directory must exist. If no process listens on an existing socket at the path, the new socket replaces it.
    /// Any other file is left unchanged. If the server is already listening at this path but the file has been removed,
    /// the new socket replaces the earlier one. Connections on the earlier socket stay open.
    /// - Parameters:
    ///   - path: The path of the socket, at most 107 bytes.
    ///   - mode: The permissions of the file, as for chmod(2).
    /// - Throws: ``ListenError``.
    public func listen(path: String, mode: UInt32 = 0o600) async throws {
        try await openYielders(path: path)
        try await listen(on: try ListeningSocket(path: path, mode: mode))
    }

    /// Listens on an inherited socket, for example from systemd. The server leaves the socket's file unchanged.
    /// - Parameter inheritedDescriptor: A listening Unix stream socket. The server closes the socket when the server
    ///   stops.
    /// - Throws: ``ListenError``.
    public func listen(inheritedDescriptor: CInt) async throws {
        try await openYielders(path: "descriptor \(inheritedDescriptor)")
        try await listen(on: try ListeningSocket(inherited: inheritedDescriptor))
    }

    /// Opens the yielders. The server opens them before it binds the socket, so that no socket is left behind if the
    /// system has no free descriptors. The yielders are closed when the server stops, even if it never listened.
    private func openYielders(path: String) async throws {
        do {
            for yielder in yielders.values { try await yielder.open() }
        } catch let error as SocketError {
            throw ListenError.system(error, path: path)
        }
    }

    private func listen(on socket: ListeningSocket) async throws {
        let refusalLog = self.refusalLog
        let channel = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptErrorHandler(refusalLog))
                }
            }
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.setUp(channel) }
            }
            .withBoundSocket(socket.descriptor).get()
        guard let replacedChannels = state.withLock({ $0.add(channel, socket) }) else {
            try await channel.close()
            _ = socket.removeFile()
            throw ListenError.stopped
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.handleListenerClosure(channel) }
        for channel in replacedChannels { channel.close(promise: nil) }
    }

    /// Socket that clients cannot reach, because its file has been removed or replaced by another file.
    public struct UnreachableSocket: Sendable, Equatable {
        /// Path of the file.
        public let path: String
        /// Whether this process inherited the socket, so that the file belongs to another process.
        public let isInherited: Bool
    }

    /// Sockets on which the server listens, but which clients cannot reach.
    public var unreachableSockets: [UnreachableSocket] {
        state.withLock { state in
            state.listeners.map(\.socket).filter { !$0.isReachable }.compactMap { socket in
                socket.path.map {
                    UnreachableSocket(path: $0, isInherited: !socket.ownsFile)
                }
            }
        }
    }

    /// Stops the server if the system has closed a listening socket. A server that clients cannot reach must not appear
    /// to be running.
    private func handleListenerClosure(_ channel: any Channel) {
        guard state.withLock({ state in state.listeners.contains { $0.channel === channel } })
        else { return }
        logger.error("The system has closed a listening socket; the server stops. Start it again.")
        stop()
    }

    /// Sets up a new connection. This method is called on the connection's event loop.
    ///
    /// - Throws: An error, which is logged. The connection then closes.
    private func setUp(_ channel: any Channel) throws {
        do {
            try accept(channel)
        } catch {
            refusalLog.log(.setUpFailed, "\(error)")
            throw error
        }
    }

    private func accept(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let identifyPeer = state.withLock { $0.identifyPeer }
        guard
            let (peer, descriptor) = try pipeline.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self, { (try identifyPeer($0), $0) })
        else { throw ChannelError.operationUnsupported }
        // NIO accepts connections without SOCK_CLOEXEC.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let limits = limits
        let yielder =
            yielders[ObjectIdentifier(channel.eventLoop)] ?? EventLoopYielder(on: channel.eventLoop)
        let connection = Connection(
            channel: channel, peer: peer, service: service, access: authorize(peer), limits: limits,
            registry: registry, refusalLog: refusalLog, yielder: yielder,
            memoryTrimmer: memoryTrimmer)
        do throws(ConnectionRegistry.LimitExceeded) {
            try registry.add(connection, descriptor)
        } catch {
            refusalLog.log(.tooManyConnections, "\(error)", peer)
            return try pipeline.addHandler(
                RefusalHandler(limits.makeTooManyConnectionsError?(error.limit)))
        }
        state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
        channel.closeFuture.whenComplete { _ in
            let (pendingByteCount, hasStartedServing) = connection.assumeIsolated {
                ($0.pendingByteCount, $0.hasStartedServing)
            }
            self.registry.recordClosure(connection, pendingByteCount: pendingByteCount)
            // Otherwise, the task that serves the connection removes it.
            if !hasStartedServing { self.removeConnection(connection) }
        }
        try pipeline.addHandler(ConnectionHandler(connection))
        if case .terminated = acceptedConnections.continuation.yield(connection) {
            connection.abort()
        }
    }

    private func removeConnection(_ connection: Connection) {
        registry.remove(connection)
        state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
    }
}
