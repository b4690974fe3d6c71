import CLinux
import Encryption
import ExactText
import FileWatching
public import FoundationEssentials
import Glibc
import LinuxIO
import Logging
import NIOCore
import NIOPosix
import Preservation
import RepriseControl
public import ServiceLifecycle
import StateRestoration
import Systemd
import TerminalText
import UnixSignals
import VarlinkServing

/// Daemon that hosts restorable applications.
///
/// To run a complete program, call ``main(_:applications:services:)``.
///
/// The daemon reads its configuration, locks its state directory, launches the configured applications, listens on
/// its control socket, and notifies systemd when it is ready. It serves clients until it is asked to stop, and then
/// saves all state.
public struct Daemon: Service {
    /// Version of Reprise.
    public static let version = ProgramDescription.repriseVersion

    private let program: ProgramDescription
    private let availableApplications: [HostedApplication]
    private let makeServices: (@Sendable (ApplicationList) async throws -> [any Service])?
    private let options: DaemonOptions
    private let environment: [String: String]
    /// Signals that stop the daemon gracefully.
    private let gracefulShutdownSignals: [UnixSignal]
    private let notifications: ServiceNotificationQueue
    private let sockets: Result<PassedSockets, SystemdError>

    /// Maximum time that a stopping daemon waits for the service manager to read its notifications.
    private static let finalFlushTimeout = Duration.seconds(2)

    /// Creates a daemon that runs as one of a program's services.
    ///
    /// If the program consists only of the daemon, call ``main(_:applications:services:)`` instead.
    ///
    /// The initializer adopts the sockets that the service manager passed to the process. Create the daemon before the
    /// program opens descriptors or starts threads.
    ///
    /// - Parameters:
    ///   - program: The name and version of the program.
    ///   - applications: The applications that the program offers. The configuration selects the applications to host.
    ///   - options: The values of the command-line options.
    ///   - environment: The environment variables.
    ///   - services: A closure that creates the program's other services, which use its applications. The closure runs
    ///     before the applications launch, so it can declare their values. At shutdown, these services stop before the
    ///     applications. If one of them returns earlier, the daemon stops.
    public init(
        _ program: ProgramDescription, applications: [HostedApplication],
        options: DaemonOptions = DaemonOptions(),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        services: (@Sendable (ApplicationList) async throws -> [any Service])? = nil
    ) {
        self.init(
            program, applications: applications, options: options, environment: environment,
            gracefulShutdownSignals: [], sockets: PassedSockets.fromEnvironment(),
            services: services)
    }

    init(
        _ program: ProgramDescription, applications: [HostedApplication], options: DaemonOptions,
        environment: [String: String], gracefulShutdownSignals: [UnixSignal],
        sockets: Result<PassedSockets, SystemdError>,
        services: (@Sendable (ApplicationList) async throws -> [any Service])?
    ) {
        self.program = program
        availableApplications = applications
        makeServices = services
        self.options = options
        self.environment = environment
        self.gracefulShutdownSignals = gracefulShutdownSignals
        self.sockets = sockets
        notifications = ServiceNotificationQueue { failure in
            Logger(label: program.name).warning("systemd could not be notified: \(failure)")
        }
    }

    /// Sends every log message from the process to the journal or to stderr.
    ///
    /// Call this function once, before the first message is logged.
    public static func bootstrapLogging() {
        SystemdLogging.bootstrap()
    }

    /// Checks the configuration and every file that it refers to, without starting the daemon.
    ///
    /// - Parameter overrides: The files and the service to check instead of the installed files and this process. If
    ///   ``ConfigurationCheckOverrides/unit`` is set, this process permanently adopts that service's user and limits.
    /// - Returns: A sentence that names the checked files, followed by one line for each warning.
    /// - Throws: ``DaemonError``, which lists every error with its file, line and column.
    func check(_ overrides: ConfigurationCheckOverrides = ConfigurationCheckOverrides())
        throws(DaemonError) -> String
    {
        do {
            // A file that an option names may not be installed yet, so the service's user may be unable to read it.
            let fileReader = try PreloadedConfigurationFileReader(
                [options.configuration, overrides.dropIn].compactMap(\.self), of: program.name)
            let serviceEnvironment = try overrides.becomeService()
            let resolvedConfiguration = try ResolvedConfiguration(
                of: program, availableApplications: availableApplications, options: options,
                environment: environment.merging(serviceEnvironment) { $1 }, overrides: overrides,
                fileReader: fileReader)
            let summary =
                "\(resolvedConfiguration.loadedConfiguration.sourcePhrase), and the storyboards of all applications: no errors found."
            return
                ([summary, overrides.mergeOrderNote].compactMap(\.self)
                + resolvedConfiguration.warnings(passedSockets: nil).map { "warning: \($0)" })
                .map(\.printable).joined(separator: "\n")
        } catch {
            throw DaemonError(error)
        }
    }

