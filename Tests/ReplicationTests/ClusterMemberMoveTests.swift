import ExactText
import SimulatedStore
import TestSupport
import Testing

@testable import Replication

/// Tests of moves of applications between hosts, with a clock that the test advances.
@Suite(.timeLimit(.minutes(10))) struct ClusterMemberMoveTests {
    private static let name = "org.example.Jobs"
    private static let isPending =
        "b is not running it yet; `reprisectl status` shows its owner"

    // MARK: Moves to this host

    @Test(arguments: [true, false])
    func `a host answers all offers to it, and no others`(isReread: Bool) async throws {
        let names = ["org.example.A", "org.example.B", "org.example.C", "org.example.D"]
        let host = SteppedHost(of: [names[0], names[1], names[3], Self.name])
        try await host.run {
            _ = try #require(await host.member.acquire(Self.name))
            let lease = try await host.add("b")
            for name in names {
                try await host.store.write(
                    host.keyspace.ownerKey(name), #"{"host":"b"}"#, lease: lease)
            }
            host.store.holdChanges(isReread)
            // The last two offers are to another host, and from this host to itself.
            let offers: [(String, String)] =
                [(names[3], "c"), (Self.name, "a")] + names.dropLast().map { ($0, "a") }
            _ = try await host.store.base.commit(
                StoreTransaction(
                    if: [],
                    then: offers.map { name, target in
                        .put(host.keyspace.moveKey(name), Array(#"{"host":"\#(target)"}"#.utf8))
                    }))
            if isReread {
                host.store.holdChanges(false)
                await host.store.endWatches()
                try await host.clock.waitForSleep(.milliseconds(100))
                host.clock.advance(by: .milliseconds(100))
            }
            func response(_ name: String) async throws -> String? {
                try await host.store.text(of: host.keyspace.moveKey(name))
            }
            for (name, expected) in [
                (names[0], #"{"accepted":true,"host":"a"}"#),
                (names[1], #"{"accepted":true,"host":"a"}"#),
                (names[2], #"{"host":"a","refusal":"a does not host the application"}"#),
            ] {
                try await waitUntil("\(name) is answered") {
                    try await response(name) != #"{"host":"a"}"#
                }
                #expect(try await response(name) == expected)
            }
            await host.settle()
            for name in [names[3], Self.name] {
                #expect(host.store.commits(of: host.keyspace.moveKey(name)) == [])
            }
        }
    }

    @Test(arguments: [(true, "a is leaving the cluster"), (false, "a is draining")])
    func `a host that is leaving or draining refuses offers`(
        isLeaving: Bool, refusal: String
    ) async throws {
        let host = SteppedHost()
        try await host.run {
            try await host.store.write(host.keyspace.ownerKey(Self.name), #"{"host":"b"}"#)
            if isLeaving {
                await host.member.beginLeaving()
            } else {
                try await host.member.setDraining(true)
            }
            let move = host.keyspace.moveKey(Self.name)
            try await host.store.write(move, #"{"host":"a"}"#)
            try await waitUntil("the offer is answered") {
                try await host.store.text(of: move) != #"{"host":"a"}"#
            }
            #expect(
                try await host.store.text(of: move) == #"{"host":"a","refusal":"\#(refusal)"}"#)
        }
    }

    // MARK: Moves to another host

    /// Move of an application from the host a to the host b.
    private struct Move {
        let host: SteppedHost
        /// Lease of the host b.
        let lease: Int64
        let epoch: UInt64
        let key: String

        /// Starts the move, and waits until it has been offered to b.
        func start(within limit: Duration = .seconds(60)) async throws -> Task<String?, Never> {
            let moving = await host.member.start { await $0.move(name, to: "b", within: limit) }
            try await waitUntil("the move is offered") {
                try await host.store.text(of: key) == #"{"host":"b"}"#
            }
            await host.settle()
            return moving
        }

        /// Replaces the value of the move, for example with an answer of b.
        func response(_ value: String) async throws {
            try await host.store.write(key, value, lease: lease)
        }

        func accept() async throws { try await response(#"{"accepted":true,"host":"b"}"#) }

        /// Makes another host the owner of the application.
        func setOwner(_ value: String) async throws {
            try await host.store.write(
                host.keyspace.ownerKey(name), value, lease: lease)
        }
    }

    private func withMove(_ body: (Move) async throws -> Void) async throws {
        let host = SteppedHost()
        try await host.run {
            let epoch = try #require(await host.member.acquire(Self.name))
            let lease = try await host.add("b")
            try await body(
                Move(
                    host: host, lease: lease, epoch: epoch,
                    key: host.keyspace.moveKey(Self.name)))
        }
    }

    @Test func `a refused move is withdrawn, and the application can be moved again`()
        async throws
    {
        try await withMove { move async throws in
            for reason in ["no", "not now"] {
                let moving = try await move.start()
                let other = await move.host.member.move(Self.name, to: "b", within: .zero)
                #expect(other == "another move of the application is in progress")
                try await move.response(#"{"host":"b","refusal":"\#(reason)"}"#)
                #expect(await moving.value == reason)
                #expect(try await move.host.store.text(of: move.key) == nil)
            }
        }
    }

    @Test func `a move that nobody answers for 3 s is withdrawn`() async throws {
        try await withMove { move async throws in
            let moving = try await move.start()
            move.host.clock.advance(by: .seconds(3))
            #expect(await moving.value?.hasPrefix("b did not respond within 3") == true)
            #expect(try await move.host.store.text(of: move.key) == nil)
        }
    }

    @Test func `a move that another move has replaced fails without changing the other move`()
        async throws
    {
        try await withMove { move async throws in
            let moving = try await move.start()
            let other = #"{"accepted":true,"host":"c"}"#
            try await move.response(other)
            #expect(await moving.value == "b left the cluster")
            #expect(try await move.host.store.text(of: move.key) == other)
        }
    }

    @Test func `a move succeeds only when the application runs on the other host`() async throws {
        try await withMove { move async throws in
            let host = move.host
            let failure = AwaitableState<String?>("not finished")
            let moving = try await move.start()
            let finished = Task {
                let result = await moving.value
                failure.change { $0 = result }
            }
            let ending = await host.member.start {
                await $0.waitForEndOfOwnership(move.epoch, of: Self.name)
            }
            try await move.accept()
            #expect(await ending.value == .moves(to: "b"))
            let again = await host.member.move(Self.name, to: "b", within: .zero)
            #expect(again == "another move of the application is in progress")
            try await host.member.release(Self.name, in: move.epoch, to: "b")
            // The release ends this host's part, so that a later move can begin.
            let later = await host.member.move(Self.name, to: "z", within: .zero)
            #expect(later == "z left the cluster")
            try await move.setOwner(#"{"host":"b"}"#)
            await host.settle()
            #expect(failure.state == "not finished")
            try await move.setOwner(#"{"host":"b","running":true}"#)
            await finished.value
            #expect(failure.state == nil)
        }
    }

    @Test func `a move fails if a third host takes over the application`() async throws {
        try await withMove { move async throws in
            let moving = try await move.start()
            try await move.accept()
            try await move.host.store.write(move.host.keyspace.ownerKey(Self.name), nil)
            try await move.setOwner(#"{"host":"c"}"#)
            #expect(await moving.value == "the host c took it over first")
        }
    }

    @Test(arguments: ["limit", "leaving", "cancellation"])
    func `a wait for the other host ends`(reason: String) async throws {
        try await withMove { move async throws in
            let limit: Duration = reason == "limit" ? .zero : .seconds(1000)
            let moving = try await move.start(within: limit)
            try await move.accept()
            await move.host.settle()
            switch reason {
            case "leaving": await move.host.member.beginLeaving()
            case "cancellation": moving.cancel()
            default: break
            }
            #expect(await moving.value == Self.isPending)
        }
    }

    @Test func `the failure of an earlier move does not end a later move`() async throws {
        try await withMove { move async throws in
            let first = try await move.start(within: .zero)
            try await move.accept()
            #expect(await first.value == Self.isPending)
            await move.host.member.abandonMove(of: Self.name, because: "the disk is full")
            try await waitUntil("the first move is withdrawn") {
                try await move.host.store.text(of: move.key) == nil
            }
            let second = try await move.start(within: .zero)
            try await move.accept()
            #expect(await second.value == Self.isPending)
        }
    }

    @Test func `an abandoned move fails with its reason, and the application stays`() async throws {
        try await withMove { move async throws in
            let host = move.host
            let moving = try await move.start()
            let ending = await host.member.start {
                await $0.waitForEndOfOwnership(move.epoch, of: Self.name)
            }
            try await move.accept()
            #expect(await ending.value == .moves(to: "b"))
            await host.member.abandonMove(of: Self.name, because: "the disk is full")
            #expect(await moving.value == "the disk is full")
            try await waitUntil("the move is withdrawn") {
                try await host.store.text(of: move.key) == nil
            }
            #expect(host.member.owns(Self.name, in: move.epoch))
        }
    }

    @Test func `a move ends if this host loses the application and takes it over again`()
        async throws
    {
        try await withMove { move async throws in
            let host = move.host
            let moving = try await move.start(within: .zero)
            try await move.accept()
            #expect(await moving.value == Self.isPending)
            for key in [
                host.keyspace.hostKey("b"), move.key, host.keyspace.ownerKey(Self.name),
            ] {
                try await host.store.write(key, nil)
            }
            try await waitUntil("the loss is known") {
                let clusterState = host.member.clusterState
                return clusterState.hosts["b"] == nil && clusterState.moves[Self.name] == nil
                    && clusterState.owners[Self.name] == nil
            }
            let epoch = try #require(await host.member.acquire(Self.name))
            #expect(epoch > move.epoch)
            let later = await host.member.move(Self.name, to: "z", within: .zero)
            #expect(later == "z left the cluster")
        }
    }
}
