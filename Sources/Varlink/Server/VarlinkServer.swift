import Glibc
package import Logging
package import NIOCore
import Synchronization

/// A Varlink service on Unix sockets.
///
/// Make it, ``listen(path:mode:)`` or ``listen(inheritedDescriptor:)`` on any number of sockets,
/// then ``run()`` until ``stop()``. All tasks of the server are children of `run`, and each
/// connection's run on the event loop of its socket.
package final class VarlinkServer: Sendable {
    struct State {
        var listeners: [(channel: any Channel, file: ListeningSocket.File?)] = []
        var isRunning = false
        var isStopped = false
        var limits: ServerLimits
    }

    let service: VarlinkService
    let group: any EventLoopGroup
    let authorize: @Sendable (Peer) -> Bool
    let logger: Logger
    let register: ConnectionRegister
    let state: Mutex<State>
    let accepted: (stream: AsyncStream<Connection>, feed: AsyncStream<Connection>.Continuation)
    private let stopping: (stream: AsyncStream<Never>, feed: AsyncStream<Never>.Continuation)

    /// A server that does not listen yet.
    /// - Parameters:
    ///   - group: The event loops for the connections; one event loop is such a group too.
    ///   - authorize: Who may call, asked once a connection; every call of anyone else is answered
    ///     `PermissionDenied`.
    /// - Throws: ``VarlinkService/RepeatedInterface``.
    package init(
        info: ServiceInfo, interfaces: [InterfaceImplementation], limits: ServerLimits = .init(),
        group: any EventLoopGroup,
        authorize: @escaping @Sendable (Peer) -> Bool = { $0.isAllowed(owner: geteuid()) },
        logger: Logger
    ) throws {
        service = try VarlinkService(info: info, interfaces: interfaces, logger: logger)
        state = Mutex(State(limits: limits))
        self.group = group
        self.authorize = authorize
        self.logger = logger
        register = ConnectionRegister()
        let (connections, connectionFeed) = AsyncStream.makeStream(of: Connection.self)
        accepted = (connections, connectionFeed)
        let (stops, stopFeed) = AsyncStream.makeStream(of: Never.self)
        stopping = (stops, stopFeed)
    }

    /// What the server bears of connections that are accepted from now on; how long it drains counts
    /// at once.
    package var limits: ServerLimits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    /// Serves the connections until ``stop()``, or until the task is cancelled, which closes them
    /// at once.
    ///
    /// Call it once.
    package func run() async {
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
        for connection in register.all { connection.abort() }
    }

    private func serve() async {
        await withDiscardingTaskGroup { tasks in
            for await connection in accepted.stream {
                tasks.addTask(executorPreference: connection.taskExecutor) {
                    await connection.run()
                    self.register.remove(connection)
                }
            }
        }
    }

    /// Returns when the time to finish is over; at once when all connections have ended before.
    private func drainDeadline(on eventLoop: any EventLoop) async {
        for await _ in stopping.stream {}
        let timer = eventLoop.scheduleTask(in: TimeAmount(limits.drain)) { [logger] in
            logger.warning("Calls were still under way when the time to finish was over.")
        }
        await withTaskCancellationHandler {
            do { try await timer.futureResult.get() } catch { return }
        } onCancel: {
            timer.cancel()
        }
    }

    /// Stops gracefully: no connection is accepted any more, calls that were received whole are
    /// answered, connections close, and ``run()`` returns, at the latest after
    /// ``ServerLimits/drain``. Calls still under way then are cancelled.
    package func stop() {
        let (listeners, isRunning) = state.withLock { state in
            defer {
                state.listeners = []
                state.isStopped = true
            }
            return (state.listeners, state.isRunning)
        }
        for listener in listeners {
            if let file = listener.file, let error = file.remove() {
                logger.warning(
                    "The socket could not be removed.",
                    metadata: ["path": "\(file.path)", "error": "\(error)"])
            }
            listener.channel.close(promise: nil)
        }
        accepted.feed.finish()
        stopping.feed.finish()
        for connection in register.all {
            if isRunning { connection.stop() } else { connection.abort() }
        }
    }
}