    /// Returns the configuration that the daemon would use, as YAML with the position of each value.
    ///
    /// - Throws: ``DaemonError`` if the daemon would refuse to start with the configuration.
    func configurationText() throws(DaemonError) -> String {
        do {
            let resolvedConfiguration = try ResolvedConfiguration(
                of: program, availableApplications: availableApplications, options: options,
                environment: environment)
            return ConfigurationText(resolvedConfiguration.loadedConfiguration).description
        } catch {
            throw DaemonError(error)
        }
    }

    /// Runs the daemon until it has shut down gracefully.
    ///
    /// - Throws: ``DaemonError``, after the error has been reported to systemd.
    public func run() async throws(DaemonError) {
        defer { notifications.flush(within: Self.finalFlushTimeout) }
        do {
            try await start()
        } catch {
            let daemonError = DaemonError(error)
            let errorNumber: CInt = daemonError.kind == .configuration ? EINVAL : EIO
            notifications.send(
                .status("Failed: \(daemonError.lines.first ?? "")"), .errno(errorNumber))
            throw daemonError
        }
    }

    /// Replies to clients on the sockets that the service manager has passed, after the daemon has failed to start.
    ///
    /// Each call receives the error `ConfigurationRefused` or `StartFailed`. This takes up to a second, so call this
    /// method last.
    func replyToClients(with error: DaemonError) async {
        // A daemon that reports unsaved state has run, and has already closed its sockets.
        if case .unsaved = error.kind { return }
        guard case .success(let sockets) = sockets else { return }
        do {
            try await FailedStartServer(program, sockets.consumeAllListeners(), because: error)
                .replyToClients()
        } catch {
            DaemonError(error).log(as: program.name)
        }
    }

    private func start() async throws {
        _ = try sockets.get()
        try await EventLoops.withGroup { group in
            // Tasks must not run on the global executor (see ``EventLoopClock``).
            try await withTaskExecutorPreference(EventLoopTaskExecutor(group.next())) {
                try await start(by: EventLoopClock(loop: group.next()))
            }
        }
    }

    private func start(by clock: EventLoopClock) async throws {
        let resolvedConfiguration = try ResolvedConfiguration(
            of: program, availableApplications: availableApplications, options: options,
            environment: environment)
        let configuration = resolvedConfiguration.loadedConfiguration.configuration
        let level = LiveLogLevel(resolvedConfiguration.logLevel)
        var logger = Logger(label: program.name)
        // Audit messages are logged regardless of the log level, because clients may change it.
        var auditLogger = logger
        auditLogger.logLevel = .notice
        logger.handler = LiveLogHandler(logger.handler, level)

        DescriptorLimit.raise()
        // The mask does not restrict the owner, because another thread may open a file or directory after its creation
        // but before chmod(2).
        let mask = umask(0o077)
        umask(mask & 0o077)
        let keys = try loadEncryptionKeys(configuration, logger)
        let directory = try openStateDirectory(keys, logger)
        let controlSockets = try makeControlSockets(configuration, logger)
        let feed = EventFeed(eventLoop: clock.loop, now: PreservationSettings.timeOfDay)
        let dependencies = SharedDependencies(
            resolvedConfiguration: resolvedConfiguration, keys: keys, directory: directory,
            controlSockets: controlSockets, level: level,
            logger: logger, auditLogger: auditLogger, clock: clock, feed: feed,
            log: DaemonLog(logger: logger, feed: feed), daemonState: DaemonState(configuration))
        try await EventLoops.withGroup { group in
            var yielders: [EventLoopYielder] = []
            defer { for yielder in yielders { yielder.close() } }
            let applicationClock = EventLoopClock(loop: group.next())
            let hostedApplications = try await makeApplications(
                dependencies, by: applicationClock, &yielders)
            let cluster = try makeClusterService(
                of: hostedApplications, by: applicationClock, dependencies)
            let services = try await makeAllServices(
                ApplicationList(applications: hostedApplications, cluster: cluster), cluster,
                dependencies, on: group)
            async let _ = warnAboutOutdatedFiles(directory, dependencies.log)
            try await serve(services, logger)
        }
    }

