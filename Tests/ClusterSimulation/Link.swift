import Replication
import SimulatedStore
import TestSupport

/// Network between one host and the store.
final class Network: @unchecked Sendable {
    /// Whether no request and no reply arrives.
    var isCut = false
    /// Percentage of the requests and of the replies that are lost.
    var loss = 0
    /// Percentage of the requests that are executed long after the client gave up.
    var lateness = 0
    /// Whether the store denies all writes.
    var isDenied = false
    fileprivate var streams: [Stream] = []

    /// Drops the connections of all watches without an error, as a firewall does that forgets them.
    func silenceWatches() {
        for stream in streams { stream.isSilent = true }
    }

    /// Makes the network work again. Watches that were silenced remain silent.
    func repair() {
        isCut = false
        loss = 0
        lateness = 0
        isDenied = false
    }
}

/// Changes on their way from the store to a host.
private final class Stream: @unchecked Sendable {
    var isSilent = false
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

    func take() -> (changes: [KeyChange], error: StoreError?) {
        defer { changes = [] }
        return (changes, error)
    }
}

/// Connection of a host to the store. It loses and delays requests, replies and changes.
actor Link: ClusterStore {
    private static let timedOut = StoreError(.unavailable, "the store does not answer")
    /// Time after which the kernel ends a connection that no longer responds.
    private static let keepalive = Duration.seconds(5)

    private let server: MemoryStore
    private let network: Network
    private let simulation: Simulation
    private let control: Control?
    private nonisolated let executor: SimulatedExecutor

    init(
        to server: MemoryStore, over network: Network, in simulation: Simulation,
        on executor: SimulatedExecutor, control: Control?
    ) {
        self.server = server
        self.network = network
        self.simulation = simulation
        self.executor = executor
        self.control = control
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
        if control == .noGuard {
            transaction.conditions.removeAll { condition in
                if case .createRevision(_, 0) = condition { false } else { true }
            }
        }
        let isDenied = network.isDenied
        return try await exchange { [server, transaction] () throws(StoreError) in
            if isDenied { throw StoreError(.denied, "permission denied") }
            return try await server.commit(transaction)
        }
    }

    func grantLease(_ length: Duration) async throws(StoreError) -> Int64 {
        try await exchange { [server] () throws(StoreError) in try await server.grantLease(length) }
    }

    func keepAlive(lease: Int64, within limit: Duration) async throws(StoreError) -> Duration? {
        try await exchange(within: limit) { [server] () throws(StoreError) in
            await server.keepAlive(lease: lease, within: limit)
        }
    }

    func revoke(lease: Int64) async throws(StoreError) {
        try await exchange { [server] () throws(StoreError) in
            try await server.revoke(lease: lease)
        }
    }

    /// Sends a request, unless it is lost, and waits for the reply, unless that is lost.
    private func exchange<Reply: Sendable>(
        within limit: Duration = .seconds(3),
        _ request: @escaping @Sendable () async throws(StoreError) -> Reply
    ) async throws(StoreError) -> Reply {
        if network.isCut || simulation.numbers.happens(percent: network.loss) {
            await simulation.sleep(for: limit)
            throw Self.timedOut
        }
        if simulation.numbers.happens(percent: network.lateness) {
            let delay = simulation.milliseconds(0...20_000)
            Task { [simulation] in
                await simulation.sleep(for: delay)
                do throws(StoreError) { _ = try await request() } catch {}
            }
            await simulation.sleep(for: limit)
            throw Self.timedOut
        }
        await simulation.sleep(for: simulation.milliseconds(0...4))
        let result: Result<Reply, StoreError>
        do throws(StoreError) {
            result = .success(try await request())
        } catch {
            result = .failure(error)
        }
        if network.isCut || simulation.numbers.happens(percent: network.loss) {
            await simulation.sleep(for: limit)
            throw Self.timedOut
        }
        await simulation.sleep(for: simulation.milliseconds(0...4))
        return try result.get()
    }

    // MARK: Watches

    func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never {
        _ = try await exchange { () throws(StoreError) in }
        let stream = Stream()
        network.streams.append(stream)
        let serving = Task { [server] in
            do throws(StoreError) {
                try await server.watch(keysBelow: prefix, from: revision) { stream.push($0) }
            } catch {
                if !stream.isSilent { stream.end(error) }
            }
        }
        defer {
            serving.cancel()
            network.streams.removeAll { $0 === stream }
        }
        while true {
            await stream.wait()
            await simulation.sleep(for: simulation.milliseconds(0...4))
            let began = simulation.elapsed
            while network.isCut {
                await simulation.sleep(for: .milliseconds(500))
                if simulation.elapsed - began > Self.keepalive { throw Self.timedOut }
            }
            let (changes, error) = stream.take()
            if !changes.isEmpty, !stream.isSilent { report(changes) }
            if let error { throw error }
        }
    }

    func endWatches() {
        if control == .silentWatch { return }
        for stream in network.streams { stream.end(Self.timedOut) }
    }
}
