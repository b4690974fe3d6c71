import ExactText
import SimulatedStore
import TestSupport
import Testing

@testable import Replication

/// Tests of a host's reports about the cluster, and of its applications, with a store in memory.
@Suite(.timeLimit(.minutes(10))) struct ClusterEventTests {
    private static let name = "org.example.Jobs"

    private let keyspace = Keyspace(cluster: "test")

    /// Runs a body with the host `a`, which has joined the cluster.
    private func withMember(
        savedFacts: SavedClusterFacts = SavedClusterFacts(),
        of applications: Set<ExactString> = [ExactString(name)],
        before: (FaultyStore) async throws -> Void = { _ in },
        _ body: (ClusterMember, FaultyStore, AwaitableState<[ClusterEvent]>) async throws -> Void
    ) async throws {
        let queue = QueueExecutor()
        let store = FaultyStore(on: queue)
        try await before(store)
        let events = AwaitableState<[ClusterEvent]>([])
        let member = ClusterMember(
            "a", in: keyspace, of: applications, by: store, for: .seconds(600),
            savedFacts: savedFacts,
            on: queue, clock: ContinuousClock(),
            report: { event in events.change { $0.append(event) } })
        let running = Task { await member.run() }
        await events.wait { $0.contains(.joined) }
        while member.clusterState.hosts["a"] == nil { await Task.yield() }
        let result: Result<Void, any Error>
        do {
            try await body(member, store, events)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await store.endWatches()
        await running.value
        try result.get()
    }

    /// Writes or deletes a key.
    private func write(
        _ key: String, _ value: String?, lease: Int64 = 0, to store: FaultyStore
    ) async throws {
        let operation = value.map { StoreOperation.put(key, Array($0.utf8), lease: lease) }
        _ = try await store.base.commit(
            StoreTransaction(if: [], then: [operation ?? .delete(key)]))
    }

    @Test func `a host reports other hosts that join, return with a new lease and leave`()
        async throws
    {
        try await withMember { _, store, events async throws in
            let leases = [
                try await store.grantLease(.seconds(600)),
                try await store.grantLease(.seconds(600)),
            ]
            let (b, c) = (keyspace.hostKey("b"), keyspace.hostKey("c"))
            try await write(b, #"{"host":"b"}"#, lease: leases[0], to: store)
            try await write(b, #"{"draining":true,"host":"b"}"#, lease: leases[0], to: store)
            try await write(c, #"{"host":"c"}"#, lease: leases[0], to: store)
            try await write(b, #"{"host":"b"}"#, lease: leases[1], to: store)
            try await write(c, nil, to: store)
            // The host itself is not reported.
            try await write(keyspace.hostKey("a"), nil, to: store)
            try await write(b, nil, to: store)
            let expected: [ClusterEvent] = [
                .joined, .hostJoined("b"), .hostJoined("c"), .hostJoined("b"), .hostLeft("c"),
                .hostLeft("b"),
            ]
            await events.wait { $0.count >= expected.count }
            #expect(events.state == expected)
        }
    }

    @Test func `a host reports hosts that joined and left while its watch was interrupted`()
        async throws
    {
        try await withMember { _, store, events async throws in
            let lease = try await store.grantLease(.seconds(600))
            for name in ["b", "c"] {
                try await write(
                    keyspace.hostKey(name), #"{"host":"\#(name)"}"#, lease: lease, to: store)
            }
            await events.wait { $0.count == 3 }
            // Restoring the store ends all watches.
            let backup = await store.base.backup
            await store.base.restore(backup)
            _ = try await store.base.commit(
                StoreTransaction(
                    if: [],
                    then: [.delete(keyspace.hostKey("b")), .delete(keyspace.hostKey("c"))]
                        + ["d", "e"].map { name in
                            .put(
                                keyspace.hostKey(name), Array(#"{"host":"\#(name)"}"#.utf8),
                                lease: lease)
                        }))
            await events.wait { $0.count >= 7 }
            #expect(
                events.state.suffix(4)
                    == [.hostJoined("d"), .hostJoined("e"), .hostLeft("b"), .hostLeft("c")])
        }
    }

    @Test func `a host reports pauses and forced takeovers of its own applications`()
        async throws
    {
        try await withMember { _, store, events async throws in
            let pauses = [
                TakeoverPause(host: "b", time: 0, reason: nil),
                TakeoverPause(host: "c", time: 7, reason: "network"),
            ]
            for pause in pauses {
                try await write(
                    keyspace.pauseKey, String(decoding: pause.bytes, as: UTF8.self), to: store)
            }
            try await write(keyspace.pauseKey, nil, to: store)
            let move = keyspace.moveKey(Self.name)
            for (previous, user) in [("c", 1), ("a", 2), ("a", 2), ("a", 3)] {
                let value =
                    #"{"accepted":true,"forced":true,"host":"b","previous":"\#(previous)","user":"\#(user)"}"#
                try await write(move, value, to: store)
            }
            try await write(move, nil, to: store)
            try await write(keyspace.hostKey("z"), #"{"host":"z"}"#, to: store)
            await events.wait { $0.last == .hostJoined("z") }
            func forced(_ user: String) -> ClusterEvent {
                .takeoverForced(
                    ForcedTakeover(
                        bundleIdentifier: Self.name, previousHost: "a", host: "b", user: user)
                )
            }
            #expect(
                events.state == [
                    .joined, .takeoversPaused(pauses[0], replacing: nil),
                    .takeoversPaused(pauses[1], replacing: pauses[0]), .takeoversResumed,
                    forced("2"), forced("3"),
                    .hostJoined("z"),
                ])
        }
    }

    @Test func `a host reports once that the store was restored to an earlier revision`()
        async throws
    {
        try await withMember { member, store, events async throws in
            let backup = await store.base.backup
            let lease = try await store.grantLease(.seconds(600))
            for name in ["b", "c"] {
                try await write(
                    keyspace.hostKey(name), #"{"host":"\#(name)"}"#, lease: lease, to: store)
            }
            await events.wait { $0.count == 3 }
            await store.endWatches()
            while await store.base.backup.revision == backup.revision { await Task.yield() }
            member.recordRevision(await store.base.backup.revision)
            member.recordRevision(1)
            await store.base.restore(backup)
            await events.wait { $0.contains(.storeRestored) && $0.last == .hostLeft("c") }
            #expect(events.state.count { $0 == .storeRestored } == 1)
        }
    }

    @Test(arguments: [(1, false), (1000, true)] as [(Int64, Bool)])
    func `a host reports a store that is older than the revision its earlier process recorded`(
        expectedRevision: Int64, isOlder: Bool
    ) async throws {
        try await withMember(savedFacts: SavedClusterFacts(revision: expectedRevision)) {
            member, _, events async throws in
            _ = await member.acquire(Self.name)
            let older = await member.olderStore
            #expect((older?.expectedRevision == 1000) == isOlder)
            #expect((older == nil) == !isOlder)
            let reported = events.state.contains {
                if case .storeRestoredBeforeStart = $0 { true } else { false }
            }
            #expect(reported == isOlder)
        }
    }

    @Test func `a host that leaves records the newest revision it knows`() async throws {
        let savedRevisions = AwaitableState<[Int64]>([])
        let savedFacts = SavedClusterFacts(saveRevision: { revision, _ in
            savedRevisions.change { $0.append(revision) }
        })
        try await withMember(savedFacts: savedFacts) { member, _, _ async throws in
            _ = await member.acquire(Self.name)
            member.recordRevision(1000)
            member.recordRevision(7)
            await member.leave()
            #expect(savedRevisions.state.last == 1000)
            let count = savedRevisions.state.count
            await member.leave()
            #expect(savedRevisions.state.count == count)
        }
    }

    @Test func `a host owns an application only in its own epoch and while its lease is valid`()
        async throws
    {
        try await withMember { member, store, _ async throws in
            #expect(member.isUnowned(Self.name))
            let epoch = try #require(await member.acquire(Self.name))
            #expect(member.owns(Self.name, in: epoch))
            #expect(!member.owns(Self.name, in: epoch + 1))
            #expect(!member.owns("org.example.Other", in: epoch))
            #expect(!member.isUnowned(Self.name))
            #expect(member.isUnowned("org.example.Other"))
            #expect(await member.waitForEndOfOwnership(epoch + 1, of: Self.name) == .lost)
            let waiting = Task { await member.waitForEndOfOwnership(epoch, of: Self.name) }
            waiting.cancel()
            #expect(await waiting.value == nil)
            await member.forfeit()
            #expect(!member.owns(Self.name, in: epoch))
            #expect(await member.waitForEndOfOwnership(epoch, of: Self.name) == .lost)
        }
    }

    @Test func `an application is released without a target if the target cannot be stored`()
        async throws
    {
        try await withMember { member, store, events async throws in
            let move = keyspace.moveKey(Self.name)
            let lease = try await store.grantLease(.seconds(600))
            try await write(keyspace.hostKey("b"), #"{"host":"b"}"#, lease: lease, to: store)
            await events.wait { $0.contains(.hostJoined("b")) }
            let epoch = try #require(await member.acquire(Self.name))
            let refusals = AwaitableState(0)
            await store.refuse { transaction in
                let hasTarget = transaction.successOperations.contains {
                    if case .put(move, _, _) = $0 { true } else { false }
                }
                guard hasTarget else { return nil }
                return refusals.change { count in
                    count += 1
                    return count <= 2
                } ? .full : nil
            }
            await member.releaseWhileLeaseIsValid(Self.name, in: epoch, to: "b")
            #expect(refusals.state == 1)
            #expect(member.clusterState.owners[Self.name] == nil)
            #expect(try await store.range(KeyRange(move)).entries == [])
        }
    }

    @Test func `a release names a target only if that host is present`()
        async throws
    {
        try await withMember { member, store, events async throws in
            let move = keyspace.moveKey(Self.name)
            let lease = try await store.grantLease(.seconds(600))
            try await write(keyspace.hostKey("b"), #"{"host":"b"}"#, lease: lease, to: store)
            await events.wait { $0.contains(.hostJoined("b")) }
            for target in [nil, "c", "b"] {
                let epoch = try #require(await member.acquire(Self.name))
                try await member.release(Self.name, in: epoch, to: target)
                #expect(member.clusterState.owners[Self.name] == nil)
                let entry = try await store.range(KeyRange(move)).entries.first
                #expect(entry?.lease == (target == "b" ? lease : nil))
                #expect(
                    member.clusterState.moves[Self.name]?.successor == (target == "b" ? "b" : nil))
                let owner = KeyRange(keyspace.ownerKey(Self.name))
                #expect(try await store.range(owner).entries == [])
            }
        }
    }

    @Test
    func `applications owned by an earlier process are released if they are no longer hosted`()
        async throws
    {
        let savedLease = AwaitableState<Int64?>(nil)
        let others = ["org.example.One", "org.example.Two"]
        try await withMember(
            savedFacts: SavedClusterFacts(
                lease: 1, saveLease: { lease in savedLease.change { $0 = lease } })
        ) {
            store async throws in
            let lease = try await store.grantLease(.seconds(600))
            for name in others + [Self.name] {
                try await write(keyspace.ownerKey(name), #"{"host":"a"}"#, lease: lease, to: store)
            }
            let foreign = try await store.grantLease(.seconds(600))
            try await write(
                keyspace.ownerKey("org.example.Three"), #"{"host":"a"}"#, lease: foreign, to: store)
            try await write(
                keyspace.ownerKey("org.example.Four"), #"{"host":"b"}"#, lease: lease, to: store)
            // The first release fails, and is repeated.
            let released = keyspace.ownerKey(others[0])
            let releases = AwaitableState(0)
            await store.refuse { transaction in
                let isRelease = transaction.successOperations.contains {
                    if case .delete(let key, _) = $0 { key == released } else { false }
                }
                guard isRelease else { return nil }
                return releases.change { count in
                    count += 1
                    return count == 1
                } ? .unavailable : nil
            }
        } _: { member, store, _ async throws in
            #expect(savedLease.state == nil)
            while others.contains(where: { member.clusterState.owners[$0] != nil }) {
                await Task.yield()
            }
            let owners = KeyRange(keyspace.ownerKey(""), to: keyspace.ownerKey("").endOfPrefix)
            let remaining = try await store.range(owners).entries.map {
                $0.key.split(separator: "/").last
            }
            #expect(remaining == ["org.example.Four", "org.example.Jobs", "org.example.Three"])
        }
    }

    @Test func `the reason for a takeover is remembered until the history contains it`()
        async throws
    {
        try await withMember { member, store, _ async throws in
            await store.fail([.unavailable])
            #expect(
                await member.takeOver(Self.name, within: .zero)?.hasPrefix("the test; if etcd")
                    == true)
            let first = try #require(await member.acquire(Self.name))
            try await member.recordOwnership(of: Self.name, in: first, at: 1)
            try await member.release(Self.name, in: first)
            #expect(
                await member.takeOver(Self.name, within: .zero)?.hasPrefix(
                    "a is not running it yet")
                    == true)
            let second = try #require(await member.acquire(Self.name))
            let owners = keyspace.ownerHistoryKey(Self.name)
            await store.refuse { transaction in
                transaction.successOperations.contains {
                    if case .put(owners, _, _) = $0 { true } else { false }
                }
                    ? .unavailable : nil
            }
            await #expect(throws: StoreError.self) {
                try await member.recordOwnership(of: Self.name, in: second, at: 2)
            }
            await store.refuse { _ in nil }
            for time in [3, 4] as [Int64] {
                try await member.recordOwnership(of: Self.name, in: second, at: time)
            }
            let ownerHistory = try #require(try await member.ownerHistory(of: Self.name))
            #expect(ownerHistory.entries.map(\.reason) == [.started, .taken])
            #expect(ownerHistory.entries.map(\.epoch) == [first, second])
            #expect(ownerHistory.entries.map(\.time) == [1, 3])
            #expect(ownerHistory.entries.map(\.previous) == [nil, "a"])
        }
    }

    @Test func `a request is retried after a temporary failure while the lease is valid`()
        async throws
    {
        try await withMember { member, _, _ async throws in
            let count = AwaitableState(0)
            func request(_ failures: [StoreError.Kind]) async throws -> Int {
                count.change { $0 = 0 }
                return try await member.retryWhileLeaseIsValid {
                    let number = count.change { count in
                        count += 1
                        return count
                    }
                    if number <= failures.count { throw StoreError(failures[number - 1], "no") }
                    return number
                }
            }
            #expect(try await request([.unavailable, .full]) == 3)
            await #expect(throws: StoreError(.denied, "no")) {
                try await request([.unavailable, .denied])
            }
            #expect(count.state == 2)
            await member.forfeit()
            await #expect(throws: StoreError(.unavailable, "no")) {
                try await request([.unavailable])
            }
            #expect(count.state == 1)
        }
    }
}
