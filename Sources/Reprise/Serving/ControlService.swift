import FileWatching
import FoundationEssentials
public import Logging
import NIOCore
import NIOPosix
public import Preservation
public import ServiceLifecycle
import VarlinkServing

/// Service that gives a program a control socket, through which `reprisectl` can inspect and operate the program's
/// applications.
///
/// Among the services of the program, list the control service after the applications:
///
/// ```swift
/// let control = try ControlService(
///     [application], of: ProgramDescription(name: "jobrunner", version: "1.0"), logger: logger)
/// let services = ServiceGroup(
///     services: [application, worker, control], gracefulShutdownSignals: [.sigterm], logger: logger)
/// ```
///
/// A ``Daemon`` also has a control socket, reads a configuration, and notifies systemd of its state.
public struct ControlService: Service {
    private let applications: ApplicationList
    private let program: ProgramDescription
    private let controlSockets: ControlSockets
    private let logger: Logger

    /// Creates a control service for a program.
    ///
    /// The program's user and the members of the program's group may connect.
    ///
    /// - Parameters:
    ///   - applications: The applications to serve. There must be at least one, and all must use the same state
    ///     directory. Commands that name no application apply to the first.
    ///   - program: The name and version of the program.
    ///   - socket: The path of the socket, at most 107 bytes long. If it is `nil`, the service uses the socket named
    ///     `varlink` that the service manager passed. If there is no such socket, the path is
    ///     `$RUNTIME_DIRECTORY/control` or, if that variable is not set, `$XDG_RUNTIME_DIR/NAME/control`, where NAME is
    ///     the name of the program's directories.
    ///   - logger: The logger for requests and refused clients.
    /// - Throws: An error if there is no path for the socket, or if another program is listening on the socket.
    public init(
        _ applications: [Application], of program: ProgramDescription, socket: String? = nil,
        logger: Logger
    ) throws {
        if applications.isEmpty { throw ControlServiceError.noApplications }
        self.applications = ApplicationList(applications: applications)
        self.program = program
        self.logger = logger
        do {
            controlSockets = try ControlSockets(
                PassedSockets(), socket: socket, settings: Configuration.Control(),
                environment: ProcessInfo.processInfo.environment,
                directoryName: program.directoryName, logger)
        } catch LocationError.noControlSocket {
            throw ControlServiceError.noSocketPath
        } catch LocationError.socketPathTooLong(let path) {
            throw ControlServiceError.pathTooLong(path)
        }
    }

    /// Starts listening after the applications have launched, and serves clients until the service shuts down
    /// gracefully.
    ///
    /// - Throws: An error if the service cannot listen, or if an application already has a control socket.
    public func run() async throws {
        try await EventLoops.withGroup { group in
            let clock = EventLoopClock(loop: group.next())
            let now = PreservationSettings().now
            let feed = EventFeed(eventLoop: clock.loop, now: now)
            let daemonState = DaemonState(Configuration(applications: []))
            let server = try ControlImplementation(
                program: program, startTime: now(), applications: applications,
                stateDirectory: applications.applications[0].stateDirectory,
                daemonState: daemonState, reloadRequests: nil, feed: feed,
                metrics: try DaemonMetrics(
                    registry: MetricsRegistry(), version: program.version, startTime: now()),
                clock: clock,
                drawings: SharedDrawings(clock: clock, executor: EventLoopTaskExecutor(clock.loop))
            ).makeServer(on: group, logger: logger, auditLogger: logger)
            var followedApplications: [Application] = []
            let result: Result<Void, any Error>
            do {
                for application in applications.applications {
                    guard await application.follow(by: feed) else {
                        throw ControlServiceError.alreadyServed(application.bundleIdentifier)
                    }
                    followedApplications.append(application)
                }
                let watch = ControlSocketWatch(
                    server: server, controlSockets: controlSockets,
                    watcher: Result { () throws(FileWatchError) in try FileWatcher() },
                    watchStatus: WatchStatusRecorder(
                        daemonState: daemonState, log: DaemonLog(logger: logger)),
                    clock: clock)
                try await ControlSocketListener(
                    server: server, controlSockets: controlSockets, applications: applications,
                    readiness: Readiness(), watch: watch, executor: globalConcurrentExecutor
                ).run()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // The event loop is about to shut down, so no client can receive later events.
            for application in followedApplications { await application.removeFollower() }
            try result.get()
        }
    }
}

/// Reason why a control service cannot be created or run.
enum ControlServiceError: Error, CustomStringConvertible {
    case noApplications
    case alreadyServed(String)
    case noSocketPath
    case pathTooLong(String)

    /// Sentence that states what is wrong and what to do.
    var description: String {
        switch self {
        case .noApplications: "a control service needs at least one application"
        case .noSocketPath:
            "there is no path for the control socket (checked $RUNTIME_DIRECTORY and "
                + "$XDG_RUNTIME_DIR): specify one when you create the service (socket:)"
        case .pathTooLong(let path):
            "the path of the control socket \(path) has \(path.utf8.count) bytes, but the maximum is "
                + "\(DaemonLocations.maximumSocketPathBytes): specify a shorter path (socket:)"
        case .alreadyServed(let application):
            "\(application) already has a control socket: remove this one; a Daemon has its own"
        }
    }
}
