import FoundationEssentials
public import Logging
import NIOCore
import NIOPosix
public import Preservation
public import ServiceLifecycle

/// The control socket of any program: `reprisectl` shows and operates its applications.
///
/// It is one of the program's services, behind the applications:
///
/// ```swift
/// let control = try ControlService(
///     [application], of: ProgramDescription(name: "jobrunner", version: "1.0"), logger: logger)
/// let services = ServiceGroup(
///     services: [application, worker, control], gracefulShutdownSignals: [.sigterm], logger: logger)
/// ```
///
/// A ``Daemon`` has one, and besides reads a configuration and tells systemd how it is.
public struct ControlService: Service {
    private let listening: ControlListening
    private let feed: EventFeed
    private let group: MultiThreadedEventLoopGroup

    /// - Parameters:
    ///   - applications: the applications, at least one, of one state directory; the first is the one
    ///     that a command without a name goes to.
    ///   - program: what the program is called.
    ///   - socket: the socket's path, at most 107 bytes; nil: the socket `varlink` that the service manager
    ///     passed, else `$RUNTIME_DIRECTORY/control`, else `$XDG_RUNTIME_DIR/NAME/control` with the name of
    ///     the program's folders. The program's user may call, and the members of the group of that name.
    ///   - logger: told of who asked for what, and of clients that are refused.
    /// - Throws: an error that says why there is no place for the socket, or that another program listens
    ///   there.
    public init(
        _ applications: [Application], of program: ProgramDescription, socket: String? = nil,
        logger: Logger
    ) throws {
        guard let first = applications.first else { throw NoApplications() }
        let configuration = Configuration(applications: [])
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        self.group = group
        let clock = EventLoopClock(loop: group.next())
        let now = PreservationSettings().now
        feed = EventFeed(eventLoop: clock.loop, now: now)
        let list = ApplicationList(applications: applications)
        let address = try ControlAddress(
            socket: socket, configured: configuration.control,
            environment: ProcessInfo.processInfo.environment, folder: program.folder, logger)
        let (server, _) = try ControlAssembly(
            program: program, started: now(), applications: list,
            stateDirectory: first.stateDirectory, condition: DaemonCondition(configuration),
            reloads: nil, feed: feed, registry: MetricsRegistry(), clock: clock
        ).server(on: group, logger: logger, audited: logger)
        listening = ControlListening(
            server: server, address: address, applications: list, readiness: Readiness())
    }

    /// Listens as soon as the applications are launched, and serves until the graceful shutdown.
    ///
    /// - Throws: why it cannot listen.
    public func run() async throws {
        for application in listening.applications.applications {
            await application.follow(by: feed)
        }
        try await listening.run()
        try await group.shutdownGracefully()
    }
}

/// A control service was made without an application.
struct NoApplications: Error, CustomStringConvertible {
    var description: String { "a control service needs an application: give it at least one" }
}
