import ExactText
import Testing

@testable import Replication

/// Tests of a host's view of the other hosts and of the owners of applications.
@Suite struct ClusterStateTests {
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

    private func clusterState(_ changes: [KeyChange]) -> ClusterState {
        var clusterState = ClusterState()
        for change in changes { clusterState.apply(change, in: keyspace) }
        return clusterState
    }

    @Test func `a summary matches if the number of keys and the newest revision are equal`() {
        let empty = clusterState([])
        #expect(empty.matches(KeySummary(count: 0, newestRevision: 0, storeRevision: 1)))
        #expect(!empty.matches(KeySummary(count: 1, newestRevision: 0, storeRevision: 1)))
        let two = clusterState([
            change(keyspace.hostKey("a"), #"{"host":"a"}"#, revision: 2),
            change(keyspace.hostKey("b"), #"{"host":"b"}"#, revision: 5),
            change(keyspace.hostKey("c"), #"{"host":"c"}"#, revision: 6),
            change(keyspace.hostKey("c"), nil, revision: 8),
        ])
        for (count, newestRevision, isMatch) in [
            (2, 5, true), (1, 5, false), (3, 5, false), (2, 2, false), (2, 6, false), (2, 8, false),
        ] as [(Int64, Int64, Bool)] {
            #expect(
                two.matches(
                    KeySummary(count: count, newestRevision: newestRevision, storeRevision: 9))
                    == isMatch,
                "\(count) \(newestRevision)")
        }
    }

    @Test func `the newest of many revisions is compared with a summary`() {
        let revisions = (2...40).shuffled()
        let many = clusterState(
            revisions.map {
                change(keyspace.hostKey("\($0)"), #"{"host":"\#($0)"}"#, revision: Int64($0))
            })
        #expect(many.matches(KeySummary(count: 39, newestRevision: 40, storeRevision: 40)))
        #expect(!many.matches(KeySummary(count: 39, newestRevision: 39, storeRevision: 40)))
    }

    @Test func `a confirmation is valid until just before its limit`() {
        var clusterState = ClusterState()
        let now = ContinuousClock.now
        #expect(!clusterState.isConfirmed(within: .seconds(1), at: now))
        clusterState.confirm(at: now)
        #expect(clusterState.isConfirmed(within: .seconds(1), at: now))
        #expect(clusterState.isConfirmed(within: .seconds(1), at: now + .milliseconds(999)))
        #expect(!clusterState.isConfirmed(within: .seconds(1), at: now + .seconds(1)))
    }

    @Test func `a change with an older revision than the key's is ignored`() {
        let key = keyspace.ownerKey(Self.name)
        var clusterState = ClusterState()
        #expect(
            clusterState.apply(change(key, #"{"host":"a"}"#, revision: 4), in: keyspace)
                == Self.name)
        #expect(
            clusterState.owners[Self.name]
                == ClusterState.Owner(host: "a", epoch: 4, isRunning: false, lease: 7))
        #expect(clusterState.apply(change(key, nil, revision: 3), in: keyspace) == nil)
        #expect(clusterState.owners[Self.name]?.host == "a")
        let running = change(key, #"{"host":"a","running":true}"#, revision: 6, created: 4)
        #expect(clusterState.apply(running, in: keyspace) == Self.name)
        #expect(clusterState.apply(running, in: keyspace) == Self.name)
        #expect(clusterState.owners[Self.name]?.isRunning == true)
        #expect(clusterState.owners[Self.name]?.epoch == 4)
        #expect(clusterState.apply(change(key, nil, revision: 7), in: keyspace) == Self.name)
        #expect(clusterState.owners[Self.name] == nil)
        for other in [
            "\(keyspace.clusterStatePrefix)other/a", "\(keyspace.clusterStatePrefix)hosts",
            keyspace.identityKey,
        ] {
            #expect(clusterState.apply(change(other, "{}", revision: 9), in: keyspace) == nil)
        }
    }

    @Test func `a deletion is forgotten when all changes up to it have been applied`() {
        var clusterState = ClusterState()
        for number in 1...100 {
            let key = keyspace.hostKey("h\(number)")
            let revision = Int64(2 * number)
            clusterState.apply(change(key, #"{"host":"h"}"#, revision: revision), in: keyspace)
            clusterState.apply(change(key, nil, revision: revision + 1), in: keyspace)
        }
        clusterState.recordCompleteness(through: 200)
        #expect(clusterState.deletionCount == 1)
        clusterState.recordCompleteness(through: 201)
        #expect(clusterState.deletionCount == 0)
        clusterState.recordCompleteness(through: 100)
        for (revision, isKnown) in [(Int64(2), false), (201, false), (202, true)] {
            let entry = change(keyspace.hostKey("h1"), #"{"host":"h"}"#, revision: revision)
            clusterState.apply(entry, in: keyspace)
            #expect((clusterState.hosts["h1"] != nil) == isKnown)
        }
    }

    @Test func `the end of a lease is remembered for each of its applications`() {
        var clusterState = clusterState([
            change(keyspace.hostKey("a"), #"{"host":"a"}"#, revision: 2),
            change(keyspace.ownerKey(Self.name), #"{"host":"a"}"#, revision: 3),
            change(keyspace.hostKey("a"), nil, revision: 5),
            change(keyspace.ownerKey(Self.name), nil, revision: 5),
        ])
        clusterState.recordCompleteness(through: 5)
        clusterState.apply(
            change(keyspace.hostKey("a"), #"{"host":"a"}"#, revision: 6), in: keyspace)
        clusterState.recordCompleteness(through: 6)
        #expect(clusterState.didLeaseEnd(of: "a", ownerOf: Self.name))
    }

    @Test func `forgetting an owner affects only its application`() {
        var clusterState = clusterState([
            change(keyspace.ownerKey(Self.name), #"{"host":"a"}"#, revision: 2),
            change(keyspace.ownerKey("org.example.Other"), #"{"host":"a"}"#, revision: 3),
        ])
        clusterState.forgetOwner(of: Self.name)
        #expect(clusterState.owners[Self.name] == nil)
        #expect(clusterState.owners["org.example.Other"]?.host == "a")
    }

    @Test func `a lease ended if the host key and the owner key were deleted in the same revision`()
    {
        let owner = keyspace.ownerKey(Self.name)
        let joined = [
            change(keyspace.hostKey("a"), #"{"host":"a"}"#, revision: 2),
            change(owner, #"{"host":"a"}"#, revision: 3),
        ]
        let both = clusterState(
            joined + [
                change(owner, nil, revision: 5), change(keyspace.hostKey("a"), nil, revision: 5),
            ])
        #expect(both.didLeaseEnd(of: "a", ownerOf: Self.name))
        #expect(both.didLeaseEnd(of: "b", ownerOf: Self.name))
        let orderly = clusterState(
            joined + [
                change(owner, nil, revision: 5), change(keyspace.hostKey("a"), nil, revision: 6),
            ])
        #expect(!orderly.didLeaseEnd(of: "a", ownerOf: Self.name))
        let present = clusterState(joined + [change(owner, nil, revision: 5)])
        #expect(!present.didLeaseEnd(of: "a", ownerOf: Self.name))
        // If no departure is known, the presence of the host decides.
        #expect(!clusterState(joined).didLeaseEnd(of: "a", ownerOf: Self.name))
    }

    @Test func `a change of an owner's key is not the end of its ownership`() {
        let owner = keyspace.ownerKey(Self.name)
        var clusterState = clusterState([
            change(keyspace.hostKey("a"), #"{"host":"a"}"#, revision: 2),
            change(owner, #"{"host":"a"}"#, revision: 3),
            change(owner, #"{"host":"a","running":true}"#, revision: 4, created: 3),
            change(keyspace.pauseKey, #"{"host":"b","time":0}"#, revision: 5),
        ])
        #expect(clusterState.takeoverObstacle(to: Self.name) == .paused(lastOwner: nil))
        // This host notices the loss before the store reports it.
        clusterState.forgetOwner(of: Self.name)
        clusterState.apply(change(owner, nil, revision: 6), in: keyspace)
        clusterState.apply(change(keyspace.hostKey("a"), nil, revision: 6), in: keyspace)
        #expect(clusterState.takeoverObstacle(to: Self.name) == .paused(lastOwner: nil))
        #expect(clusterState.didLeaseEnd(of: "a", ownerOf: Self.name))
    }

    @Test func `each application ranks the hosts in its own order`() {
        let names = ["a", "b", "c", "d"]
        let clusterState = clusterState(
            names.enumerated().map {
                change(keyspace.hostKey($1), #"{"host":"\#($1)"}"#, revision: Int64($0 + 2))
            })
        var orders: Set<[Int]> = []
        for number in 1...20 {
            let ranks = names.map { clusterState.rank(of: $0, for: "application \(number)") }
            #expect(ranks.sorted() == [0, 1, 2, 3])
            orders.insert(ranks)
        }
        #expect(orders.count > 5)
        // A host that is draining or not present precedes no host.
        var draining = clusterState
        for name in ["b", "c", "d"] {
            draining.apply(
                change(
                    keyspace.hostKey(name), #"{"draining":true,"host":"\#(name)"}"#, revision: 9),
                in: keyspace)
        }
        for name in names { #expect(draining.rank(of: name, for: Self.name) <= 1) }
        #expect(draining.rank(of: "a", for: Self.name) == 0)
    }

    @Test func `a drained host's applications move to the hosts with the fewest applications`() {
        func owned(_ owners: [(application: String, host: String)]) -> [KeyChange] {
            owners.map {
                change(keyspace.ownerKey($0.application), #"{"host":"\#($0.host)"}"#, revision: 9)
            }
        }
        func host(_ name: String, isDraining: Bool = false) -> KeyChange {
            change(
                keyspace.hostKey(name), #"{"draining":\#(isDraining),"host":"\#(name)"}"#,
                revision: 2)
        }
        let owners = [("p", "a"), ("q", "a"), ("r", "a"), ("s", "b"), ("t", "b"), ("u", "d")]
        let hosts = [host("a"), host("b"), host("c"), host("d", isDraining: true)]
        let targets = clusterState(hosts + owned(owners)).drainTargets(of: "a")
        #expect(targets?.map(\.application) == ["p", "q", "r"])
        // Two applications make c equal to b, and b precedes c by name.
        #expect(targets?.map(\.host) == ["c", "c", "b"])
        // Nothing has to move, although no other host takes over applications.
        #expect(clusterState([host("a")]).drainTargets(of: "a")?.isEmpty == true)
        let alone = clusterState([host("a"), host("d", isDraining: true)] + owned(owners))
        #expect(alone.drainTargets(of: "a") == nil)
        #expect(alone.applications(of: "b") == ["s", "t"])
    }

    @Test func `a pause or a forced takeover explains why a host may not start an application`() {
        let owner = keyspace.ownerKey(Self.name)
        var clusterState = clusterState([change(owner, #"{"host":"a"}"#, revision: 2)])
        #expect(clusterState.takeoverObstacle(to: Self.name) == nil)
        clusterState.apply(
            change(keyspace.pauseKey, #"{"host":"b","time":0}"#, revision: 3), in: keyspace)
        #expect(clusterState.pause?.host == "b")
        #expect(clusterState.takeoverObstacle(to: Self.name) == .paused(lastOwner: nil))
        clusterState.apply(change(owner, nil, revision: 4), in: keyspace)
        #expect(clusterState.takeoverObstacle(to: Self.name) == .paused(lastOwner: "a"))
        let move = keyspace.moveKey(Self.name)
        let forced = #"{"accepted":true,"forced":true,"host":"b","previous":"a","user":"user 0"}"#
        clusterState.apply(change(move, forced, revision: 5), in: keyspace)
        #expect(clusterState.takeoverObstacle(to: Self.name) == .forced(by: "b"))
        #expect(
            clusterState.forcedTakeover(of: Self.name)
                == ForcedTakeover(
                    bundleIdentifier: Self.name, previousHost: "a", host: "b", user: "user 0"))
        #expect(clusterState.move(withKey: move, in: keyspace)?.successor == "b")
        #expect(clusterState.move(withKey: owner, in: keyspace) == nil)
        clusterState.apply(change(move, #"{"host":"b","refusal":"no"}"#, revision: 6), in: keyspace)
        #expect(
            clusterState.moves[Self.name] == ClusterState.Move(host: "b", response: .refused("no")))
        #expect(clusterState.moves[Self.name]?.successor == nil)
        #expect(clusterState.forcedTakeover(of: Self.name) == nil)
        clusterState.apply(change(keyspace.pauseKey, nil, revision: 7), in: keyspace)
        #expect(clusterState.pause == nil)
        #expect(clusterState.takeoverObstacle(to: Self.name) == nil)
    }
}
