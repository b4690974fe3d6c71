import ExactText
import SimulatedStore
import TestSupport
import Testing

@testable import Replication

/// Tests of how a host checks what it knows about the cluster, with a clock that the test advances.
@Suite(.timeLimit(.minutes(10))) struct ClusterMemberConfirmationTests {
    private func watchCount(_ host: SteppedHost) -> Int {
        host.store.requests.state.count { $0 == .watch }
    }

    @Test func `a watch that misses a change is replaced after the second check`() async throws {
        let host = SteppedHost()
        try await host.run {
            host.store.holdChanges(true)
            try await host.add("b")
            try await host.advance(by: .seconds(15))
            // The first check may have been faster than the watch.
            #expect(watchCount(host) == 1)
            #expect(host.member.clusterState.hosts["b"] == nil)
            host.clock.advance(by: .seconds(3))
            try await host.clock.waitForSleep(.milliseconds(100))
            #expect(watchCount(host) == 1)
            // The next check is due after the usual interval.
            try await host.clock.waitForSleep(.seconds(15))
            host.clock.advance(by: .milliseconds(100))
            try await waitUntil("the host knows b") {
                host.member.clusterState.hosts["b"] != nil
            }
            try await waitUntil("another watch has begun") { watchCount(host) == 2 }
            #expect(host.events.state == [.joined, .hostJoined("b")])
        }
    }

    @Test func `a watch that reports a change late is not replaced`() async throws {
        let host = SteppedHost()
        try await host.run {
            host.store.holdChanges(true)
            try await host.add("b")
            try await host.advance(by: .seconds(15))
            host.store.holdChanges(false)
            try await host.add("c")
            host.clock.advance(by: .seconds(3))
            try await host.clock.waitForSleep(.seconds(15))
            #expect(watchCount(host) == 1)
            #expect(host.events.state == [.joined, .hostJoined("b"), .hostJoined("c")])
        }
    }

    @Test func `a host writes its key again at the renewal after the loss is confirmed`()
        async throws
    {
        let host = SteppedHost()
        try await host.run {
            let key = host.keyspace.hostKey("a")
            try await host.store.write(key, nil)
            try await host.advance(by: .seconds(10))
            #expect(try await host.store.text(of: key) == nil)
            try await host.advance(by: .seconds(5))
            #expect(try await host.store.text(of: key) == nil)
            try await host.advance(by: .seconds(5))
            #expect(try await host.store.text(of: key) != nil)
            #expect(host.events.state == [.joined])
        }
    }

    // MARK: Revisions

    @Test func `the newest revision is saved after more than a minute if it has changed`()
        async throws
    {
        let saved = AwaitableState<[Int64]>([])
        let host = SteppedHost(
            savedFacts: SavedClusterFacts(saveRevision: { revision, _ in
                saved.change { $0.append(revision) }
            }))
        try await host.run {
            let first = await host.store.base.backup.revision
            for _ in 1...4 { try await host.advance(by: .seconds(15)) }
            #expect(saved.state == [])
            try await host.advance(by: .seconds(15))
            #expect(saved.state == [first])
            for _ in 1...6 { try await host.advance(by: .seconds(15)) }
            #expect(saved.state == [first])
            try await host.add("b")
            try await host.advance(by: .seconds(15))
            #expect(saved.state == [first, first + 1])
        }
    }

    @Test func `a write during a read does not look like a store that was restored`() async throws {
        let saved = AwaitableState<[Int64]>([])
        let host = SteppedHost(
            savedFacts: SavedClusterFacts(saveRevision: { revision, _ in
                saved.change { $0.append(revision) }
            }))
        let (isReading, hasWritten) = (AwaitableState(false), Signal())
        try await host.run {
            // The next check expects the current revision.
            try await host.advance(by: .seconds(15))
            host.store.afterRequests { request in
                guard request == .summary else { return nil }
                isReading.change { $0 = true }
                await hasWritten.wait()
                return nil
            }
            host.clock.advance(by: .seconds(15))
            await isReading.wait { $0 }
            host.member.recordRevision(1000)
            hasWritten.send()
            try await host.waitForTimers()
            #expect(host.events.state == [.joined])
            await host.member.leave()
            #expect(saved.state == [1000])
        }
    }

    @Test func `two reads that find that the store was restored report it once`() async throws {
        let host = SteppedHost()
        let (isReading, isRestored) = (AwaitableState(false), Signal())
        try await host.run {
            let backup = await host.store.base.backup
            host.store.beforeRequests { request in
                guard request == .summary else { return nil }
                isReading.change { $0 = true }
                await isRestored.wait()
                return nil
            }
            host.member.recordRevision(1000)
            host.clock.advance(by: .seconds(15))
            await isReading.wait { $0 }
            await host.store.base.restore(backup)
            try await host.clock.waitForSleep(.milliseconds(100))
            host.clock.advance(by: .milliseconds(100))
            await host.events.wait { $0.contains(.storeRestored) }
            isRestored.send()
            try await host.waitForTimers()
            #expect(host.events.state == [.joined, .storeRestored])
        }
    }

    @Test(arguments: [(Int64(0), false), (1, true)])
    func `a store is older only if its revision is lower than the saved revision`(
        difference: Int64, isOlder: Bool
    ) async throws {
        let keyspace = Keyspace(cluster: "test")
        let isRead = Signal()
        // The revision of an empty store increases when the identity is written.
        let identity = ClusterIdentity(in: keyspace)
        let revision: Int64 = 2
        let host = SteppedHost(
            savedFacts: SavedClusterFacts(
                identity: identity.id, revision: revision + difference))
        try await host.store.write(keyspace.identityKey, identity.id)
        #expect(await host.store.base.backup.revision == revision)
        // The host writes its key only after the first read.
        host.store.beforeRequests { request in
            if request == .keepAlive { await isRead.wait() }
            return nil
        }
        host.store.afterRequests { request in
            if case .range = request { isRead.send() }
            return nil
        }
        try await host.run {
            let older = OlderStore(revision: revision, expectedRevision: revision + difference)
            #expect(await host.member.olderStore == (isOlder ? older : nil))
            #expect(host.events.state.contains(.storeRestoredBeforeStart(older)) == isOlder)
        }
    }
}