    /// Objects that several of the daemon's services share.
    private struct SharedDependencies {
        let resolvedConfiguration: ResolvedConfiguration
        let keys: EncryptionKeys
        let directory: ApplicationStateDirectory
        let controlSockets: ControlSockets
        let level: LiveLogLevel
        let logger: Logger
        /// Logger for audit messages. Its level never changes.
        let auditLogger: Logger
        let clock: EventLoopClock
        let feed: EventFeed
        let log: DaemonLog
        let daemonState: DaemonState
        let registry = MetricsRegistry()
        let readiness = Readiness()
        let reloadRequests = ReloadRequestQueue()

        var configuration: Configuration { resolvedConfiguration.loadedConfiguration.configuration }
    }

    /// Creates the configured applications.
    ///
    /// - Parameter yielders: The yielders for the applications' event loop. The caller must close them, even after an
    ///   error.
    private func makeApplications(
        _ dependencies: SharedDependencies, by clock: EventLoopClock,
        _ yielders: inout [EventLoopYielder]
    ) async throws -> [Application] {
        var settings = PreservationSettings(dependencies.configuration)
        // A timer on another event loop would wake that loop's thread.
        settings.clock = clock
        settings.follower = dependencies.feed
        settings.metrics = dependencies.registry
        var hostedApplications: [Application] = []
        for definition in dependencies.resolvedConfiguration.definitions {
            let yielder = EventLoopYielder(on: clock.loop)
            try await yielder.open()
            yielders.append(yielder)
            settings.yieldExecutor = { await yielder.yield() }
            settings.isClustered = dependencies.configuration.cluster.includes(
                definition.bundleIdentifier)
            hostedApplications.append(
                try Application(
                    definition: definition, stateDirectory: dependencies.directory,
                    settings: settings,
                    executor: clock.loop.executor, logger: dependencies.logger))
        }
        return hostedApplications
    }

    /// Creates the daemon's services and the program's other services, in the order in which they start.
    ///
    /// Services stop in reverse order. The metrics service stops last, so that it also records how the applications
    /// stopped.
    private func makeAllServices(
        _ applications: ApplicationList, _ cluster: (any ClusterManaging & Service)?,
        _ dependencies: SharedDependencies, on group: MultiThreadedEventLoopGroup
    ) async throws -> [ServiceGroupConfiguration.ServiceConfiguration] {
        let (server, metricsText) = try makeServer(applications, dependencies, on: group)
        logStart(dependencies)
        let metricsWriter = MetricsFileWriter(
            daemonState: dependencies.daemonState, applications: applications,
            makeText: metricsText,
            registry: dependencies.registry, clock: dependencies.clock, log: dependencies.log)
        let systemdNotifier = SystemdNotifier(
            notifications: notifications, applications: applications,
            readiness: dependencies.readiness,
            daemonState: dependencies.daemonState,
            watchdogTimeout: watchdogTimeout(dependencies.logger),
            clock: dependencies.clock)
        let watcher = Result { () throws(FileWatchError) in try FileWatcher() }
        let watchStatus = WatchStatusRecorder(
            daemonState: dependencies.daemonState, log: dependencies.log)
        let controlListener = ControlSocketListener(
            server: server, controlSockets: dependencies.controlSockets, applications: applications,
            readiness: dependencies.readiness,
            watch: ControlSocketWatch(
                server: server, controlSockets: dependencies.controlSockets, watcher: watcher,
                watchStatus: watchStatus,
                clock: dependencies.clock),
            executor: EventLoopTaskExecutor(dependencies.clock.loop))
        let reloadService = makeReloadService(
            applications, server, dependencies, watcher, watchStatus)
        let archiveWatch = ArchiveWatch(
            applications, below: dependencies.directory.path, by: watcher, watchStatus: watchStatus,
            clock: dependencies.clock)
        let programServices = try await makeProgramServices(applications).map { programService in
            serviceConfiguration(
                ProgramService(service: programService, logger: dependencies.logger),
                "\(type(of: programService))",
                termination: .gracefullyShutdownGroup)
        }
        return [serviceConfiguration(metricsWriter, "metrics")]
            + applications.applications.map {
                // The daemon continues to run after the program has quit an application.
                serviceConfiguration($0, $0.bundleIdentifier, successTermination: .ignore)
            }
            + (cluster.map { [serviceConfiguration($0, "cluster")] } ?? []) + programServices + [
                serviceConfiguration(controlListener, "control"),
                serviceConfiguration(systemdNotifier, "manager"),
                serviceConfiguration(reloadService, "reload"),
                serviceConfiguration(archiveWatch, "archives"),
            ]
    }

