import ExactText
import SimulatedStore
import TestSupport
import Testing

@testable import Replication

/// Tests of the key that makes a host visible to other hosts.
@Suite struct HostKeyTests {
    private static let other = #"{"host":"a","process":"another"}"#

    /// Returns a script that fails each write of a host's key.
    private func fail(
        _ kind: StoreError.Kind, writesOf key: String
    ) -> ScriptedStore.Script {
        { request in
            if case .commit(let transaction) = request, transaction.puts(key) { kind } else { nil }
        }
    }

    @Test(arguments: [StoreError.Kind.unavailable, .malformed])
    func `a draining status that was written although its reply was lost is corrected`(
        kind: StoreError.Kind
    ) async throws {
        let host = SteppedHost()
        let key = host.keyspace.hostKey("a")
        try await host.run {
            host.store.afterRequests(fail(kind, writesOf: key))
            await #expect(throws: StoreError.self) { try await host.member.setDraining(true) }
            host.store.afterRequests { _ in nil }
            try await waitUntil("the host is draining") {
                host.member.clusterState.hosts["a"]?.isDraining == true
            }
            try await host.advance(by: .seconds(10))
            try await waitUntil("the host is no longer draining") {
                host.member.clusterState.hosts["a"]?.isDraining == false
            }
            let count = host.store.commits(of: key).count
            try await host.advance(by: .seconds(10))
            #expect(host.store.commits(of: key).count == count)
            #expect(host.events.state == [.joined])
        }
    }

    @Test func `a request to drain that fails has no effect if it is executed later`()
        async throws
    {
        let host = SteppedHost()
        let key = host.keyspace.hostKey("a")
        try await host.run {
            host.store.beforeRequests(fail(.unavailable, writesOf: key))
            await #expect(throws: StoreError.self) { try await host.member.setDraining(true) }
            // A store that refuses writes does not cost the host its lease.
            for _ in 1...10 { try await host.advance(by: .seconds(10)) }
            #expect(host.member.leaseDeadline.isValid)
            let delayed = try #require(host.store.commits(of: key).dropFirst().first)
            host.store.beforeRequests { _ in nil }
            try await host.advance(by: .seconds(10))
            #expect(try await !host.store.base.commit(delayed).succeeded)
            #expect(try await host.store.text(of: key)?.contains(#""draining":false"#) == true)
        }
    }

    @Test func `a host that begins to drain does not overwrite the key of a later process`()
        async throws
    {
        let host = SteppedHost()
        let key = host.keyspace.hostKey("a")
        try await host.run {
            let lease = try #require(host.member.clusterState.hosts["a"]?.lease)
            host.store.holdChanges(true)
            try await host.store.write(key, Self.other, lease: lease)
            try await host.member.setDraining(true)
            #expect(try await host.store.text(of: key) == Self.other)
            host.store.holdChanges(false)
            try await host.add("b")
            await host.events.wait { $0.contains(.hostNameTaken) }
        }
    }

    @Test func `concurrent changes to the draining status are written one after another`()
        async throws
    {
        let host = SteppedHost()
        let key = host.keyspace.hostKey("a")
        let (isWriting, isWritten) = (AwaitableState(false), Signal())
        try await host.run {
            host.store.beforeRequests { request in
                guard case .commit(let transaction) = request, transaction.puts(key),
                    isWriting.change({ isWriting in
                        defer { isWriting = true }
                        return !isWriting
                    })
                else { return nil }
                await isWritten.wait()
                return nil
            }
            let draining = Task { [member = host.member] in try await member.setDraining(true) }
            await isWriting.wait { $0 }
            try await host.member.setDraining(false)
            isWritten.send()
            try await draining.value
            #expect(try await host.store.text(of: key)?.contains(#""draining":false"#) == true)
        }
    }

    @Test func `a host that joins does not overwrite a key that changes at the same time`()
        async throws
    {
        let host = SteppedHost(savedFacts: SavedClusterFacts(lease: 1))
        let (key, store) = (host.keyspace.hostKey("a"), host.store)
        let lease = try await store.base.grantLease(.seconds(100_000))
        try #require(lease == 1)
        try await store.write(key, #"{"host":"a"}"#, lease: lease)
        store.afterRequests { request in
            guard case .commit(let transaction) = request,
                transaction.conditions == [.createRevision(of: key, is: 0)]
            else { return nil }
            do { try await store.write(key, Self.other, lease: lease) } catch {}
            return nil
        }
        try await host.run(isReady: false) {
            try await host.clock.waitForSleep(.seconds(6))
            #expect(try await store.text(of: key) == Self.other)
            #expect(host.events.state == [])
            store.afterRequests { _ in nil }
            host.clock.advance(by: .seconds(6))
            await host.events.wait { $0 == [.joined] }
        }
    }
}
