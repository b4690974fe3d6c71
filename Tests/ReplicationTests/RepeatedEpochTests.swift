import ExactText
import Replication
import SimulatedStore
import Testing

/// Tests of epochs and leases that two hosts share, after a store was restored from a backup or a machine was copied.
@Suite(.timeLimit(.minutes(10))) struct RepeatedEpochTests {
    private static let name = "org.example.Jobs"

    @Test func `a host does not own an application that another host owns in the same epoch`()
        async throws
    {
        let queue = QueueExecutor()
        let store = MemoryStore(on: queue, clock: ContinuousClock())
        let keyspace = Keyspace(cluster: "test")
        let member = ClusterMember(
            "a", in: keyspace, of: [ExactString(Self.name)], by: store, for: .seconds(60),
            savedFacts: SavedClusterFacts(saveLease: { _ in }), on: queue, clock: ContinuousClock(),
            report: { _ in })
        let running = Task { await member.run() }
        let epoch = try #require(await member.acquire(Self.name))
        #expect(member.owns(Self.name, in: epoch))

        let lease = try await store.grantLease(.seconds(60))
        let owner = #"{"host":"b"}"#
        // A key keeps the revision that created it, so the epoch stays the same.
        _ = try await store.commit(
            StoreTransaction(
                if: [],
                then: [
                    .put(
                        "\(keyspace.clusterStatePrefix)owners/\(Self.name)", Array(owner.utf8),
                        lease: lease)
                ]))
        #expect(await member.waitForEndOfOwnership(epoch, of: Self.name) == .lost)
        #expect(!member.owns(Self.name, in: epoch))
        running.cancel()
        await store.endWatches()
        await running.value
    }
    @Test func `a host does not own an application that another host owns under the same lease`()
        async throws
    {
        let queue = QueueExecutor()
        let store = MemoryStore(on: queue, clock: ContinuousClock())
        let keyspace = Keyspace(cluster: "test")
        let lease = try await store.grantLease(.seconds(60))
        let key = "\(keyspace.clusterStatePrefix)owners/\(Self.name)"
        let first = try await store.commit(
            StoreTransaction(
                if: [], then: [.put(key, Array(#"{"host":"a"}"#.utf8), lease: lease)]))
        let member = ClusterMember(
            "b", in: keyspace, of: [ExactString(Self.name)],
            by: StaleStore(of: store, hiding: key, on: queue), for: .seconds(60),
            savedFacts: SavedClusterFacts(lease: lease), on: queue, clock: ContinuousClock(),
            report: { _ in })
        let running = Task { await member.run() }
        let acquiring = Task { await member.acquire(Self.name) }
        // The host has asked for the application, and knows its owner from the reply.
        while member.clusterState.owners[Self.name] == nil { await Task.yield() }
        _ = try await store.commit(StoreTransaction(if: [], then: [.delete(key)]))
        #expect(try #require(await acquiring.value) > UInt64(first.storeRevision))
        running.cancel()
        await store.endWatches()
        await running.value
    }
}

/// Store whose first reply to a read of several keys lacks a key.
private actor StaleStore: ClusterStore {
    private let store: MemoryStore
    private let key: String
    private nonisolated let executor: any SerialExecutor
    private var isStale = true

    init(of store: MemoryStore, hiding key: String, on executor: any SerialExecutor) {
        (self.store, self.key, self.executor) = (store, key, executor)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func range(_ range: KeyRange) async throws(StoreError) -> RangeReply {
        var reply = try await store.range(range)
        if isStale, range.endKey != nil {
            reply.entries.removeAll { ExactString($0.key) == ExactString(key) }
            isStale = false
        }
        return reply
    }

    func identify(
        _ keyspace: Keyspace, known: ClusterIdentity?
    ) async throws(StoreError) -> ClusterIdentity {
        try await store.identify(keyspace, known: known)
    }

    func summary(ofKeysBelow prefix: String) async throws(StoreError) -> KeySummary {
        await store.summary(ofKeysBelow: prefix)
    }

    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> TransactionReply {
        try await store.commit(transaction)
    }

    func grantLease(_ length: Duration) async throws(StoreError) -> Int64 {
        try await store.grantLease(length)
    }

    func keepAlive(lease: Int64, within limit: Duration) async throws(StoreError) -> Duration? {
        await store.keepAlive(lease: lease, within: limit)
    }

    func revoke(lease: Int64) async throws(StoreError) { try await store.revoke(lease: lease) }

    func watch(
        keysBelow prefix: String, from revision: Int64,
        report: @escaping @Sendable ([KeyChange]) -> Void
    ) async throws(StoreError) -> Never {
        try await store.watch(keysBelow: prefix, from: revision, report: report)
    }

    func endWatches() async { await store.endWatches() }
}
