import ExactText
import SimulatedStore
import TestSupport
import Testing

@testable import Replication

/// Tests of the time in which a host may rely on its lease, and of its reports about the store.
@Suite struct HostLeaseTests {
    /// Host whose lease has a length of 60 seconds, with all reports of the host.
    private final class TestHost {
        let clock = ManualClock()
        let store: FaultyStore
        let keyspace = Keyspace(cluster: "test")
        private(set) var lease: HostLease!
        private(set) var events: [ClusterEvent] = []
        /// Whether the host could rely on its lease at each event.
        private(set) var validities: [Bool] = []

        init(servers: Int = 1, savedFacts: SavedClusterFacts = SavedClusterFacts()) {
            store = FaultyStore(servers: servers, clock: clock)
            lease = HostLease(
                of: "a", in: keyspace, by: store, for: .seconds(60), savedFacts: savedFacts,
                clock: clock,
                report: { [unowned self] event in
                    events.append(event)
                    validities.append(lease.deadline.isValid)
                })
        }

        /// Obtains a lease and registers the host.
        func join() async {
            #expect(await lease.renew() == .zero)
            #expect(await lease.renew() == .seconds(10))
        }

        /// Renews the lease after a time.
        @discardableResult
        func renew(after time: Duration = .zero) async -> Duration {
            clock.advance(by: time)
            return await lease.renew()
        }

        /// Renews the lease while the next request fails.
        @discardableResult
        func fail(_ kind: StoreError.Kind = .unavailable) async -> Duration {
            await store.fail([kind])
            return await lease.renew()
        }

        /// Number of transactions that wrote the key of the host.
        var registrationCount: Int {
            get async {
                await store.transactions.count { [key = keyspace.hostKey("a")] transaction in
                    transaction.successOperations.contains {
                        if case .put(key, _, _) = $0 { true } else { false }
                    }
                }
            }
        }

        /// Makes the store deny or permit writes by the host.
        func deny(_ isDenied: Bool) async {
            await store.refuse { [probe = StoreOperation.delete(keyspace.probeKey)] in
                isDenied && $0.successOperations == [probe] ? .denied : nil
            }
        }
    }

    @Test func `a host's lease is valid only after the host is registered`() async throws {
        let savedValues = AwaitableState<[String]>([])
        let host = TestHost(
            savedFacts: SavedClusterFacts(
                saveLease: { lease in savedValues.change { $0.append("lease \(lease)") } },
                saveIdentity: { _ in savedValues.change { $0.append("identity") } }))
        #expect(!host.lease.hasIdentifiedStore)
        #expect(await host.renew() == .zero)
        #expect(host.lease.hasIdentifiedStore)
        #expect(savedValues.state == ["identity", "lease 1"])
        #expect(!host.lease.deadline.isValid)
        #expect(host.events == [])
        #expect(await host.renew() == .seconds(10))
        #expect(host.lease.deadline.remainingTime == .seconds(48))
        await host.renew(after: .seconds(10))
        #expect(host.events == [.joined])
        #expect(host.validities == [true])
        #expect(savedValues.state == ["identity", "lease 1"])
        #expect(await host.registrationCount == 1)
    }

