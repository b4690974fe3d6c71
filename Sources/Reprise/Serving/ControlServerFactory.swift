import Logging
import NIOCore
import NIOPosix
import Preservation
import RepriseControl
import Varlink
import VarlinkServing

/// Factory that creates the server for a program's control socket from the parts of the program that the server uses.
struct ControlServerFactory {
    let program: ProgramDescription
    /// Start time of the program in microseconds since 1970-01-01 UTC.
    let startTime: Int64
    let applications: ApplicationList
    let stateDirectory: ApplicationStateDirectory
    let daemonState: DaemonState
    /// Queue of reload requests, or `nil` if the program has nothing to reload.
    let reloadRequests: ReloadRequestQueue?
    let feed: EventFeed
    let registry: MetricsRegistry
    let clock: EventLoopClock

    /// Creates the server for the control socket, and the closure that returns the metrics as text.
    ///
    /// - Parameters:
    ///   - others: Additional interfaces.
    ///   - auditLogger: Logger that logs requests regardless of the current log level.
    func makeServer(
        on group: MultiThreadedEventLoopGroup,
        with otherDispatchers: [any InterfaceDispatcher] = [],
        logger: Logger, auditLogger: Logger
    ) throws -> (server: VarlinkServer, metricsText: @Sendable (MetricsFormat) async -> String) {
        let metrics = DaemonMetrics(
            registry: registry, version: program.version, startTime: startTime,
            methods: try ControlInterface.definition().qualifiedMethods)
        let clients = ConnectionRegistry()
        let methods = ControlImplementation(
            program: program, startTime: startTime, applications: applications,
            stateDirectory: stateDirectory, daemonState: daemonState,
            reloadRequests: reloadRequests, feed: feed,
            clients: clients, metrics: metrics, clock: clock,
            drawings: SharedDrawings(
                clock: clock, executor: EventLoopTaskExecutor(group.next())))
        let audit = AuditLog(
            log: DaemonLog(logger: auditLogger, feed: feed), applications: applications,
            rateLimiter: AuditRateLimiter { [clock] task in
                _ = clock.loop.scheduleTask(in: .minutes(1), task)
            })
        let server = try VarlinkServer(
            info: ServiceInfo(program),
            interfaces: [try ControlRequestDispatcher(methods)] + otherDispatchers,
            registry: clients,
            group: group,
            observe: { call, peer in
                metrics.count(call)
                audit.record(call, by: peer)
            },
            authorize: ControlAccess.policy(group: program.group) { [daemonState] in
                daemonState.values.configuration.control.observerGroup
            },
            onRefusal: { [feed] _, sentence, isLogged in
                metrics.countRefusal()
                if isLogged { feed.record(.refused, sentence) }
            }, logger: logger)
        server.limits.apply(daemonState.values.configuration.control)
        return (server, methods.metricsText)
    }
}

extension ServiceInfo {
    /// Creates the service information that a program reports about itself.
    init(_ program: ProgramDescription) {
        self.init(
            vendor: program.vendor, product: program.name, version: program.version,
            url: program.url)
    }
}
