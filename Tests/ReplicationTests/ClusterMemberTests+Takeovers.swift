#if Etcd
    import ExactText
    import NIOPosix
    import Replication
    import TestSupport
    import Testing

    // Tests of pauses, takeovers by command and the history of owners, with a real server.
    extension ClusterMemberTests {
        private func run(_ member: ClusterMember) async throws -> UInt64 {
            let epoch = try #require(await member.acquire(Self.name))
            try await member.reportRunning(Self.name, in: epoch)
            try await member.recordOwnership(of: Self.name, in: epoch, at: 1_000_000)
            return epoch
        }

        private func reasons(_ member: ClusterMember) async throws -> [String] {
            let ownerHistory = try #require(await member.ownerHistory(of: Self.name))
            return ownerHistory.entries.map {
                "\($0.previous ?? "-") \($0.host) \($0.reason.rawValue)"
            }
        }

        private func awaitPause(_ member: ClusterMember) async {
            while member.clusterState.pause == nil { await Task.yield() }
        }

        private func put(on server: EtcdServer, _ key: String, _ value: String) async throws {
            let client = try EtcdClient(
                [server.endpoint], within: .seconds(20), on: server.group.next())
            _ = try await client.commit(
                StoreTransaction(if: [], then: [.put(key, Array(value.utf8))]))
            await client.close()
        }

        private static let pause = TakeoverPause(host: "b", time: 5, reason: "network")

        /// Runs a body with the host b, which has paused takeovers after the host a owned the application and left.
        private func withPausedHost(
            _ body: @Sendable @escaping (EtcdServer, ClusterMember) async throws -> Void
        ) async throws {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    _ = try await run(a)
                    await a.leave()
                }
                try await withMember("b", on: server) { b in
                    try await b.setTakeoverPause(Self.pause)
                    await awaitPause(b)
                    #expect(b.clusterState.pause == Self.pause)
                    try await body(server, b)
                }
            }
        }

        @Test func `during a pause, only the last owner or a command starts an application`()
            async throws
        {
            try await withPausedHost { server, b in
                let acquired = Task { try await run(b) }
                // The earlier owner is a later process of the same host.
                try await withMember("a", on: server) { a in
                    await awaitPause(a)
                    _ = try await run(a)
                    await a.leave()
                }
                while b.clusterState.owners[Self.name] != nil { await Task.yield() }
                #expect(b.takeoverObstacle(to: Self.name) == .paused(lastOwner: "a"))
                #expect(await b.takeOver(Self.name, within: .seconds(300)) == nil)
                _ = try await acquired.value
                let reasons = try await reasons(b)
                #expect(reasons == ["- a started", "a a returned", "a b taken"])
            }
        }

        @Test func `after a pause, other hosts take over`() async throws {
            try await withPausedHost { _, b in
                let acquired = Task { try await run(b) }
                while b.takeoverObstacle(to: Self.name) == nil { await Task.yield() }
                try await b.setTakeoverPause(nil)
                _ = try await acquired.value
                #expect(b.clusterState.pause == nil)
            }
        }

        @Test func `a pause that replaces another pause reports the replaced one`() async throws {
            try await EtcdServer.with { server in
                let reported = AwaitableState<[ClusterEvent]>([])
                try await withMember(
                    "a", on: server, report: { event in reported.change { $0.append(event) } }
                ) { a in
                    let none = try await a.setTakeoverPause(Self.pause)
                    #expect(none == nil)
                    await reported.wait {
                        $0.contains(.takeoversPaused(Self.pause, replacing: nil))
                    }
                    let later = TakeoverPause(host: "a", time: 9, reason: nil, user: "user 7")
                    let replaced = try await a.setTakeoverPause(later)
                    #expect(replaced == Self.pause)
                    await reported.wait {
                        $0.contains(.takeoversPaused(later, replacing: Self.pause))
                    }
                    let ended = try await a.setTakeoverPause(nil)
                    #expect(ended == later)
                    await reported.wait { $0.contains(.takeoversResumed) }
                }
            }
        }

        @Test
        func
            `during a pause, a host reports the last owner of an application it does not take over`()
            async throws
        {
            try await withPausedHost { _, b in
                let acquired = Task { await b.acquire(Self.name) }
                // This host has not observed that the owner left.
                while b.takeoverObstacle(to: Self.name) != .paused(lastOwner: "a") {
                    await Task.yield()
                }
                await b.beginLeaving()
                #expect(await acquired.value == nil)
            }
        }

        @Test func `an unreadable pause counts as a pause`() async throws {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    try await put(on: server, "/reprise/test/@cluster/pause", "nonsense")
                    await awaitPause(a)
                    #expect(a.clusterState.pause == TakeoverPause(host: "", time: 0, reason: nil))
                }
            }
        }

        @Test func `a host can take an application from an owner that does not release it`()
            async throws
        {
            try await EtcdServer.with { server in
                let loop = server.group.next()
                let reported = AwaitableState<[ClusterEvent]>([])
                let reportedByOther = AwaitableState<[ClusterEvent]>([])
                let takeoverForced = ClusterEvent.takeoverForced(
                    ForcedTakeover(
                        bundleIdentifier: Self.name, previousHost: "a", host: "b", user: "user 1000"
                    ))
                try await withMember(
                    "a", on: server, report: { event in reported.change { $0.append(event) } }
                ) { a in
                    let first = try await run(a)
                    try await withMember(
                        "b", on: server.endpoint, loop, for: .seconds(3),
                        report: { event in reportedByOther.change { $0.append(event) } }
                    ) { b in
                        // Only a member can take over an application.
                        while b.clusterState.owners[Self.name] == nil || !b.leaseDeadline.isValid {
                            await Task.yield()
                        }
                        let acquired = Task { try await run(b) }
                        let taken = Task {
                            await b.takeOver(Self.name, by: "user 1000", within: .seconds(300))
                        }
                        #expect(await a.waitForEndOfOwnership(first, of: Self.name) == .lost)
                        #expect(a.takeoverObstacle(to: Self.name) == .forced(by: "b"))
                        #expect(await taken.value == nil)
                        let epoch = try await acquired.value
                        #expect(epoch > first)
                        let reasons = try await reasons(b)
                        #expect(reasons == ["- a started", "a b forced"])
                        #expect(reported.state.count { $0 == takeoverForced } == 1)
                        #expect(reportedByOther.state.count { $0 == takeoverForced } == 1)
                    }
                }
            }
        }

        @Test func `the history records why the owner changed`() async throws {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    try await withMember("b", on: server) { b in
                        let first = try await run(a)
                        while b.clusterState.owners[Self.name] == nil { await Task.yield() }
                        let acquired = Task { try await run(b) }
                        try await a.release(Self.name, in: first)
                        let second = try await acquired.value
                        while a.clusterState.owners[Self.name]?.host != "b" { await Task.yield() }
                        let returned = Task { try await run(a) }
                        await b.leave()
                        _ = try await returned.value
                        // A later process of the owner adds no entry.
                        try await a.recordOwnership(of: Self.name, in: second + 1, at: 2)
                        let reasons = try await reasons(a)
                        #expect(reasons == ["- a started", "a b released", "b a expired"])
                    }
                }
            }
        }

        @Test func `a host reports that another host joins or leaves`() async throws {
            try await EtcdServer.with { server in
                let reported = AwaitableState<[ClusterEvent]>([])
                try await withMember(
                    "a", on: server, report: { event in reported.change { $0.append(event) } }
                ) { _ in
                    await reported.wait { $0 == [.joined] }
                    try await withMember("b", on: server) { b in
                        await reported.wait { $0.last == .hostJoined("b") }
                        await b.leave()
                    }
                    await reported.wait { $0.count == 3 }
                    #expect(reported.state == [.joined, .hostJoined("b"), .hostLeft("b")])
                }
            }
        }

        @Test func `a host that returns with a new lease is reported by itself and by other hosts`()
            async throws
        {
            try await EtcdServer.with { server in
                let reported = AwaitableState<[ClusterEvent]>([])
                let reportedByOther = AwaitableState<[ClusterEvent]>([])
                try await withMember(
                    "a", on: server, report: { event in reported.change { $0.append(event) } }
                ) { _ in
                    await reported.wait { $0 == [.joined] }
                    try await withMember(
                        "b", on: server.endpoint, server.group.next(), for: .seconds(3),
                        report: { event in reportedByOther.change { $0.append(event) } }
                    ) { b in
                        await reported.wait { $0.last == .hostJoined("b") }
                        await reportedByOther.wait { $0.last == .joined }
                        await b.forfeit()
                        await reportedByOther.wait { $0.last == .rejoined }
                        #expect(reportedByOther.state == [.joined, .leaseExpired, .rejoined])
                        await reported.wait { events in
                            events.count { $0 == .hostJoined("b") } == 2
                        }
                    }
                }
            }
        }

        @Test
        func `a store that is older than the last revision of an earlier process is reported`()
            async throws
        {
            try await EtcdServer.with { server in
                for (expectedRevision, isOlder) in [(Int64(1_000_000), true), (1, false)] {
                    let reported = AwaitableState<[ClusterEvent]>([])
                    let savedRevisions = AwaitableState<[Int64]>([])
                    let savedFacts = SavedClusterFacts(
                        revision: expectedRevision,
                        saveRevision: { revision, _ in savedRevisions.change { $0.append(revision) }
                        })
                    try await withMember(
                        "a", on: [server.endpoint], server.group.next(), savedFacts: savedFacts,
                        report: { event in reported.change { $0.append(event) } }
                    ) { a in
                        _ = try #require(await a.acquire(Self.name))
                        let older = await a.olderStore
                        #expect((older?.expectedRevision == expectedRevision) == isOlder)
                        #expect(
                            reported.state.contains {
                                if case .storeRestoredBeforeStart(let reported) = $0 {
                                    reported == older
                                } else {
                                    false
                                }
                            } == isOlder)
                        await a.leave()
                        #expect(
                            savedRevisions.state.count == 1 && savedRevisions.state[0] > 1
                                && savedRevisions.state[0] < 1_000)
                    }
                }
            }
        }

        @Test func `an unreachable server is not an outage while another server serves`()
            async throws
        {
            try await EtcdServer.with { server in
                let reported = AwaitableState<[ClusterEvent]>([])
                let endpoints = [try #require(EtcdEndpoint("http://127.0.0.1:1")), server.endpoint]
                let identity = try await server.client.identify(
                    Keyspace(cluster: "test"), known: nil)
                try await withMember(
                    "a", on: endpoints, server.group.next(),
                    savedFacts: SavedClusterFacts(identity: identity.id), for: .seconds(3),
                    report: { event in reported.change { $0.append(event) } }
                ) { _ in
                    await reported.wait { $0.count == 2 }
                    #expect(reported.state == [.joined, .serverFailedOver])
                }
            }
        }

        @Test func `a read that lacks a written revision shows that the store was restored`()
            async throws
        {
            try await EtcdServer.with { server in
                let reported = AwaitableState<[ClusterEvent]>([])
                try await withMember(
                    "a", on: server.endpoint, server.group.next(),
                    for: .seconds(3), report: { event in reported.change { $0.append(event) } }
                ) { member in
                    await reported.wait { $0 == [.joined] }
                    member.recordRevision(1_000_000)
                    await reported.wait { $0.count > 1 }
                    #expect(reported.state == [.joined, .storeRestored])
                }
            }
        }

        @Test func `the history holds the latest 20 owners, and an unknown format is not read`()
            async throws
        {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    var epochs: [UInt64] = []
                    for _ in 1...22 {
                        epochs.append(try await run(a))
                        try await a.release(Self.name, in: epochs.last!)
                    }
                    let entries = try #require(await a.ownerHistory(of: Self.name)).entries
                    #expect(entries.map(\.epoch) == epochs.suffix(20))
                    try await put(on: server, "/reprise/test/\(Self.name)/owners", #"{"format":2}"#)
                    let unreadable = try await a.ownerHistory(of: Self.name)
                    #expect(unreadable == nil)
                }
            }
        }
    }
#endif
