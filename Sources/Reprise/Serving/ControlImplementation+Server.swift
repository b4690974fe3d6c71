import Logging
import NIOCore
import NIOPosix
import Preservation
import RepriseControl
import Varlink
import VarlinkServing

extension ControlImplementation {
    /// Creates the server for the control socket.
    ///
    /// - Parameters:
    ///   - otherInterfaces: Additional interfaces.
    ///   - auditLogger: The logger for requests, which are logged regardless of the current log level.
    func makeServer(
        on group: MultiThreadedEventLoopGroup, with otherInterfaces: [any InterfaceDispatcher] = [],
        logger: Logger, auditLogger: Logger
    ) throws -> VarlinkServer {
        let loop = group.next()
        let audit = AuditLog(
            log: DaemonLog(logger: auditLogger, feed: feed), applications: applications,
            rateLimiter: AuditRateLimiter { _ = loop.scheduleTask(in: .minutes(1), $0) })
        let server = try VarlinkServer(
            info: ServiceInfo(program),
            interfaces: [try ControlRequestDispatcher(self)] + otherInterfaces,
            registry: connectionRegistry,
            group: group,
            observe: { [metrics] call, peer in
                metrics.count(call)
                audit.record(call, by: peer)
            },
            authorize: ControlAccess.policy(group: program.group) { [daemonState] in
                daemonState.values.configuration.control.observerGroup
            },
            onRefusal: { [feed, metrics] _, sentence, isLogged in
                metrics.countRefusal()
                if isLogged { feed.record(.refused, sentence) }
            }, logger: logger)
        server.limits.apply(daemonState.values.configuration.control)
        return server
    }
}

extension ServiceInfo {
    /// Creates the information that a program provides about itself.
    init(_ program: ProgramDescription) {
        self.init(
            vendor: program.vendor, product: program.name, version: program.version,
            url: program.url)
    }
}
