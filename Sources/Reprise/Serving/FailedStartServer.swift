import Glibc
import Logging
import NIOCore
import NIOPosix
import RepriseControl
import Varlink
import VarlinkServing

/// Temporary server for a daemon that has failed to start.
///
/// The server replies with an error to clients on the sockets that the service manager passed.
///
/// If the arguments or the configuration are invalid, the manager starts the daemon again for each client that waits on
/// a socket. If the daemon did not accept that client, the manager would restart the daemon repeatedly, and eventually
/// stop listening on the socket. After any other failure, the manager restarts the daemon by itself, and clients would
/// have to wait for a successful start.
struct FailedStartServer {
    /// Time for which the server replies to clients.
    private let replyDuration: Duration
    /// Pause after the replies. It prevents the manager from restarting the daemon continuously.
    ///
    /// A client that connects during the pause waits for the next start, which may succeed.
    private let pauseAfterReplies: Duration
    /// Whether to reply only if a client is already waiting.
    private let requiresPendingClient: Bool
    private let refusalError: ControlError
    let program: ProgramDescription
    /// Listening sockets that the service manager passed.
    let listeners: [CInt]

    /// Creates the server for a failed start.
    ///
    /// - Parameters:
    ///   - error: The reason why the daemon did not start.
    ///   - listeners: The listening sockets that the service manager passed.
    init(_ program: ProgramDescription, _ listeners: [CInt], because error: DaemonError) {
        self.program = program
        self.listeners = listeners
        switch error.kind {
        case .arguments, .configuration:
            refusalError = .configurationRefused(problems: error.lines)
            (replyDuration, pauseAfterReplies, requiresPendingClient) = (
                .milliseconds(100), .milliseconds(400), true
            )
        case .environment, .unsaved:
            refusalError = .startFailed(problems: error.lines)
            (replyDuration, pauseAfterReplies, requiresPendingClient) = (.seconds(1), .zero, false)
        }
    }

    /// Replies to waiting clients, and to clients that connect shortly afterwards.
    func replyToClients() async throws {
        if listeners.isEmpty { return }
        if requiresPendingClient, !listeners.contains(where: Self.hasPendingClient) { return }
        try await EventLoops.withGroup { group in
            let clock = EventLoopClock(loop: group.next())
            let server = try VarlinkServer(
                info: ServiceInfo(program), interfaces: [], group: group,
                refusal: refusalError.varlinkError,
                authorize: ControlAccess.policy(group: program.group) { nil },
                logger: Logger(label: program.name))
            // Closes the sockets if the server cannot listen on one of them.
            defer { server.stop() }
            for listener in listeners { try await server.listen(inheritedDescriptor: listener) }
            try await withThrowingTaskGroup { tasks in
                tasks.addTask { await server.run() }
                try await clock.sleep(for: replyDuration)
                server.stop()
                try await tasks.waitForAll()
            }
            try await clock.sleep(for: pauseAfterReplies)
        }
    }

    private static func hasPendingClient(_ listener: CInt) -> Bool {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
