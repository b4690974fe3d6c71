import Glibc
import Logging
import NIOCore
import NIOPosix
import RepriseControl
import Varlink
import VarlinkServing

/// Answers clients when the daemon does not start until a person mends something.
///
/// The manager starts it for each client that waits on a socket that it passes. If nobody accepted that
/// client, it would start the daemon again at once, until it gave the socket up.
struct RefusedStart {
    /// For how long clients are answered.
    private static let time = Duration.milliseconds(100)
    /// For how long nobody is answered then, so that the manager does not start the daemon all the time.
    /// Who comes meanwhile waits for the next start, which may find everything mended.
    private static let rest = Duration.milliseconds(400)

    let program: ProgramDescription
    /// Listening sockets that the service manager passed.
    let listeners: [CInt]
    /// Sentences that tell what is wrong.
    let problems: [String]

    /// Answers who waits, and who comes soon after. Returns at once if nobody waits.
    func answerClients() async throws {
        guard listeners.contains(where: Self.isWaitedOn) else { return }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clock = EventLoopClock(loop: group.next())
        let server = try VarlinkServer(
            info: ServiceInfo(program), interfaces: [], group: group,
            refusal: try ControlError.configurationRefused(problems: problems).varlinkError(),
            authorize: ControlAccess.policy(group: program.group) { nil },
            logger: Logger(label: program.name))
        for listener in listeners { try await server.listen(inheritedDescriptor: listener) }
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { await server.run() }
            try await clock.sleep(for: Self.time)
            server.stop()
            try await tasks.waitForAll()
        }
        try await clock.sleep(for: Self.rest)
        try await group.shutdownGracefully()
    }

    private static func isWaitedOn(_ listener: CInt) -> Bool {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