    /// Creates the server for the control socket, and a closure that returns the metrics as text.
    private func makeServer(
        _ applications: ApplicationList, _ dependencies: SharedDependencies,
        on group: MultiThreadedEventLoopGroup
    ) throws -> (server: VarlinkServer, metricsText: @Sendable (MetricsFormat) async -> String) {
        let startTime = PreservationSettings.timeOfDay()
        let controlImplementation = ControlImplementation(
            program: program, startTime: startTime,
            applications: applications, stateDirectory: dependencies.directory,
            daemonState: dependencies.daemonState, reloadRequests: dependencies.reloadRequests,
            feed: dependencies.feed,
            metrics: try DaemonMetrics(
                registry: dependencies.registry, version: program.version, startTime: startTime),
            clock: dependencies.clock,
            drawings: SharedDrawings(
                clock: dependencies.clock, executor: EventLoopTaskExecutor(group.next())))
        let service = SystemdServiceImplementation(
            reloadRequests: dependencies.reloadRequests, level: dependencies.level,
            environment: environment)
        let server = try controlImplementation.makeServer(
            on: group, with: [try SystemdServiceDispatcher(service)], logger: dependencies.logger,
            auditLogger: dependencies.auditLogger)
        return (server, controlImplementation.metricsText)
    }

    /// Creates the service that reloads the configuration and the storyboards.
    private func makeReloadService(
        _ applications: ApplicationList, _ server: VarlinkServer,
        _ dependencies: SharedDependencies,
        _ watcher: Result<FileWatcher, FileWatchError>, _ watchStatus: WatchStatusRecorder
    ) -> ReloadService {
        var source = ConfigurationSource(
            program: program, availableApplications: availableApplications, options: options,
            environment: environment,
            startupConfiguration: dependencies.configuration,
            passedSocketsDescription: dependencies.controlSockets.passedSocketsDescription,
            clock: dependencies.clock)
        source.program.needsConfiguration =
            dependencies.resolvedConfiguration.loadedConfiguration.hasMainFile
        return ReloadService(
            reloader: Reloader(
                source: source, applications: applications, server: server,
                level: dependencies.level,
                daemonState: dependencies.daemonState, log: dependencies.log),
            requests: dependencies.reloadRequests, handlesSignals: !gracefulShutdownSignals.isEmpty,
            watch: ConfigurationWatch(
                source: source, watcher: watcher, requests: dependencies.reloadRequests,
                watchStatus: watchStatus),
            readiness: dependencies.readiness, notifications: notifications)
    }

    /// Logs that the daemon is starting, and any warnings about its configuration.
    private func logStart(_ dependencies: SharedDependencies) {
        let loadedConfiguration = dependencies.resolvedConfiguration.loadedConfiguration
        let encryption =
            dependencies.directory.encryptionKey.map { "encrypted with the key \($0)" }
            ?? "not encrypted"
        dependencies.log.log(
            .notice, .starting,
            "\(program.name) \(program.version): "
                + "\(loadedConfiguration.files.isEmpty ? "" : "configuration ")\(loadedConfiguration.sourcePhrase); state in "
                + "\(dependencies.directory.path), \(encryption); listening on \(dependencies.controlSockets)"
        )
        dependencies.log.log(
            dependencies.daemonState.updateWarnings(
                dependencies.resolvedConfiguration.warnings(
                    passedSockets: dependencies.controlSockets.passedSocketsDescription)))
    }

    /// Creates the service that runs each clustered application on only one host at a time, or returns `nil` outside a
    /// cluster.
    private func makeClusterService(
        of hostedApplications: [Application], by applicationClock: EventLoopClock,
        _ dependencies: SharedDependencies
    ) throws -> (any ClusterManaging & Service)? {
        let settings = dependencies.configuration.cluster
        guard settings.isConfigured else { return nil }
        #if Etcd
            let daemonState = dependencies.daemonState
            return try ClusterService(
                settings, interval: { daemonState.replicationInterval }, of: hostedApplications,
                sealedBy: dependencies.keys,
                as: EtcdCredentials(
                    in: environment["CREDENTIALS_DIRECTORY"],
                    authorityPath: settings.certificateAuthorityPath),
                clusterFiles: ClusterFiles(in: dependencies.directory.root),
                metrics: dependencies.registry,
                clock: dependencies.clock, applicationClock: applicationClock, log: dependencies.log
            )
        #else
            return nil
        #endif
    }

