import FileWatching
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
    private let applications: ApplicationList
    private let program: ProgramDescription
    private let address: ControlAddress
    private let logger: Logger

    /// - Parameters:
    ///   - applications: the applications, at least one, of one state directory; the first is the one
    ///     that a command without a name goes to.
    ///   - program: what the program is called.
    ///   - socket: the socket's path, at most 107 bytes; nil: the socket `varlink` that the service manager
    ///     passed, else `$RUNTIME_DIRECTORY/control`, else `$XDG_RUNTIME_DIR/NAME/control` with the name of
    ///     the program's folders. The program's user may call, and the members of its group.
    ///   - logger: told of who asked for what, and of clients that are refused.
    /// - Throws: an error that says why there is no place for the socket, or that another program listens
    ///   there.
    public init(
        _ applications: [Application], of program: ProgramDescription, socket: String? = nil,
        logger: Logger
    ) throws {
        if applications.isEmpty { throw ControlServiceError.noApplications }
        self.applications = ApplicationList(applications: applications)
        self.program = program
        self.logger = logger
        do {
            address = try ControlAddress(
                PassedSockets(), socket: socket, configured: Configuration.Control(),
                environment: ProcessInfo.processInfo.environment, folder: program.folder, logger)
        } catch LocationError.noControlSocket {
            throw ControlServiceError.noPlace
        } catch LocationError.socketPathTooLong(let path) {
            throw ControlServiceError.pathTooLong(path)
        }
    }

    /// Listens as soon as the applications are launched, and serves until the graceful shutdown.
    ///
    /// - Throws: why it cannot listen, or that an application has a control socket already.
    public func run() async throws {
        try await EventLoops.with(1) { group in
            let clock = EventLoopClock(loop: group.next())
            let now = PreservationSettings().now
            let feed = EventFeed(eventLoop: clock.loop, now: now)
            let condition = DaemonCondition(Configuration(applications: []))
            let (server, _) = try ControlAssembly(
                program: program, started: now(), applications: applications,
                stateDirectory: applications.applications[0].stateDirectory,
                condition: condition, reloads: nil,
                feed: feed, registry: MetricsRegistry(), clock: clock
            ).server(on: group, logger: logger, audited: logger)
            var followed: [Application] = []
            let result: Result<Void, any Error>
            do {
                for application in applications.applications {
                    guard await application.follow(by: feed) else {
                        throw ControlServiceError.isServed(application.bundleIdentifier)
                    }
                    followed.append(application)
                }
                let watch = ControlSocketWatch(
                    server: server, address: address,
                    watcher: Result { () throws(FileWatchError) in try FileWatcher() },
                    watchLog: WatchLog(condition: condition, log: DaemonLog(logger: logger)),
                    clock: clock)
                try await ControlListening(
                    server: server, address: address, applications: applications,
                    readiness: Readiness(), watch: watch, executor: globalConcurrentExecutor
                ).run()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // What they do yet is told to nobody: the event loop ends.
            for application in followed { await application.endFollowing() }
            try result.get()
        }
    }
}

/// Why a control service cannot be.
enum ControlServiceError: Error, CustomStringConvertible {
    case noApplications
    case isServed(String)
    case noPlace
    case pathTooLong(String)

    /// One sentence: what is wrong, and what to do.
    var description: String {
        switch self {
        case .noApplications: "a control service needs an application: give it at least one"
        case .noPlace:
            "there is no path for the control socket (checked $RUNTIME_DIRECTORY and "
                + "$XDG_RUNTIME_DIR): name one where the service is created (socket:)"
        case .pathTooLong(let path):
            "the path of the control socket \(path) has \(path.utf8.count) bytes and may have "
                + "\(DaemonLocations.longestSocketPath): name a shorter one (socket:)"
        case .isServed(let application):
            "\(application) has a control socket already: leave this one out; a Daemon has one"
        }
    }
}
