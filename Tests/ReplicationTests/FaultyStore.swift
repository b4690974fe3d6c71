import Replication
import SimulatedStore
import Synchronization

/// Clock that only a test advances.
final class ManualClock: SuspendAwareClock, Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock(\.self) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) throws {
        throw CancellationError()
    }
}

/// Store in memory whose requests fail as specified by a test.
actor FaultyStore: ClusterStore {
    nonisolated let serverCount: Int
    let base: MemoryStore
    /// Requested transactions, including failed transactions.
    private(set) var transactions: [StoreTransaction] = []
    private var failures: [StoreError.Kind] = []
    /// Returns the kind of error with which a transaction fails, or `nil` if it is executed.
    private var refusal: @Sendable (StoreTransaction) -> StoreError.Kind? = { _ in nil }

    /// - Parameter executor: Executor that reports changes of watched keys and runs the members that use the store.
    init(
        servers: Int = 1, on executor: QueueExecutor = QueueExecutor(),
        clock: any SuspendAwareClock = ContinuousClock()
    ) {
        serverCount = servers
        base = MemoryStore(on: executor, clock: clock)
    }

    /// Makes the next requests fail.
    func fail(_ kinds: [StoreError.Kind]) { failures += kinds }

    /// Sets which transactions fail.
    func refuse(_ refusal: @escaping @Sendable (StoreTransaction) -> StoreError.Kind?) {
        self.refusal = refusal
    }

    private func throwNextFailure() throws(StoreError) {
        if failures.isEmpty { return }
        throw StoreError(failures.removeFirst(), "the test")
    }

    func identify(
        _ keyspace: Keyspace, known: ClusterIdentity?
    ) async throws(StoreError) -> ClusterIdentity {
        try throwNextFailure()
        return try await base.identify(keyspace, known: known)
    }

    func range(_ range: KeyRange) async throws(StoreError) -> RangeReply {
        try throwNextFailure()
        return try await base.range(range)
    }

    func summary(ofKeysBelow prefix: String) async throws(StoreError) -> KeySummary {
        try throwNextFailure()
        return await base.summary(ofKeysBelow: prefix)
    }

    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> TransactionReply {
        transactions.append(transaction)
        try throwNextFailure()
        if let kind = refusal(transaction) { throw StoreError(kind, "the test") }
        return try await base.commit(transaction)
    }

    func grantLease(_ length: Duration) async throws(StoreError) -> Int64 {
        try throwNextFailure()
        return try await base.grantLease(length)
    }

    func keepAlive(lease: Int64, within limit: Duration) async throws(StoreError) -> Duration? {
        try throwNextFailure()
        return await base.keepAlive(lease: lease, within: limit)
    }

    func revoke(lease: Int64) async throws(StoreError) {
        try throwNextFailure()
        try await base.revoke(lease: lease)
    }

    func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never {
        try await base.watch(keysBelow: prefix, from: revision, report: report)
    }

    func endWatches() async { await base.endWatches() }
}
