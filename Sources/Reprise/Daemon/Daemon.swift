import CLinux
import Encryption
import FileWatching
import Glibc
import LinuxIO
import Logging
import NIOCore
import NIOPosix
import Preservation
import RepriseControl
import ServiceLifecycle
import StateRestoration
import Systemd
import UnixSignals
import Varlink
import VarlinkServing

/// A daemon that hosts restorable applications: one call of ``run()`` does it all.
///
/// It reads its configuration, locks its state directory, launches the configured applications,
/// listens on its control socket, tells systemd when it is ready, and serves until SIGTERM or
/// SIGINT, on which it saves everything.
public struct Daemon: Sendable {
    /// The version of Reprise.
    public static let version = "0.1.0"

    private let offered: [HostedApplication]
    private let options: DaemonOptions
    private let environment: [String: String]
    private let notifications = NotificationQueue { failure in
        Logger(label: "reprised").warning("systemd could not be told: \(failure)")
    }

    /// How long the end of the process waits for the service manager to read what it was told.
    private static let lastPatience = Duration.seconds(2)

    /// - Parameters:
    ///   - applications: the applications that the program offers; the configuration names those
    ///     that are hosted.
    ///   - options: what the command line states.
    ///   - environment: the environment's variables.
    public init(
        applications: [HostedApplication], options: DaemonOptions, environment: [String: String]
    ) {
        offered = applications
        self.options = options
        self.environment = environment
    }

    /// Makes every log of the process go to the journal, or to stderr. Call it once, first.
    public static func bootstrapLogging() {
        SystemdLogging.bootstrap()
    }

    /// Reads the configuration and everything that it names, and starts nothing.
    ///
    /// - Parameter trial: what counts in the place of what a start would have. With a
    ///   ``DaemonTrial/unit`` this process stays one of that service's.
    /// - Returns: a sentence that names the files, of which nothing is wrong; then a line for each thing
    ///   that is doubtful.
    /// - Throws: ``DaemonError`` with everything that is wrong, each with file, line and column.
    public func check(_ trial: DaemonTrial = DaemonTrial()) throws(DaemonError) -> String {
        do {
            // A file that an option names is not in its place yet, and need not be the service's to read.
            let named = try NamedFiles([options.configuration, trial.dropIn].compactMap(\.self))
            let changed = try trial.becomeService()
            let assembly = try HostAssembly(
                offered: offered, options: options,
                environment: environment.merging(changed) { $1 }, trial: trial, named: named)
            let sound =
                "\(assembly.loaded.files.joined(separator: ", ")), and the storyboards of all applications: nothing is wrong."
            return ([sound] + assembly.doubts(passed: nil).map { "doubtful: \($0)" })
                .joined(separator: "\n")
        } catch {
            throw DaemonError(error)
        }
    }

    /// Runs the daemon until it is told to stop.
    ///
    /// - Throws: ``DaemonError``, which systemd has been told of; ``DaemonError/tell(as:)`` tells it to
    ///   the log.
    public func run() async throws(DaemonError) {
        defer { notifications.flush(within: Self.lastPatience) }
        do {
            try await start()
        } catch {
            let trouble = DaemonError(error)
            let number: CInt = trouble.kind == .configuration ? EINVAL : EIO
            notifications.send(.status("Failed: \(trouble.lines.first ?? "")"), .errno(number))
            throw trouble
        }
    }

    /// Answers the clients for whom the service manager started a program that does not start, if only
    /// a person can mend that: each call gets the error `ConfigurationRefused`. Call it last; it takes
    /// half a second if somebody waits.
    public static func answerClients(of error: DaemonError) async {
        switch error.kind {
        case .environment, .unsaved: return  // The next start may succeed.
        case .arguments, .configuration: break
        }
        do {
            try await RefusedStart(problems: error.lines).answerClients()
        } catch {
            DaemonError(error).tell(as: "reprised")
        }
    }

    private func start() async throws {
        let services = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // No task is left to the global pool: see ``EventLoopClock``.
        try await withTaskExecutorPreference(EventLoopTaskExecutor(services.next())) {
            try await start(by: EventLoopClock(loop: services.next()))
        }
        try await services.shutdownGracefully()
    }

