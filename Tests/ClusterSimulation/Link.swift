import ExactText
import Replication
import SimulatedStore
import TestSupport

/// Network between one host and the store.
final class Network: @unchecked Sendable {
    /// Whether no requests and no replies arrive.
    var isCut = false
    /// Percentage of requests and of replies that are lost.
    var lostPercent = 0
    /// Percentage of requests that arrive long after the client gave up.
    var delayedPercent = 0
    /// Maximum time that a request or a reply takes, in milliseconds.
    var latency = Network.usualLatency
    /// Whether the store denies all writes.
    var isDenied = false
    /// Called once before the reply to a renewal of the lease arrives.
    var willRenew: (() -> Void)?
    /// Called once when the next transaction that replaces the state of an application is sent. It arrives late.
    var willReplaceState: (() -> Void)?
    fileprivate var streams: [Stream] = []

    static let usualLatency = 4

    /// Number of watches that the host has.
    var watchCount: Int { streams.count }

    /// Whether a watch of the host reports nothing and the host has not noticed this yet.
    var hasSilentWatch: Bool { streams.contains { $0.isSilent } }

    /// Drops the connections of all watches without an error, like a firewall that has forgotten them.
    func silenceWatches() {
        for stream in streams { stream.isSilent = true }
    }

    /// Closes all connections, because the host's process has ended.
    func close() {
        for stream in streams { stream.serving?.cancel() }
        streams = []
    }

    /// Repairs the network. Silenced watches remain silent.
    func repair() {
        isCut = false
        lostPercent = 0
        delayedPercent = 0
        latency = Self.usualLatency
        isDenied = false
        willRenew = nil
        willReplaceState = nil
    }
}

/// Changes on their way from the store to a host.
private final class Stream: @unchecked Sendable {
    var isSilent = false
    var serving: Task<Void, Never>?
    private var changes: [KeyChange] = []
    private var error: StoreError?
    private var waiter: CheckedContinuation<Void, Never>?

    func push(_ new: [KeyChange]) {
        if isSilent { return }
        changes += new
        waiter.take()?.resume()
    }

    func end(_ error: StoreError) {
        self.error = error
        waiter.take()?.resume()
    }

    func wait() async {
        if !changes.isEmpty || error != nil { return }
        await withCheckedContinuation { waiter = $0 }
    }

    func takeChanges() -> (changes: [KeyChange], error: StoreError?) {
        defer { changes = [] }
        return (changes, error)
    }
}

/// Outcome of a request, which is either the reply or a timeout.
private final class Outcome<Reply: Sendable>: @unchecked Sendable {
    private var waiter: CheckedContinuation<Result<Reply, StoreError>, Never>?

    /// Starts a request and its timer with a closure, and waits for the outcome.
    func wait(_ body: () -> Void) async -> Result<Reply, StoreError> {
        await withCheckedContinuation {
            waiter = $0
            body()
        }
    }

    func end(with result: Result<Reply, StoreError>) { waiter.take()?.resume(returning: result) }
}

