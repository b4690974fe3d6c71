#if Etcd
    import ExactText
    import FoundationEssentials
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import Replication
    import TestSupport
    import Testing

    /// Tests of the ownership of applications, with a real server.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct ClusterMemberTests {
        static let name = "org.example.Jobs"

        func withMember(
            _ host: String, on server: EtcdServer, lease: Int64? = nil,
            of applications: Set<String> = [name],
            saveLease: @escaping @Sendable (Int64) -> Void = { _ in },
            report: @escaping @Sendable (ClusterEvent) -> Void = { _ in },
            _ body: (ClusterMember) async throws -> Void
        ) async throws {
            try await withMember(
                host, on: server.endpoint, server.group.next(), lease: lease, of: applications,
                saveLease: saveLease, report: report, body)
        }

        func withMember(
            _ host: String, on endpoint: EtcdEndpoint, _ loop: any EventLoop, lease: Int64? = nil,
            identity: String? = nil, otherClusterName: String? = nil,
            for leaseDuration: Duration = .seconds(60),
            of applications: Set<String> = [name],
            saveLease: @escaping @Sendable (Int64) -> Void = { _ in },
            report: @escaping @Sendable (ClusterEvent) -> Void = { _ in },
            _ body: (ClusterMember) async throws -> Void
        ) async throws {
            try await withMember(
                host, on: [endpoint], loop,
                savedFacts: SavedClusterFacts(
                    lease: lease, identity: identity, otherClusterName: otherClusterName,
                    saveLease: saveLease),
                for: leaseDuration, of: applications, report: report, body)
        }

        func withMember(
            _ host: String, on endpoints: [EtcdEndpoint], _ loop: any EventLoop,
            savedFacts: SavedClusterFacts,
            for leaseDuration: Duration = .seconds(60), of applications: Set<String> = [name],
            report: @escaping @Sendable (ClusterEvent) -> Void,
            _ body: (ClusterMember) async throws -> Void
        ) async throws {
            let client = try EtcdClient(endpoints, within: .seconds(20), on: loop)
            let member = ClusterMember(
                host, in: Keyspace(cluster: "test"), of: Set(applications.map { ExactString($0) }),
                by: client, for: leaseDuration, savedFacts: savedFacts,
                on: loop.executor, clock: ContinuousClock(), report: report)
            let running = Task { await member.run() }
            let result: Result<Void, any Error>
            do {
                try await body(member)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            running.cancel()
            await client.close()
            await running.value
            try result.get()
        }

        @Test func `an application has one owner and moves to the requested host`() async throws {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    let first = try #require(await a.acquire(Self.name))
                    try await a.reportRunning(Self.name, in: first)
                    try await withMember("b", on: server) { b in
                        let second = Task { await b.acquire(Self.name) }
                        while a.clusterState.hosts["b"] == nil { await Task.yield() }
                        let moved = Task { await a.move(Self.name, to: "b", within: .seconds(300)) }
                        #expect(
                            await a.waitForEndOfOwnership(first, of: Self.name) == .moves(to: "b"))
                        try await a.release(Self.name, in: first, to: "b")
                        let epoch = try #require(await second.value)
                        #expect(epoch > first)
                        try await b.reportRunning(Self.name, in: epoch)
                        #expect(await moved.value == nil)
                        #expect(await a.waitForEndOfOwnership(first, of: Self.name) == .lost)
                    }
                }
            }
        }

        @Test func `a move fails and the owner stays the same if the other host cannot take over`()
            async throws
        {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    let epoch = try #require(await a.acquire(Self.name))
                    try await withMember("b", on: server, of: []) { b in
                        while a.clusterState.hosts["b"] == nil { await Task.yield() }
                        func moveFailure() async -> String? {
                            await a.move(Self.name, to: "b", within: .seconds(300))
                        }
                        #expect(await moveFailure() == "b does not host the application")
                        #expect(
                            await a.move(Self.name, to: "c", within: .zero) == "c left the cluster")
                    }
                    try await withMember("d", on: server) { d in
                        try await d.setDraining(true)
                        while a.clusterState.hosts["d"] == nil { await Task.yield() }
                        #expect(
                            await a.move(Self.name, to: "d", within: .seconds(300))
                                == "d is draining")
                        // If the owner were to stop, this call would return.
                        let end = Task { await a.waitForEndOfOwnership(epoch, of: Self.name) }
                        #expect(a.clusterState.owners[Self.name]?.epoch == epoch)
                        await a.beginLeaving()
                        #expect(await end.value == nil)
                    }
                }
            }
        }

        @Test func `a host whose state belongs to another cluster does not join`() async throws {
            try await EtcdServer.with { server in
                let events = AwaitableState<[ClusterEvent]>([])
                try await withMember(
                    "a", on: server.endpoint, server.group.next(), otherClusterName: "panels",
                    report: { event in events.change { $0.append(event) } }
                ) { a in
                    await events.wait { !$0.isEmpty }
                    guard case .storeUnavailable(let reason, hasLease: false) = events.state[0]
                    else {
                        Issue.record("\(events.state)")
                        return
                    }
                    #expect(
                        reason.hasPrefix("the state of this host belongs to the cluster panels:"))
                    #expect(await a.problem == reason)
                    let client = try EtcdClient(
                        [server.endpoint], within: .seconds(20), on: server.group.next())
                    let summary = try await client.summary(ofKeysBelow: "/reprise/")
                    #expect(summary.count == 0)
                    await client.close()
                }
            }
        }

        @Test func `another host takes over an application when its owner's lease ends`()
            async throws
        {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    let first = try #require(await a.acquire(Self.name))
                    try await withMember("b", on: server) { b in
                        let second = Task { await b.acquire(Self.name) }
                        await a.leave()
                        #expect(await a.waitForEndOfOwnership(first, of: Self.name) == .lost)
                        let epoch = try #require(await second.value)
                        #expect(epoch > first)
                    }
                }
            }
        }

        @Test func `a new process of a host continues its lease in the same epoch`() async throws {
            try await EtcdServer.with { server in
                let lease = AwaitableState<Int64?>(nil)
                let first = AwaitableState<UInt64?>(nil)
                try await withMember(
                    "a", on: server, saveLease: { number in lease.change { $0 = number } }
                ) { a in
                    let epoch = await a.acquire(Self.name)
                    first.change { $0 = epoch }
                }
                try await withMember("a", on: server, lease: lease.state) { a in
                    #expect(await a.acquire(Self.name) == first.state)
                }
            }
        }

        @Test func `of two processes with one lease, the later process keeps it`() async throws {
            try await EtcdServer.with { server in
                let lease = AwaitableState<Int64?>(nil)
                let events = AwaitableState<[ClusterEvent]>([])
                try await withMember(
                    "a", on: server, saveLease: { number in lease.change { $0 = number } },
                    report: { event in events.change { $0.append(event) } }
                ) { first in
                    let epoch = try #require(await first.acquire(Self.name))
                    let number = lease.state
                    try await withMember("a", on: server, lease: number) { second in
                        #expect(await second.acquire(Self.name) == epoch)
                        #expect(await first.waitForEndOfOwnership(epoch, of: Self.name) == .lost)
                        #expect(!first.leaseDeadline.isValid)
                        #expect(await first.problem?.contains("is the host a of") == true)
                        #expect(second.leaseDeadline.isValid)
                        #expect(events.state == [.joined, .leaseExpired, .hostNameTaken])
                        // This makes the name of the host available again.
                        await second.leave()
                        await events.wait { $0.count > 3 }
                        #expect(events.state.last == .joined)
                        #expect(await first.problem == nil)
                    }
                }
            }
        }

        @Test func `a draining host takes over only applications that are moved to it`()
            async throws
        {
            try await EtcdServer.with { server in
                try await withMember("a", on: server) { a in
                    let first = try #require(await a.acquire(Self.name))
                    try await a.setDraining(true)
                    try await withMember("b", on: server) { b in
                        let second = Task { await b.acquire(Self.name) }
                        try await a.release(Self.name, in: first)
                        let epoch = try #require(await second.value)
                        #expect(epoch > first)
                        #expect(b.clusterState.hosts["a"]?.isDraining == true)
                        let third = Task { await a.acquire(Self.name) }
                        try await b.release(Self.name, in: epoch, to: "a")
                        #expect(try #require(await third.value) > epoch)
                    }
                }
            }
        }

        @Test
        func
            `a host that cannot record that it is draining throws and still takes over applications`()
            async throws
        {
            let hosts = AwaitableState(0)
            try await StubEtcd.with { request in
                guard request.puts.contains(where: { $0.name.contains("/@hosts/") }) else {
                    return nil
                }
                // The first write registers the host.
                let count = hosts.change {
                    $0 += 1
                    return $0
                }
                return count == 1 ? nil : .response(.forbidden, #"{"code":7,"message":"no"}"#)
            } _: { server in
                try await withMember("a", on: server.endpoint, server.group.next()) { member in
                    let epoch = try #require(await member.acquire(Self.name))
                    let error = await #expect(throws: StoreError.self) {
                        try await member.setDraining(true)
                    }
                    #expect(error?.kind == .denied)
                    try await member.release(Self.name, in: epoch)
                    #expect(await member.acquire(Self.name) != nil)
                }
            }
        }

        @Test func `a copy of a host with a different name does not use its lease`() async throws {
            try await EtcdServer.with { server in
                let lease = AwaitableState<Int64?>(nil)
                try await withMember(
                    "a", on: server, saveLease: { number in lease.change { $0 = number } }
                ) { a in
                    let first = try #require(await a.acquire(Self.name))
                    try await withMember("b", on: server, lease: lease.state) { b in
                        let second = Task { await b.acquire(Self.name) }
                        try await a.release(Self.name, in: first, to: "b")
                        let epoch = try #require(await second.value)
                        #expect(epoch > first)
                    }
                }
            }
        }

        @Test func `a takeover during a read of the owners is not lost`()
            async throws
        {
            let breaksWatch = Signal()
            let isOwner = Signal()
            let (readCount, watchCount) = (AwaitableState(0), AwaitableState(0))
            @Sendable func count(_ number: AwaitableState<Int>) -> Int {
                number.change {
                    $0 += 1
                    return $0
                }
            }
            try await StubEtcd.with { request in
                switch request.path {
                case "/v3/kv/range":
                    if count(readCount) == 2 { await isOwner.wait() }
                    return nil
                case "/v3/watch":
                    guard count(watchCount) == 1 else { return nil }
                    await breaksWatch.wait()
                    return .close
                default: return nil
                }
            } _: { server in
                try await withMember("a", on: server.endpoint, server.group.next()) { member in
                    await watchCount.wait { $0 == 1 }
                    breaksWatch.send()
                    await readCount.wait { $0 == 2 }
                    // The second reply has the revision 1, and the takeover the revision 2.
                    #expect(await member.acquire(Self.name) == 2)
                    isOwner.send()
                    await watchCount.wait { $0 == 2 }
                    #expect(member.clusterState.owners[Self.name]?.epoch == 2)
                }
            }
        }

        @Test func `a watch that reports nothing does not prevent a takeover`() async throws {
            let readCount = AwaitableState(0)
            let owner = Data("/reprise/test/@owners/\(Self.name)".utf8).base64EncodedString()
            let value = Data(#"{"host":"b","running":true}"#.utf8).base64EncodedString()
            try await StubEtcd.with { request in
                guard request.path == "/v3/kv/range" else { return nil }
                let readsAll = !String(decoding: request.body, as: UTF8.self).contains("MOD")
                let isFirst =
                    readsAll
                    && readCount.change { count in
                        count += 1
                        return count == 1
                    }
                // The owner's key is deleted after the first read, and the watch never reports it.
                guard isFirst else { return .body(#"{"header":{"revision":"2"}}"#) }
                return .body(
                    """
                    {"header":{"revision":"1"},"count":"1","kvs":[{"key":"\(owner)","value":"\(value)",\
                    "create_revision":"1","mod_revision":"1","lease":"9"}]}
                    """)
            } _: { server in
                try await withMember(
                    "a", on: server.endpoint, server.group.next(), for: .seconds(2)
                ) { member in
                    #expect(await member.acquire(Self.name) == 2)
                }
            }
        }

        @Test func `an owner that etcd has not confirmed for the length of a lease is unknown`()
            async throws
        {
            let refuses = AwaitableState(false)
            let owner = Data("/reprise/test/@owners/\(Self.name)".utf8).base64EncodedString()
            let value = Data(#"{"host":"b","running":true}"#.utf8).base64EncodedString()
            try await StubEtcd.with { request in
                guard request.path == "/v3/kv/range" else { return nil }
                if refuses.state { return .response(.forbidden, #"{"code":7,"message":"no"}"#) }
                return .body(
                    """
                    {"header":{"revision":"1"},"count":"1","kvs":[{"key":"\(owner)","value":"\(value)",\
                    "create_revision":"1","mod_revision":"1","lease":"9"}]}
                    """)
            } _: { server in
                try await withMember(
                    "a", on: server.endpoint, server.group.next(), for: .seconds(1)
                ) { member in
                    while member.owner(of: Self.name)?.host != "b" { await Task.yield() }
                    refuses.change { $0 = true }
                    while member.owner(of: Self.name) != nil { await Task.yield() }
                    #expect(member.clusterState.owners[Self.name]?.host == "b")
                    while await member.problem?.contains("has not confirmed the owners") != true {
                        await Task.yield()
                    }
                }
            }
        }

        @Test func `a host that cannot create the owner key reports the reason`() async throws {
            let events = AwaitableState<[ClusterEvent]>([])
            try await StubEtcd.with { request in
                request.puts.contains { $0.name.contains("/@owners/") }
                    ? .response(
                        .tooManyRequests,
                        #"{"code":8,"message":"etcdserver: mvcc: database space exceeded"}"#) : nil
            } _: { server in
                try await withMember(
                    "a", on: server.endpoint, server.group.next(),
                    report: { event in events.change { $0.append(event) } }
                ) { member in
                    let acquiring = Task { await member.acquire(Self.name) }
                    await events.wait {
                        $0.contains { if case .takeoverFailed = $0 { true } else { false } }
                    }
                    guard case .failure(let reason)? = member.takeoverObstacle(to: Self.name) else {
                        Issue.record("no failure is known")
                        return
                    }
                    #expect(reason.contains("is full"))
                    #expect(
                        events.state.contains(
                            .takeoverFailed(application: Self.name, reason: reason)))
                    await member.beginLeaving()
                    #expect(await acquiring.value == nil)
                }
            }
        }

        @Test func `a host detects that etcd was restored from a backup`() async throws {
            let isRestored = AwaitableState(false)
            let events = AwaitableState<[ClusterEvent]>([])
            let hosts = AwaitableState(0)
            try await StubEtcd.with { request in
                if request.puts.contains(where: { $0.name.contains("/@hosts/") }) {
                    hosts.change { $0 += 1 }
                }
                if request.path == "/v3/lease/keepalive" {
                    return .body(#"{"result":{"ID":"7","TTL":"1"}}"#)
                }
                guard request.path == "/v3/kv/range" else { return nil }
                return .body(#"{"header":{"revision":"\#(isRestored.state ? 3 : 5)"}}"#)
            } _: { server in
                try await withMember(
                    "a", on: server.endpoint, server.group.next(), for: .seconds(1),
                    report: { event in events.change { $0.append(event) } }
                ) { member in
                    await events.wait { $0.contains(.joined) }
                    try await waitUntil("the host has read the revision") {
                        member.isUnowned(Self.name)
                    }
                    #expect(!events.state.contains(.storeRestored))
                    isRestored.change { $0 = true }
                    await events.wait { $0.contains(.storeRestored) }
                    // The server no longer has the host's key.
                    await hosts.wait { $0 > 1 }
                }
            }
        }

        @Test func `a new process releases applications that it no longer hosts`() async throws {
            try await EtcdServer.with { server in
                let lease = AwaitableState<Int64?>(nil)
                let first = AwaitableState<UInt64?>(nil)
                try await withMember(
                    "a", on: server, saveLease: { number in lease.change { $0 = number } }
                ) { a in
                    let epoch = await a.acquire(Self.name)
                    first.change { $0 = epoch }
                }
                try await withMember("a", on: server, lease: lease.state, of: []) { _ in
                    try await withMember("b", on: server) { b in
                        let epoch = try #require(await b.acquire(Self.name))
                        #expect(epoch > first.state ?? .max)
                    }
                }
            }
        }
    }
#endif