    private func start(by clock: EventLoopClock) async throws {
        let assembly = try HostAssembly(
            offered: offered, options: options, environment: environment)
        let configuration = assembly.loaded.configuration
        let level = LiveLogLevel(assembly.logLevel)
        var logger = Logger(label: "reprised")
        // What is asked for is told whatever the level is, which a client may set.
        var audited = logger
        audited.logLevel = .notice
        logger.handler = LiveLogHandler(logger.handler, level)

        DescriptorLimit.raise()
        let directory = try openStateDirectory(configuration, logger)
        let address = try address(configuration, logger)
        let group = MultiThreadedEventLoopGroup(
            numberOfThreads: min(configuration.applications.count, System.coreCount))
        var settings = PreservationSettings(configuration)
        settings.clock = clock
        let feed = EventFeed(eventLoop: clock.loop, now: settings.now)
        settings.follower = feed
        let registry = MetricsRegistry()
        settings.metrics = registry
        let log = DaemonLog(logger: logger, feed: feed)
        var gates: [TurnGate] = []
        var hosted: [Application] = []
        for definition in assembly.definitions {
            let eventLoop = group.next()
            let gate = TurnGate(on: eventLoop)
            try await gate.open()
            gates.append(gate)
            settings.endTurn = { await gate.pass() }
            hosted.append(
                try Application(
                    definition: definition, stateDirectory: directory, settings: settings,
                    executor: eventLoop.executor, logger: logger))
        }
        let applications = ApplicationList(applications: hosted)
        let readiness = Readiness()
        let condition = DaemonCondition(configuration)
        let requests = ReloadRequests()
        let started = settings.now()
        let metrics = DaemonMetrics(
            registry: registry, version: Self.version, started: started,
            methods: try ControlInterface.definition().qualifiedMethods)
        let clients = ConnectionRegister()
        let methods = DaemonMethods(
            version: Self.version, started: started, applications: applications,
            stateDirectory: directory, condition: condition, reloads: requests, feed: feed,
            clients: clients, metrics: metrics, clock: clock)
        let audit = AuditLog(
            log: DaemonLog(logger: audited, feed: feed), applications: applications,
            minutes: AuditMinutes { task in
                _ = clock.loop.scheduleTask(in: .minutes(1), task)
            })
        let server = try VarlinkServer(
            info: .reprised,
            interfaces: [
                methods.all().implementation,
                ServiceControl(reloads: requests, level: level, environment: environment)
                    .interface(),
            ], register: clients, group: group,
            observe: { call, peer in
                metrics.note(call)
                audit.note(call, by: peer)
            },
            authorize: ControlAccess.policy { condition.values.configuration.control.observers },
            onRefusal: { _, sentence, isLogged in
                metrics.noteRefused()
                if isLogged { feed.note(.refused, sentence) }
            }, logger: logger)
        server.limits.take(configuration.control)
        log.tell(
            .notice, .starting,
            "reprised \(Self.version): configuration \(assembly.loaded.files.joined(separator: ", ")); state in "
                + "\(directory.path), \(directory.encryptionKey.map { "encrypted with the key \($0)" } ?? "not encrypted"); "
                + "listening on \(address)")
        log.tell(condition.newDoubts(assembly.doubts(passed: address.passed)))
        let control = ControlService(
            server: server, address: address, applications: applications, readiness: readiness)
        let manager = ManagerService(
            notifications: notifications, applications: applications, readiness: readiness,
            condition: condition, watchdogPeriod: watchdogPeriod(logger), clock: clock)
        let watcher = Result { () throws(FileWatchError) in try FileWatcher() }
        let watchLog = WatchLog(condition: condition, log: log)
        let source = ConfigurationSource(
            offered: offered, options: options, environment: environment, started: configuration,
            passedSockets: address.passed, clock: clock)
        let reload = ReloadService(
            reloader: Reloader(
                source: source, applications: applications, server: server, level: level,
                condition: condition, log: log),
            requests: requests,
            watch: ConfigurationWatch(
                source: source, watcher: watcher, requests: requests, log: watchLog),
            readiness: readiness, notifications: notifications)
        let archives = ArchiveWatch(
            applications, below: directory.path, by: watcher, log: watchLog)
        let hosts = applications.applications.map {
            service($0, $0.bundleIdentifier)
        }
        // The last to end is the first: it tells how the applications ended.
        let services =
            [
                service(
                    MetricsFile(
                        condition: condition, applications: applications,
                        text: methods.metricsText, registry: registry, clock: clock, log: log),
                    "metrics")
            ] + hosts + [
                service(control, "control"), service(manager, "manager"),
                service(reload, "reload"), service(archives, "archives"),
            ]
        // The end of the daemon does not wait for it.
        async let _ = tellOutdatedFiles(directory, log)
        try await serve(services, logger)
        for gate in gates { gate.close() }
        try await group.shutdownGracefully()
    }