    @Test func `an error of one server is not reported until the host has tried every server`()
        async
    {
        let host = TestHost(servers: 3)
        await host.join()
        #expect(await host.fail() == .seconds(3))
        #expect(host.events == [.joined])
        await host.renew()
        await host.renew()
        #expect(host.events == [.joined, .serverFailedOver])
        await host.fail()
        await host.fail()
        #expect(host.events.count == 2)
        await host.fail()
        await host.fail()
        #expect(host.lease.problem == "the test")
        await host.renew()
        #expect(host.lease.problem == nil)
        #expect(
            host.events
                == [
                    .joined, .serverFailedOver,
                    .storeUnavailable(reason: "the test", hasLease: true),
                    .storeAvailable,
                ])
    }

    @Test func `an outage is reported at the failure of the last server`() async {
        let host = TestHost(servers: 3)
        await host.join()
        for count in 1...3 {
            await host.fail()
            #expect(host.events.count == (count < 3 ? 1 : 2))
        }
    }

    @Test
    func `before a host has joined, an outage is urgent only until the cluster is identified`()
        async
    {
        let host = TestHost(servers: 3)
        // Each attempt to identify the cluster tries all servers.
        await host.fail()
        #expect(host.events == [.storeUnavailable(reason: "the test", hasLease: false)])
        let other = TestHost(servers: 3)
        await other.renew()
        for count in 1...3 {
            await other.fail()
            #expect(other.events.count == (count < 3 ? 0 : 1))
        }
    }

    @Test func `a host that cannot obtain a lease reports the reason`() async throws {
        let host = TestHost(savedFacts: SavedClusterFacts(identity: "1"))
        _ = try await host.store.base.commit(
            StoreTransaction(
                if: [], then: [.put(host.keyspace.identityKey, Array("1".utf8))]))
        await host.store.base.setFull(true)
        #expect(await host.renew() == .seconds(6))
        #expect(host.lease.number == nil)
        #expect(
            host.events == [.storeUnavailable(reason: "the store is full", hasLease: false)])
        #expect(host.lease.problem == "the store is full")
        await host.store.base.setFull(false)
        await host.renew()
        await host.renew()
        #expect(host.events.last == .joined)
        #expect(host.lease.problem == nil)
    }

    @Test func `a host whose key was replaced by another daemon stops its applications first`()
        async throws
    {
        let host = TestHost()
        await host.join()
        let other = try await host.store.grantLease(.seconds(1000))
        _ = try await host.store.base.commit(
            StoreTransaction(if: [], then: [.put(host.keyspace.hostKey("a"), [], lease: other)]))
        let later = host.clock.now.advanced(by: .seconds(1))
        #expect(!host.lease.dropIfSuperseded(by: nil, lastConfirmation: later))
        #expect(await host.renew() == .seconds(6))
        #expect(host.events == [.joined, .leaseExpired, .hostNameTaken])
        #expect(host.lease.number == nil)
    }

    @Test func `an error is reported at once if less than half of the lease remains`() async {
        let host = TestHost(servers: 3)
        await host.join()
        host.clock.advance(by: .seconds(18))
        await host.fail()
        #expect(host.events == [.joined])
        host.clock.advance(by: .milliseconds(1))
        await host.fail()
        #expect(host.events == [.joined, .storeUnavailable(reason: "the test", hasLease: true)])
    }

    @Test(arguments: [StoreError.Kind.full, .denied, .refused, .malformed])
    func `an error that every server would return is reported at once`(kind: StoreError.Kind) async
    {
        let host = TestHost(servers: 3)
        await host.join()
        await host.fail(kind)
        #expect(host.events == [.joined, .storeUnavailable(reason: "the test", hasLease: true)])
    }

    @Test func `a host that cannot identify the cluster obtains no lease`() async {
        let host = TestHost()
        #expect(await host.fail() == .seconds(6))
        #expect(!host.lease.hasIdentifiedStore)
        #expect(host.lease.number == nil)
        #expect(host.events == [.storeUnavailable(reason: "the test", hasLease: false)])
        await host.renew()
        #expect(await host.fail() == .seconds(6))
        #expect(host.lease.number == 1)
        #expect(await host.renew() == .seconds(10))
        #expect(host.events == [.storeUnavailable(reason: "the test", hasLease: false), .joined])
    }

    @Test func `a host whose writes are denied for half of a lease drops the lease`() async {
        let host = TestHost()
        await host.join()
        await host.deny(true)
        await host.renew()
        // A permitted write resets the time.
        await host.deny(false)
        await host.renew(after: .seconds(20))
        await host.deny(true)
        await host.renew(after: .seconds(20))
        await host.renew(after: .seconds(29))
        #expect(host.events == [.joined])
        #expect(await host.renew(after: .seconds(1)) == .seconds(6))
        #expect(host.events == [.joined, .leaseExpired])
        #expect(host.lease.number == nil)
        #expect(!host.lease.deadline.isValid)
        #expect(await host.store.base.keepAlive(lease: 1, within: .zero) == nil)
        // The time starts again with the next lease.
        await host.renew()
        await host.renew()
        #expect(host.events == [.joined, .leaseExpired, .rejoined])
    }

    @Test func `a lease ends at its deadline, but a late renewal restores it`() async {
        let host = TestHost()
        #expect(!host.lease.dropIfExpired())
        await host.join()
        host.clock.advance(by: .seconds(48) - .nanoseconds(1))
        #expect(host.lease.deadline.isValid)
        #expect(host.lease.deadline.remainingTime == .nanoseconds(1))
        #expect(!host.lease.dropIfExpired())
        host.clock.advance(by: .nanoseconds(1))
        #expect(!host.lease.deadline.isValid)
        #expect(host.lease.deadline.remainingTime == nil)
        #expect(host.lease.dropIfExpired())
        #expect(!host.lease.dropIfExpired())
        #expect(host.lease.number == 1)
        await host.renew()
        #expect(host.lease.deadline.isValid)
        #expect(host.events == [.joined, .leaseExpired, .rejoined])
        await host.renew(after: .seconds(60))
        #expect(host.lease.number == nil)
        #expect(host.events.last == .leaseExpired)
    }

    @Test func `a host does not join while another host uses its name`()
        async throws
    {
        let host = TestHost()
        let other = try await host.store.grantLease(.seconds(1000))
        _ = try await host.store.base.commit(
            StoreTransaction(if: [], then: [.put(host.keyspace.hostKey("a"), [], lease: other)]))
        for _ in 1...2 {
            #expect(await host.renew() == .zero)
            #expect(await host.renew() == .seconds(6))
            #expect(host.lease.number == nil)
            #expect(host.events == [.hostNameTaken])
        }
        #expect(
            host.lease.problem?.hasPrefix("another daemon is the host a of the cluster") == true)
        await host.fail()
        #expect(host.events == [.hostNameTaken])
        try await host.store.base.revoke(lease: other)
        await host.join()
        #expect(host.events == [.hostNameTaken, .joined, .serverFailedOver])
        #expect(host.lease.problem == nil)
    }

    @Test func `a host key that the store has lost is written again`() async throws {
        let host = TestHost()
        await host.join()
        let joined = host.clock.now
        #expect(!host.lease.dropIfSuperseded(by: nil, lastConfirmation: nil))
        #expect(!host.lease.dropIfSuperseded(by: nil, lastConfirmation: joined))
        await host.renew()
        #expect(await host.registrationCount == 1)
        #expect(
            !host.lease.dropIfSuperseded(
                by: nil, lastConfirmation: joined.advanced(by: .nanoseconds(1))))
        await host.renew()
        #expect(await host.registrationCount > 1)
        #expect(host.events == [.joined])
    }

    @Test func `a host drops its lease if a later process uses it`() async throws {
        let host = TestHost()
        await host.join()
        let key = host.keyspace.hostKey("a")
        let entry = try #require(try await host.store.range(KeyRange(key)).entries.first)
        func known(lease: Int64 = entry.lease, revision: Int64) -> ClusterState.Host {
            ClusterState.Host(
                isDraining: false, lease: lease, processIdentifier: "another", revision: revision)
        }
        let revision = entry.modRevision
        #expect(
            !host.lease.dropIfSuperseded(by: known(revision: revision), lastConfirmation: nil))
        #expect(
            !host.lease.dropIfSuperseded(
                by: known(lease: 9, revision: revision + 1), lastConfirmation: nil))
        let process = ClusterState.Value(entry.value)?.process
        #expect(
            !host.lease.dropIfSuperseded(
                by: ClusterState.Host(
                    isDraining: false, lease: entry.lease, processIdentifier: process,
                    revision: revision + 1), lastConfirmation: nil))
        #expect(host.events == [.joined])
        #expect(
            host.lease.dropIfSuperseded(by: known(revision: revision + 1), lastConfirmation: nil)
        )
        #expect(host.lease.number == nil)
        #expect(!host.lease.deadline.isValid)
        #expect(host.events == [.joined, .leaseExpired, .hostNameTaken])
    }

    @Test func `a host that leaves revokes its lease and does not obtain another`() async throws {
        let host = TestHost()
        await host.join()
        #expect(!host.lease.hasLeft)
        await host.lease.leave()
        #expect(host.lease.hasLeft)
        #expect(!host.lease.deadline.isValid)
        #expect(host.lease.number == nil)
        #expect(try await host.store.range(KeyRange(host.keyspace.hostKey("a"))).entries == [])
        #expect(await host.renew() == .zero)
        #expect(host.lease.number == nil)
        #expect(await host.store.base.keepAlive(lease: 2, within: .zero) == nil)
        #expect(host.events == [.joined])
    }

    @Test func `a host is draining only if the store has recorded it`() async throws {
        func stored(_ host: TestHost) async throws -> Bool? {
            let key = KeyRange(host.keyspace.hostKey("a"))
            return try await host.store.range(key).entries.first
                .flatMap { ClusterState.Value($0.value)?.draining }
        }
        let host = TestHost()
        try await host.lease.setDraining(true)
        #expect(host.lease.isDraining)
        await host.join()
        #expect(try await stored(host) == true)
        try await host.lease.setDraining(false)
        #expect(!host.lease.isDraining)
        #expect(try await stored(host) == false)
        await host.store.fail([.unavailable])
        await #expect(throws: StoreError.self) { try await host.lease.setDraining(true) }
        #expect(!host.lease.isDraining)
        #expect(try await stored(host) == false)
    }
}
