import ExactText
import Testing

@testable import Replication

/// Tests of a host's view of the other hosts and of the owners of applications.
@Suite struct ClusterRolesTests {
    private let keyspace = Keyspace(cluster: "test")
    private static let name = "org.example.Jobs"

    /// Returns a change of a key to a text, or its deletion.
    private func change(
        _ key: String, _ value: String?, revision: Int64, created: Int64? = nil, lease: Int64 = 7
    ) -> KeyChange {
        KeyChange(
            key: key,
            entry: value.map {
                KeyEntry(
                    key: key, value: Array($0.utf8), createRevision: created ?? revision,
                    modRevision: revision, lease: lease)
            }, revision: revision)
    }

    private func roles(_ changes: [KeyChange]) -> ClusterRoles {
        var roles = ClusterRoles()
        for change in changes { roles.apply(change, in: keyspace) }
        return roles
    }

    @Test func `a summary matches if the number of keys and the newest revision are equal`() {
        let empty = roles([])
        #expect(empty.matches(KeySummary(count: 0, newest: 0, storeRevision: 1)))
        #expect(!empty.matches(KeySummary(count: 1, newest: 0, storeRevision: 1)))
        let two = roles([
            change(keyspace.host("a"), #"{"host":"a"}"#, revision: 2),
            change(keyspace.host("b"), #"{"host":"b"}"#, revision: 5),
            change(keyspace.host("c"), #"{"host":"c"}"#, revision: 6),
            change(keyspace.host("c"), nil, revision: 8),
        ])
        for (count, newest, isMatch) in [
            (2, 5, true), (1, 5, false), (3, 5, false), (2, 2, false), (2, 6, false), (2, 8, false),
        ] as [(Int64, Int64, Bool)] {
            #expect(
                two.matches(KeySummary(count: count, newest: newest, storeRevision: 9)) == isMatch,
                "\(count) \(newest)")
        }
    }

    @Test func `a confirmation is valid until just before its limit`() {
        var roles = ClusterRoles()
        let now = ContinuousClock.now
        #expect(!roles.isConfirmed(within: .seconds(1), at: now))
        roles.confirm(at: now)
        #expect(roles.isConfirmed(within: .seconds(1), at: now))
        #expect(roles.isConfirmed(within: .seconds(1), at: now + .milliseconds(999)))
        #expect(!roles.isConfirmed(within: .seconds(1), at: now + .seconds(1)))
    }

    @Test func `a change with an older revision than the key's is ignored`() {
        let key = keyspace.owner(Self.name)
        var roles = ClusterRoles()
        #expect(
            roles.apply(change(key, #"{"host":"a"}"#, revision: 4), in: keyspace) == Self.name)
        #expect(
            roles.owners[Self.name]
                == ClusterRoles.Owner(host: "a", epoch: 4, isRunning: false, lease: 7))
        #expect(roles.apply(change(key, nil, revision: 3), in: keyspace) == nil)
        #expect(roles.owners[Self.name]?.host == "a")
        let running = change(key, #"{"host":"a","running":true}"#, revision: 6, created: 4)
        #expect(roles.apply(running, in: keyspace) == Self.name)
        #expect(roles.apply(running, in: keyspace) == Self.name)
        #expect(roles.owners[Self.name]?.isRunning == true)
        #expect(roles.owners[Self.name]?.epoch == 4)
        #expect(roles.apply(change(key, nil, revision: 7), in: keyspace) == Self.name)
        #expect(roles.owners[Self.name] == nil)
        for other in ["\(keyspace.roles)other/a", "\(keyspace.roles)hosts", keyspace.identity] {
            #expect(roles.apply(change(other, "{}", revision: 9), in: keyspace) == nil)
        }
    }

    @Test func `forgetting an owner affects only its application`() {
        var roles = roles([
            change(keyspace.owner(Self.name), #"{"host":"a"}"#, revision: 2),
            change(keyspace.owner("org.example.Other"), #"{"host":"a"}"#, revision: 3),
        ])
        roles.forgetOwner(of: Self.name)
        #expect(roles.owners[Self.name] == nil)
        #expect(roles.owners["org.example.Other"]?.host == "a")
    }

    @Test func `a lease ended if the host key and the owner key were deleted in the same revision`()
    {
        let owner = keyspace.owner(Self.name)
        let joined = [
            change(keyspace.host("a"), #"{"host":"a"}"#, revision: 2),
            change(owner, #"{"host":"a"}"#, revision: 3),
        ]
        let both = roles(
            joined + [
                change(owner, nil, revision: 5), change(keyspace.host("a"), nil, revision: 5),
            ])
        #expect(both.didLeaseEnd(of: "a", ownerOf: Self.name))
        #expect(both.didLeaseEnd(of: "b", ownerOf: Self.name))
        let orderly = roles(
            joined + [
                change(owner, nil, revision: 5), change(keyspace.host("a"), nil, revision: 6),
            ])
        #expect(!orderly.didLeaseEnd(of: "a", ownerOf: Self.name))
        let present = roles(joined + [change(owner, nil, revision: 5)])
        #expect(!present.didLeaseEnd(of: "a", ownerOf: Self.name))
        // If no departure is known, the presence of the host decides.
        #expect(!roles(joined).didLeaseEnd(of: "a", ownerOf: Self.name))
    }

    @Test func `each application ranks the hosts in its own order`() {
        let names = ["a", "b", "c", "d"]
        let roles = roles(
            names.enumerated().map {
                change(keyspace.host($1), #"{"host":"\#($1)"}"#, revision: Int64($0 + 2))
            })
        var orders: Set<[Int]> = []
        for number in 1...20 {
            let ranks = names.map { roles.rank(of: $0, for: "application \(number)") }
            #expect(ranks.sorted() == [0, 1, 2, 3])
            orders.insert(ranks)
        }
        #expect(orders.count > 5)
        // A host that is draining or not present precedes no host.
        var draining = roles
        for name in ["b", "c", "d"] {
            draining.apply(
                change(
                    keyspace.host(name), #"{"draining":true,"host":"\#(name)"}"#, revision: 9),
                in: keyspace)
        }
        for name in names { #expect(draining.rank(of: name, for: Self.name) <= 1) }
        #expect(draining.rank(of: "a", for: Self.name) == 0)
    }

    @Test func `a drained host's applications move to the hosts with the fewest applications`() {
        func owned(_ owners: [(application: String, host: String)]) -> [KeyChange] {
            owners.map {
                change(keyspace.owner($0.application), #"{"host":"\#($0.host)"}"#, revision: 9)
            }
        }
        func host(_ name: String, isDraining: Bool = false) -> KeyChange {
            change(
                keyspace.host(name), #"{"draining":\#(isDraining),"host":"\#(name)"}"#, revision: 2)
        }
        let owners = [("p", "a"), ("q", "a"), ("r", "a"), ("s", "b"), ("t", "b"), ("u", "d")]
        let hosts = [host("a"), host("b"), host("c"), host("d", isDraining: true)]
        let targets = roles(hosts + owned(owners)).drainTargets(of: "a")
        #expect(targets?.map(\.application) == ["p", "q", "r"])
        // Two applications make c equal to b, and b precedes c by name.
        #expect(targets?.map(\.host) == ["c", "c", "b"])
        // Nothing has to move, although no other host takes over applications.
        #expect(roles([host("a")]).drainTargets(of: "a")?.isEmpty == true)
        let alone = roles([host("a"), host("d", isDraining: true)] + owned(owners))
        #expect(alone.drainTargets(of: "a") == nil)
        #expect(alone.applications(of: "b") == ["s", "t"])
    }

    @Test func `a pause or a forced takeover explains why a host may not start an application`() {
        let owner = keyspace.owner(Self.name)
        var roles = roles([change(owner, #"{"host":"a"}"#, revision: 2)])
        #expect(roles.obstacle(to: Self.name) == nil)
        roles.apply(change(keyspace.pause, #"{"host":"b","time":0}"#, revision: 3), in: keyspace)
        #expect(roles.pause?.host == "b")
        #expect(roles.obstacle(to: Self.name) == .paused(lastOwner: nil))
        roles.apply(change(owner, nil, revision: 4), in: keyspace)
        #expect(roles.obstacle(to: Self.name) == .paused(lastOwner: "a"))
        let move = keyspace.move(Self.name)
        let forced = #"{"accepted":true,"forced":true,"host":"b","previous":"a","user":"user 0"}"#
        roles.apply(change(move, forced, revision: 5), in: keyspace)
        #expect(roles.obstacle(to: Self.name) == .forced(by: "b"))
        #expect(
            roles.forcedTakeover(of: Self.name)
                == ForcedTakeover(
                    application: Self.name, previous: "a", host: "b", user: "user 0"))
        #expect(roles.move(withKey: move, in: keyspace)?.successor == "b")
        #expect(roles.move(withKey: owner, in: keyspace) == nil)
        roles.apply(change(move, #"{"host":"b","refusal":"no"}"#, revision: 6), in: keyspace)
        #expect(roles.moves[Self.name] == ClusterRoles.Move(host: "b", answer: .refused("no")))
        #expect(roles.moves[Self.name]?.successor == nil)
        #expect(roles.forcedTakeover(of: Self.name) == nil)
        roles.apply(change(keyspace.pause, nil, revision: 7), in: keyspace)
        #expect(roles.pause == nil)
        #expect(roles.obstacle(to: Self.name) == nil)
    }
}
