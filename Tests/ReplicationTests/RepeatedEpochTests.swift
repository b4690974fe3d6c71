import ExactText
import Replication
import SimulatedStore
import Testing

/// Epochs that two hosts have, which happens after the store was restored from a backup.
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
            memory: HostMemory(keepLease: { _ in }), on: queue, clock: ContinuousClock(),
            tell: { _ in })
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
                    .put("\(keyspace.roles)owners/\(Self.name)", Array(owner.utf8), lease: lease)
                ]))
        #expect(await member.endOfTerm(epoch, of: Self.name) == .lost)
        #expect(!member.owns(Self.name, in: epoch))
        running.cancel()
        await store.endWatches()
        await running.value
    }
}