/// Connection of a host to the store. It loses and delays requests, replies and changes.
actor Link: ClusterStore {
    private static let timedOut = StoreError(.unavailable, "the store does not answer")
    /// Time after which the kernel ends a connection that no longer responds.
    private static let keepalive = Duration.seconds(5)

    private let server: MemoryStore
    private let network: Network
    private let simulation: Simulation
    private let clock: SimulatedClock
    private let bug: DeliberateBug?
    private nonisolated let executor: SimulatedExecutor

    init(
        to server: MemoryStore, over network: Network, in simulation: Simulation,
        clock: SimulatedClock, on executor: SimulatedExecutor, bug: DeliberateBug?
    ) {
        self.server = server
        self.network = network
        self.simulation = simulation
        self.clock = clock
        self.executor = executor
        self.bug = bug
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    // MARK: Requests

    func identify(
        _ keyspace: Keyspace, known: ClusterIdentity?
    ) async throws(StoreError) -> ClusterIdentity {
        try await exchange { [server] () throws(StoreError) in
            try await server.identify(keyspace, known: known)
        }
    }

    func range(_ range: KeyRange) async throws(StoreError) -> RangeReply {
        try await exchange { [server] () throws(StoreError) in try await server.range(range) }
    }

    func summary(ofKeysBelow prefix: String) async throws(StoreError) -> KeySummary {
        try await exchange { [server] () throws(StoreError) in
            await server.summary(ofKeysBelow: prefix)
        }
    }

    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> TransactionReply {
        var transaction = transaction
        switch bug {
        case .noFence where transaction.replacesState: transaction.conditions = []
        case .noOwnerComparison where transaction.putsOwner: transaction.conditions = []
        default: break
        }
        let request = { @Sendable [server, network, transaction] () async throws(StoreError) in
            if network.isDenied { throw StoreError(.denied, "permission denied") }
            return try await server.commit(transaction)
        }
        if bug == .acknowledgesEarly, transaction.putsState {
            Task { [self] in
                do throws(StoreError) { _ = try await exchange(request) } catch {}
            }
            await simulation.sleep(for: .milliseconds(1))
            return TransactionReply(succeeded: true, entries: [], storeRevision: 0)
        }
        guard transaction.replacesState, let report = network.willReplaceState.take() else {
            return try await exchange(request)
        }
        report()
        return try await exchange(arrivingAfter: simulation.milliseconds(6_000...20_000), request)
    }

    func grantLease(_ length: Duration) async throws(StoreError) -> Int64 {
        try await exchange { [server] () throws(StoreError) in try await server.grantLease(length) }
    }

    func keepAlive(lease: Int64, within limit: Duration) async throws(StoreError) -> Duration? {
        let began = clock.now
        let timeToLive = try await exchange(within: limit) {
            [server, network] () throws(StoreError) in
            let timeToLive = await server.keepAlive(lease: lease, within: limit)
            network.willRenew.take()?()
            return timeToLive
        }
        // The host relies on four fifths of this time.
        switch bug {
        case .noLeaseMargin: return timeToLive.map { $0 * 1.25 }
        case .countsFromReply: return timeToLive.map { $0 + began.duration(to: clock.now) * 1.25 }
        default: return timeToLive
        }
    }

    func revoke(lease: Int64) async throws(StoreError) {
        try await exchange { [server, network] () throws(StoreError) in
            if network.isDenied { throw StoreError(.denied, "permission denied") }
            try await server.revoke(lease: lease)
        }
    }

    /// Sends a request and waits for the reply. The request or the reply may be lost.
    ///
    /// A request that was sent is executed even if the host's process ends earlier.
    ///
    /// - Parameter delay: Time after which the request certainly arrives, or `nil` to let the network decide.
    private func exchange<Reply: Sendable>(
        within limit: Duration = .seconds(3), arrivingAfter delay: Duration? = nil,
        _ request: @escaping @Sendable () async throws(StoreError) -> Reply
    ) async throws(StoreError) -> Reply {
        let outcome = Outcome<Reply>()
        let timer = Task.detached { [simulation] in
            do { try await simulation.sleep(until: simulation.elapsed + limit) } catch { return }
            outcome.end(with: .failure(Self.timedOut))
        }
        defer { timer.cancel() }
        return try await outcome.wait {
            guard let delay = delay ?? arrival() else { return }
            Task.detached { [simulation, network] in
                await simulation.sleep(for: delay)
                let result: Result<Reply, StoreError>
                do throws(StoreError) {
                    result = .success(try await request())
                } catch {
                    result = .failure(error)
                }
                if network.isCut || simulation.numbers.happens(percent: network.lostPercent) {
                    return
                }
                await simulation.sleep(for: simulation.milliseconds(0...network.latency))
                outcome.end(with: result)
            }
        }.get()
    }

    /// Returns the time after which a request arrives, or `nil` if it is lost.
    private func arrival() -> Duration? {
        if network.isCut || simulation.numbers.happens(percent: network.lostPercent) { return nil }
        let isDelayed = simulation.numbers.happens(percent: network.delayedPercent)
        return simulation.milliseconds(0...(isDelayed ? 20_000 : network.latency))
    }

    // MARK: Watches

    func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never {
        _ = try await exchange { () throws(StoreError) in }
        let stream = Stream()
        network.streams.append(stream)
        stream.serving = Task { [server] in
            do throws(StoreError) {
                try await server.watch(keysBelow: prefix, from: revision) { stream.push($0) }
            } catch {
                if !stream.isSilent { stream.end(error) }
            }
        }
        defer {
            stream.serving?.cancel()
            network.streams.removeAll { $0 === stream }
        }
        while true {
            await stream.wait()
            await simulation.sleep(for: simulation.milliseconds(0...network.latency))
            let began = simulation.elapsed
            while network.isCut {
                await simulation.sleep(for: .milliseconds(500))
                if simulation.elapsed - began > Self.keepalive { throw Self.timedOut }
            }
            let (changes, error) = stream.takeChanges()
            if !changes.isEmpty, !stream.isSilent { report(changes) }
            if let error { throw error }
        }
    }

    func endWatches() {
        if bug == .silentWatch { return }
        for stream in network.streams { stream.end(Self.timedOut) }
    }
}

extension StoreTransaction {
    private var putKeys: [String] {
        successOperations.compactMap { if case .put(let key, _, _) = $0 { key } else { nil } }
    }

    /// Whether the transaction writes state of an application.
    fileprivate var putsState: Bool {
        putKeys.contains {
            !$0.utf8.starts(with: SimulatedCluster.keyspace.clusterStatePrefix.utf8)
        }
    }

    /// Whether the transaction replaces the state of an application with a whole state.
    fileprivate var replacesState: Bool {
        putsState && successOperations.contains { if case .delete = $0 { true } else { false } }
    }

    /// Whether the transaction makes a host the owner of an application.
    fileprivate var putsOwner: Bool {
        conditions.contains { if case .createRevision(_, 0) = $0 { true } else { false } }
            && putKeys.contains {
                $0.utf8.starts(with: "\(SimulatedCluster.keyspace.clusterStatePrefix)owners/".utf8)
            }
    }
}
