import NIOCore
import NIOEmbedded
import Preservation
import RepriseControl
import TestSupport
import Varlink
import VarlinkServing

@testable import Reprise

/// Methods of the control interface, which a test calls without a socket.
struct ControlCaller {
    let implementation: ControlImplementation
    let daemonState: DaemonState
    private let service: VarlinkService

    /// Creates the methods.
    ///
    /// - Parameter cluster: Cluster that the applications belong to, or `nil` outside a cluster.
    init(
        _ applications: [Application], cluster: (any ClusterManaging)? = nil,
        daemonState: DaemonState = DaemonState(Configuration(applications: []))
    ) throws {
        self.daemonState = daemonState
        let loop = NIOAsyncTestingEventLoop()
        implementation = ControlImplementation(
            program: ProgramDescription(name: "jobs", version: "7"), startTime: 1_000_000,
            applications: ApplicationList(applications: applications, cluster: cluster),
            stateDirectory: applications[0].stateDirectory, daemonState: daemonState,
            reloadRequests: nil,
            feed: EventFeed(eventLoop: loop, now: { 0 }),
            metrics: DaemonMetrics(
                registry: MetricsRegistry(), version: "", startTime: 0, methods: []),
            clock: ContinuousClock(),
            drawings: SharedDrawings(
                clock: ContinuousClock(), executor: EventLoopTaskExecutor(loop)))
        service = try VarlinkService(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
            interfaces: [try ControlRequestDispatcher(implementation)], logger: .quiet)
    }

    /// Calls a method as the user 7.
    ///
    /// - Parameter stream: Stream of the replies before the last reply.
    func call<Call: MethodCall>(
        _ call: Call, access: Access = .all, stream: ReplyStream? = nil
    ) async throws -> Call.Reply {
        let parameters = String(decoding: try JSONText.write(call), as: UTF8.self)
        let outcome = try await answer(
            Call.qualifiedMethod, parameters, access: access, stream: stream)
        switch outcome {
        case .parameters(let bytes): return try JSONText.read(Call.Reply.self, from: bytes)
        case .error(let error): throw error
        }
    }

    /// Calls a method as the user 7, with parameters in JSON.
    func answer(
        _ method: String, _ parameters: String, access: Access = .all, stream: ReplyStream? = nil
    ) async throws -> ReplyMessage.Outcome {
        let message = #"{"method":"\#(method)","parameters":\#(parameters)}"#
        return await service.answer(
            try Varlink.Call(parsing: Array(message.utf8)), from: Peer(pid: 1, uid: 7, gid: 0),
            access: access, stream: stream)
    }
}

/// Cluster that records the requests that it receives.
final class RecordingCluster: ClusterManaging {
    let requests = AwaitableState<[String]>([])
    /// Applications that another host runs.
    private let moved: [String]
    /// Error that every operation throws, or `nil` if operations succeed.
    private let failure: ControlError?

    init(moved: [String] = [], failure: ControlError? = nil) {
        (self.moved, self.failure) = (moved, failure)
    }

    private func record(_ request: String) throws(ControlError) {
        requests.change { $0.append(request) }
        if let failure { throw failure }
    }

    func ownershipError(_ application: String) -> ControlError? {
        moved.contains(application)
            ? .ownedElsewhere(application: application, host: "two", reason: nil) : nil
    }

    func describe() async -> ClusterDescription { .with { $0.name = "test" } }

    func ownership(of application: String) async -> OwnershipDescription? {
        .with { $0.host = "owner of \(application)" }
    }

    func metrics() async -> ClusterMetrics {
        ClusterMetrics(hasValidLease: true, hostCount: 5, epochs: [], storeLatency: nil)
    }

    func clusterReply() async -> ClusterCall.Reply { .with { $0.leaseSeconds = 9 } }

    func ownerHistory(of application: String?) async throws(ControlError)
        -> [OwnerChangeDescription]
    {
        try record("history \(application ?? "-")")
        return [.with { $0.host = "one" }, .with { $0.host = "two" }]
    }

    func pauseTakeovers(
        because reason: String?, by user: String
    ) async throws(ControlError) -> TakeoverPauseDescription? {
        try record("pause \(reason ?? "-") \(user)")
        return .with { $0.host = "three" }
    }

    func resumeTakeovers() async throws(ControlError) { try record("resume") }

    func takeOver(_ application: String, force: Bool, by user: String) async throws(ControlError) {
        try record("take \(application) \(force) \(user)")
    }

    func move(_ application: String, to host: String) async throws(ControlError) {
        try record("move \(application) \(host)")
    }

    func setDraining(_ isDraining: Bool) async throws(ControlError) -> [MovedApplication] {
        try record("drain \(isDraining)")
        return ["a", "b"].map { name in .with { $0.application = name } }
    }
}

/// Collection of the replies before the last reply.
struct CollectedReplies {
    let replies = AwaitableState<[[UInt8]]>([])

    var stream: ReplyStream {
        ReplyStream { [replies] some in replies.change { $0 += some } }
    }

    func decoded<Reply: JSONMessage>(as type: Reply.Type) throws -> [Reply] {
        try replies.state.map { try JSONText.read(type, from: $0) }
    }
}