    /// Creates the program's other services on the global executor.
    ///
    /// Without such services, the program does not use the global executor, whose threads would wake up every second
    /// from then on.
    private func makeProgramServices(_ applications: ApplicationList) async throws -> [any Service]
    {
        guard let makeServices else { return [] }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await makeServices(applications)
        }
    }

    /// Returns a service's configuration, with an explicit name for the service.
    ///
    /// Without an explicit name, the service group would create one by reflection, which takes as long as the rest of
    /// the startup.
    private func serviceConfiguration(
        _ service: any Service, _ name: String,
        termination behavior: ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior =
            .cancelGroup,
        successTermination successBehavior: ServiceGroupConfiguration.ServiceConfiguration
            .TerminationBehavior? = nil
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        ServiceGroupConfiguration.ServiceConfiguration(
            service: service, successTerminationBehavior: successBehavior ?? behavior,
            failureTerminationBehavior: behavior,
            serviceName: name)
    }

    private func serve(
        _ services: [ServiceGroupConfiguration.ServiceConfiguration], _ logger: Logger
    ) async throws {
        var quietLogger = logger
        quietLogger.logLevel = max(logger.logLevel, .error)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: gracefulShutdownSignals,
                logger: quietLogger)
        )
        try await group.run()
    }

    private func watchdogTimeout(_ logger: Logger) -> Duration? {
        do {
            return try Watchdog.timeout
        } catch {
            logger.warning("the watchdog of systemd is not notified: \(error)")
            return nil
        }
    }

    private func loadEncryptionKeys(
        _ configuration: Configuration, _ logger: Logger
    ) throws -> EncryptionKeys {
        let credentialsDirectory = environment["CREDENTIALS_DIRECTORY"]
        // A core dump would contain the key and the decrypted state.
        if credentialsDirectory != nil, linux_set_dumpable(0) != 0 {
            logger.warning(
                """
                core dumps cannot be disabled and would contain the encryption key: \
                \(String(cString: strerror(errno)))
                """)
        }
        return try CredentialKeys(in: credentialsDirectory).keys(
            encrypts: configuration.preservation.encryption == .credential)
    }

    private func openStateDirectory(
        _ keys: EncryptionKeys, _ logger: Logger
    ) throws -> ApplicationStateDirectory {
        let path = try DaemonLocations.stateDirectory(
            option: options.stateDirectory, environment: environment,
            directoryName: program.directoryName)
        let directory = try ApplicationStateDirectory(path: path, keys: keys)
        if let reason = directory.unwritableReason {
            logger.error(
                """
                nothing can be saved in the state directory; the state there is restored, but \
                changes are not saved: \(reason)
                """)
        }
        return directory
    }

    /// Warns about files whose encryption does not match the configuration or cannot be checked.
    private func warnAboutOutdatedFiles(
        _ directory: ApplicationStateDirectory, _ log: DaemonLog
    ) async {
        guard directory.hasKeys, let outdatedFiles = await directory.outdatedFiles() else { return }
        if outdatedFiles.count > 0 {
            let files = outdatedFiles.count == 1 ? "1 file is" : "\(outdatedFiles.count) files are"
            let requiredEncryption = directory.encryptionKey.map {
                "not encrypted with the key \($0)"
            }
            log.log(
                .warning, .configurationWarning,
                "\(files) \(requiredEncryption ?? "encrypted, but should not be"): "
                    + "`reprisectl rekey` rewrites \(outdatedFiles.count == 1 ? "it" : "them"), "
                    + "or reports why it cannot")
        }
        if let first = outdatedFiles.failures.first {
            log.log(
                .warning, .configurationWarning,
                "the encryption of some files could not be checked: \(first)"
                    + (outdatedFiles.failures.count > 1
                        ? " And \(outdatedFiles.failures.count - 1) more." : ""))
        }
    }

    private func makeControlSockets(
        _ configuration: Configuration, _ logger: Logger
    ) throws -> ControlSockets {
        try ControlSockets(
            sockets.get(), socket: options.socket, settings: configuration.control,
            environment: environment,
            directoryName: program.directoryName, logger)
    }
}
