import SimulatedStore
import TestSupport
import Testing

@testable import Replication

/// Tests of the order in which a host saves facts and sends requests.
@Suite struct SavedClusterFactsTests {
    @Test(arguments: [
        ("identity", ScriptedStore.Request.identify), ("lease", .grantLease),
    ])
    func `a host sends the next request only after its cluster identity or lease is durable`(
        fact: String, lastRequest: ScriptedStore.Request
    ) async throws {
        let (isSaving, isDurable) = (AwaitableState(false), Signal())
        let save: @Sendable (String) async -> Void = { saved in
            guard saved == fact else { return }
            isSaving.change { $0 = true }
            await isDurable.wait()
        }
        let host = SteppedHost(
            savedFacts: SavedClusterFacts(
                saveLease: { _ in await save("lease") },
                saveIdentity: { _ in await save("identity") }))
        try await host.run(isReady: false) {
            await isSaving.wait { $0 }
            await host.settle()
            #expect(host.store.requests.state.last == lastRequest)
            isDurable.send()
            await host.events.wait { $0 == [.joined] }
        }
    }

    @Test func `a host that leaves while its lease is saved revokes the lease`() async throws {
        let (isSaving, isDurable) = (AwaitableState(false), Signal())
        let host = SteppedHost(
            savedFacts: SavedClusterFacts(saveLease: { _ in
                isSaving.change { $0 = true }
                await isDurable.wait()
            }))
        try await host.run(isReady: false) {
            await isSaving.wait { $0 }
            await host.member.leave()
            #expect(host.store.requests.state == [.identify, .grantLease, .revoke])
            isDurable.send()
        }
    }

    @Test func `a host renews its lease while the disk stalls`() async throws {
        let (saved, isDurable) = (AwaitableState<[Int64]>([]), Signal())
        let host = SteppedHost(
            savedFacts: SavedClusterFacts(saveRevision: { revision, _ in
                saved.change { $0.append(revision) }
                await isDurable.wait()
            }))
        try await host.run {
            let revision = await host.store.base.backup.revision
            for _ in 1...6 { try await host.advance(by: .seconds(15)) }
            await saved.wait { $0 == [revision] }
            try await host.add("b")
            for _ in 1...6 { try await host.advance(by: .seconds(15)) }
            #expect(host.member.leaseDeadline.isValid)
            #expect(host.member.clusterState.isConfirmed(within: .seconds(30), at: host.clock.now))
            // Only one revision is saved at a time.
            #expect(saved.state == [revision])
            isDurable.send()
            try await waitUntil("the save has ended") { await !host.member.isSavingRevision }
            try await host.advance(by: .seconds(15))
            await saved.wait { $0 == [revision, revision + 1] }
        }
    }

    @Test func `a host that leaves revokes its lease before it saves the newest revision`()
        async throws
    {
        let (isSaving, isDurable) = (AwaitableState(false), Signal())
        let host = SteppedHost(
            savedFacts: SavedClusterFacts(saveRevision: { _, _ in
                isSaving.change { $0 = true }
                await isDurable.wait()
            }))
        try await host.run {
            let leaving = Task { [member = host.member] in await member.leave() }
            await isSaving.wait { $0 }
            #expect(host.store.requests.state.contains(.revoke))
            isDurable.send()
            await leaving.value
        }
    }
}