    /// Without a name of its own a service is described by reflection, which takes as long as the
    /// rest of the start.
    private func service(
        _ service: any Service, _ name: String
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        ServiceGroupConfiguration.ServiceConfiguration(service: service, serviceName: name)
    }

    private func serve(
        _ services: [ServiceGroupConfiguration.ServiceConfiguration], _ logger: Logger
    ) async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .error)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet))
        try await group.run()
    }

    private func watchdogPeriod(_ logger: Logger) -> Duration? {
        do {
            return try Watchdog.period
        } catch {
            logger.warning("the watchdog is not served: \(error)")
            return nil
        }
    }

    private func openStateDirectory(
        _ configuration: Configuration, _ logger: Logger
    ) throws -> ApplicationStateDirectory {
        let path = try DaemonLocations.stateDirectory(
            option: options.stateDirectory, environment: environment)
        let folder = environment["CREDENTIALS_DIRECTORY"]
        // A core would hold the key, and all that is encrypted.
        if folder != nil, linux_set_dumpable(0) != 0 {
            logger.warning(
                "a core of the daemon would hold its key: \(String(cString: strerror(errno)))")
        }
        let credentials = try CredentialKeys(in: folder)
        let directory = try ApplicationStateDirectory(
            path: path,
            keys: credentials.keys(
                encrypts: configuration.preservation.encryption == .credential))
        if let reason = directory.unwritableReason {
            logger.error(
                """
                nothing can be saved in the state directory; what is there is restored, and runs \
                unsaved: \(reason)
                """)
        }
        return directory
    }

    /// Tells of files that are not encrypted as the configuration says, or cannot be looked at.
    private func tellOutdatedFiles(
        _ directory: ApplicationStateDirectory, _ log: DaemonLog
    ) async {
        guard directory.hasKeys, let outdated = await directory.outdatedFiles() else { return }
        if outdated.count > 0 {
            let files = outdated.count == 1 ? "1 file is" : "\(outdated.count) files are"
            let wanted = directory.encryptionKey.map { "not encrypted with the key \($0)" }
            log.tell(
                .warning, .doubtful,
                "\(files) \(wanted ?? "encrypted, and are not to be"): "
                    + "`reprisectl rekey` writes \(outdated.count == 1 ? "it" : "them") anew, "
                    + "or tells why that cannot be done")
        }
        if let first = outdated.failures.first {
            log.tell(
                .warning, .doubtful,
                "it is not known of every file whether it is encrypted as it is to be: \(first)"
                    + (outdated.failures.count > 1
                        ? " And \(outdated.failures.count - 1) more." : ""))
        }
    }

    private func address(
        _ configuration: Configuration, _ logger: Logger
    ) throws -> ControlService.Address {
        var sockets = try ListenSockets()
        let descriptors = try sockets.takeListeners(named: ControlService.socketName)
        if !descriptors.isEmpty { return .inherited(descriptors) }
        if !sockets.names.isEmpty {
            logger.warning(
                "sockets were passed in, but none is named \(ControlService.socketName): set FileDescriptorName=\(ControlService.socketName) in the socket unit",
                metadata: ["names": "\(sockets.names.joined(separator: ", "))"])
        }
        let path = try DaemonLocations.controlSocket(
            option: options.socket, configured: configuration.control.socket,
            environment: environment)
        try VarlinkServer.prepare(path: path)
        let mode: UInt32 = configuration.control.observers == nil ? 0o600 : 0o666
        return .path(path, mode: mode)
    }
}

extension ServiceInfo {
    /// What the daemon tells of itself.
    static var reprised: ServiceInfo {
        ServiceInfo(
            vendor: "Reprise", product: "reprised", version: Daemon.version,
            url: "https://reprise.org")
    }
}
