import Logging
import NIOCore
import NIOPosix
import Preservation
import RepriseControl
import Varlink
import VarlinkServing

/// What a control socket tells of and acts on, and what is made of it.
struct ControlAssembly {
    let program: ProgramDescription
    /// When it started: microseconds since 1970-01-01 UTC.
    let started: Int64
    let applications: ApplicationList
    let stateDirectory: ApplicationStateDirectory
    let condition: DaemonCondition
    /// Where reloads are asked for; nil: there is nothing to reload.
    let reloads: ReloadRequests?
    let feed: EventFeed
    let registry: MetricsRegistry
    let clock: EventLoopClock

    /// The server of the interface, and the text of its metrics.
    ///
    /// - Parameters:
    ///   - others: interfaces that it has besides.
    ///   - audited: logs what was asked for, whatever the level is.
    func server(
        on group: MultiThreadedEventLoopGroup, with others: [InterfaceImplementation] = [],
        logger: Logger, audited: Logger
    ) throws -> (server: VarlinkServer, metricsText: @Sendable (MetricsFormat) async -> String) {
        let metrics = DaemonMetrics(
            registry: registry, version: program.version, started: started,
            methods: try ControlInterface.definition().qualifiedMethods)
        let clients = ConnectionRegister()
        let methods = DaemonMethods(
            program: program, started: started, applications: applications,
            stateDirectory: stateDirectory, condition: condition, reloads: reloads, feed: feed,
            clients: clients, metrics: metrics, clock: clock,
            executor: EventLoopTaskExecutor(group.next()))
        let audit = AuditLog(
            log: DaemonLog(logger: audited, feed: feed), applications: applications,
            minutes: AuditMinutes { [clock] task in
                _ = clock.loop.scheduleTask(in: .minutes(1), task)
            })
        let server = try VarlinkServer(
            info: ServiceInfo(program),
            interfaces: [methods.all().implementation] + others, register: clients, group: group,
            observe: { call, peer in
                metrics.note(call)
                audit.note(call, by: peer)
            },
            authorize: ControlAccess.policy(group: program.group) { [condition] in
                condition.values.configuration.control.observers
            },
            onRefusal: { [feed] _, sentence, isLogged in
                metrics.noteRefused()
                if isLogged { feed.note(.refused, sentence) }
            }, logger: logger)
        server.limits.take(condition.values.configuration.control)
        return (server, methods.metricsText)
    }
}

extension ServiceInfo {
    /// What a program tells of itself.
    init(_ program: ProgramDescription) {
        self.init(
            vendor: program.vendor, product: program.name, version: program.version,
            url: program.url)
    }
}
