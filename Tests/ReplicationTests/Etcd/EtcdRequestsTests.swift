#if Etcd
    import ExactText
    import NIOHTTP1
    import NIOPosix
    import TestSupport
    import Testing

    @testable import Replication

    /// Tests of requests, connections and watches of a client.
    @Suite(.timeLimit(.minutes(10))) struct EtcdRequestsTests {
        private static let unreachable = "http://127.0.0.1:1"

        private func withClient(
            reply: @escaping @Sendable (StubEtcd.Request) async -> StubEtcd.Reply? = { _ in nil },
            _ body: (EtcdClient, StubEtcd) async throws -> Void
        ) async throws {
            try await StubEtcd.with(reply: reply) { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                try await body(client, server)
                await client.close()
            }
        }

        // MARK: Watches

        @Test func `a watch reports all messages, however they arrive`() async throws {
            let messages = """
                {"result":{}}
                {"result":{"events":[{"kv":{"key":"YQ==","value":"Bw==","create_revision":"2",\
                "mod_revision":"2"}}]}}
                {"result":{"events":[{"type":"DELETE","kv":{"key":"Yg==","mod_revision":"3"}}]}}

                """
            try await withClient(reply: { _ in .body(messages) }) { client, server async throws in
                let reported = AwaitableState<[KeyChange]>([])
                await #expect(
                    throws: StoreError.unreachable(
                        endpoint: "\(server.endpoint)", reason: "it ended a watch")
                ) {
                    try await client.watch(keysBelow: "a", from: 1) { changes in
                        reported.change { $0 += changes }
                    }
                }
                let entry = KeyEntry(key: "a", value: [7], createRevision: 2, modRevision: 2)
                #expect(
                    reported.state == [
                        KeyChange(key: "a", entry: entry, revision: 2),
                        KeyChange(key: "b", entry: nil, revision: 3),
                    ])
            }
        }

        @Test(
            arguments: [
                ("nonsense", .malformed, "it replied \"nonsense\""),
                (#"{"error":{"grpc_code":11,"message":"too old"}}"#, .compacted, "too old"),
                (#"{"error":{"grpc_code":14,"message":"no leader"}}"#, .unavailable, "no leader"),
                (#"{"result":{"canceled":true,"cancel_reason":"old"}}"#, .compacted, "old"),
                (#"{"result":{"canceled":true}}"#, .compacted, "the watch was cancelled"),
            ] as [(String, StoreError.Kind, String)])
        func `a watch fails with the error in a message`(
            text: String, kind: StoreError.Kind, reason: String
        ) async throws {
            try await withClient(reply: { _ in .body(text + "\n") }) { client, _ async throws in
                let error = await #expect(throws: StoreError.self) {
                    try await client.watch(keysBelow: "a", from: 1) { _ in }
                }
                #expect(error?.kind == kind)
                #expect(error?.description.contains(reason) == true)
            }
        }

        @Test func `a watch fails if a message is longer than 16 MiB`() async throws {
            let text = String(repeating: " ", count: (16 << 20) + 1)
            try await withClient(reply: { _ in .body(text) }) { client, server async throws in
                await #expect(
                    throws: StoreError.replyTooLong(
                        endpoint: "\(server.endpoint)", limit: 16 << 20)
                ) { try await client.watch(keysBelow: "a", from: 1) { _ in } }
            }
        }

        @Test func `a watch that the server refuses fails with its error`() async throws {
            try await withClient(
                reply: { _ in .response(.forbidden, #"{"code":7,"message":"no"}"#) }
            ) { client, server async throws in
                await #expect(
                    throws: StoreError.denied(endpoint: "\(server.endpoint)", message: "no")
                ) { try await client.watch(keysBelow: "a", from: 1) { _ in } }
            }
        }

        @Test(arguments: [true, false])
        func `all watches end together, and a closed client connects no more`(
            closes: Bool
        ) async throws {
            try await withClient { client, server async throws in
                _ = try await client.range(KeyRange("a"))
                let watching = (1...2).map { _ in
                    Task<Void, any Error> {
                        try await client.watch(keysBelow: "a", from: 1) { _ in }
                    }
                }
                await server.requests.wait { $0.count == 3 }
                #expect(server.connectionCount.state == 3)
                if closes { await client.close() } else { await client.endWatches() }
                for task in watching {
                    await #expect(throws: StoreError.self) { try await task.value }
                }
                if closes {
                    await #expect(throws: StoreError.self) { try await client.range(KeyRange("a")) }
                } else {
                    _ = try await client.range(KeyRange("a"))
                }
                #expect(server.connectionCount.state == 3)
            }
        }

        // MARK: Connections

        @Test
        func `at most 16 requests for keys are sent at a time, and leases do not wait for them`()
            async throws
        {
            let isReleased = Signal()
            try await withClient(reply: { request in
                if request.path == "/v3/kv/range" { await isReleased.wait() }
                return nil
            }) { client, server async throws in
                let reading = (1...20).map { _ in
                    Task { try await client.range(KeyRange("a")).storeRevision }
                }
                await server.requests.wait { $0.count >= 16 }
                #expect(try await client.grantLease(.seconds(60)) == 7)
                #expect(server.requests.state.count { $0.path == "/v3/kv/range" } == 16)
                isReleased.send()
                for task in reading { #expect(try await task.value == 1) }
                #expect(server.requests.state.count == 21)
            }
        }

        @Test func `a connection to a server that is no longer used is not used again`()
            async throws
        {
            let (isReleased, number) = (Signal(), AwaitableState(0))
            try await StubEtcd.with { _ in
                let number = number.change { number in
                    number += 1
                    return number
                }
                if number > 1 { return .close }
                await isReleased.wait()
                return nil
            } _: { first in
                try await StubEtcd.with { second in
                    let client = try EtcdClient(
                        [first.endpoint, second.endpoint], within: .seconds(300),
                        on: first.group.next())
                    let reading = Task { try await client.range(KeyRange("a")).storeRevision }
                    await first.requests.wait { $0.count == 1 }
                    await #expect(throws: StoreError.self) { try await client.range(KeyRange("a")) }
                    #expect(await client.endpoint == second.endpoint)
                    isReleased.send()
                    #expect(try await reading.value == 1)
                    for _ in 1...2 { _ = try await client.range(KeyRange("a")) }
                    #expect(first.requests.state.count == 2)
                    #expect(second.requests.state.count == 2)
                    await client.close()
                }
            }
        }

        @Test(arguments: [true, false])
        func `all idle connections are closed after a failure or when an identity is required`(
            fails: Bool
        ) async throws {
            let (isReleased, number) = (Signal(), AwaitableState(0))
            try await withClient(reply: { _ in
                let number = number.change { number in
                    number += 1
                    return number
                }
                if number > 3 { return .close }
                await isReleased.wait()
                return nil
            }) { client, server async throws in
                let reading = (1...3).map { _ in
                    Task { try await client.range(KeyRange("a")).storeRevision }
                }
                await server.requests.wait { $0.count == 3 }
                isReleased.send()
                for task in reading { #expect(try await task.value == 1) }
                #expect(server.openConnectionCount.state == 3)
                if fails {
                    await #expect(throws: StoreError.self) { try await client.range(KeyRange("a")) }
                } else {
                    let keyspace = Keyspace(cluster: "test")
                    _ = try await client.identify(
                        keyspace, known: ClusterIdentity(in: keyspace, id: "1"))
                }
                await server.openConnectionCount.wait { $0 == 0 }
            }
        }

        @Test func `a server that closes a connection without TLS is not asked for TLS`()
            async throws
        {
            try await withClient(reply: { _ in .close }) { client, server async throws in
                await #expect(
                    throws: StoreError.unreachable(
                        endpoint: "\(server.endpoint)", reason: "it closed the connection")
                ) { try await client.range(KeyRange("a")) }
            }
        }

        @Test func `each address determines whether its server must use TLS`() async throws {
            try await StubEtcd.with { server in
                let endpoints = [Self.unreachable, "https://\(server.endpoint.authority)"]
                let client = try EtcdClient(
                    endpoints.compactMap { EtcdEndpoint($0) }, within: .seconds(300),
                    on: server.group.next())
                for _ in 1...2 {
                    await #expect(throws: StoreError.self) { try await client.range(KeyRange("a")) }
                }
                #expect(server.requests.state.isEmpty)
                await client.close()
            }
        }

        @Test func `an error of up to 64 KiB is read`() async throws {
            let error = #"{"code":5,"message":"no"}"#
            let text = error + String(repeating: " ", count: (64 << 10) - error.utf8.count)
            try await withClient(
                reply: { _ in .response(.badRequest, text) }
            ) { client, server async throws in
                await #expect(
                    throws: StoreError.refused(
                        endpoint: "\(server.endpoint)", code: 5, message: "no")
                ) { try await client.range(KeyRange("a")) }
            }
        }

        // MARK: Leases

        @Test func `an error in the reply to a renewal is not the end of the lease`() async throws {
            let text = AwaitableState(#"{"error":{"grpc_code":14,"message":"no"}}"#)
            try await withClient(reply: { _ in .body(text.state) }) { client, server async throws in
                await #expect(
                    throws: StoreError.unavailable(endpoint: "\(server.endpoint)", message: "no")
                ) { try await client.keepAlive(lease: 7, within: .seconds(300)) }
                text.change { $0 = #"{"result":{"ID":"7"}}"# }
                #expect(try await client.keepAlive(lease: 7, within: .seconds(300)) == nil)
                text.change { $0 = #"{"result":{"ID":"7","TTL":"5"}}"# }
                #expect(try await client.keepAlive(lease: 7, within: .seconds(300)) == .seconds(5))
            }
        }

        @Test(
            arguments: [
                (#"{"TTL":"5","grantedTTL":"60"}"#, 5), (#"{"grantedTTL":"60"}"#, 0),
                (#"{"TTL":"-1","grantedTTL":"60"}"#, nil), (#"{"TTL":"5"}"#, nil),
            ] as [(String, Int?)])
        func `a lease in its last second has not expired`(
            text: String, seconds: Int?
        ) async throws {
            try await withClient(reply: { _ in .body(text) }) { client, _ async throws in
                let times = try await client.timeToLive(ofLease: 7)
                let remainingTime = seconds.map { Duration.seconds($0) }
                #expect(times?.remainingTime == remainingTime)
                #expect(times?.grantedDuration == remainingTime.map { _ in Duration.seconds(60) })
            }
        }

        // MARK: Identity

        @Test func `a majority of the servers determines the identity`() async throws {
            try await StubEtcd.with { server in
                let url = "\(server.endpoint)"
                let keyspace = Keyspace(cluster: "test")
                for (urls, isMajority) in [
                    ([url, Self.unreachable, url], true), ([Self.unreachable, url, url], true),
                    ([Self.unreachable, Self.unreachable, url], false),
                ] {
                    let client = try EtcdClient(
                        urls.compactMap { EtcdEndpoint($0) }, within: .seconds(300),
                        on: server.group.next())
                    do throws(StoreError) {
                        let identity = try await client.identify(keyspace, known: nil)
                        #expect(isMajority && identity.id == "1")
                    } catch {
                        #expect(!isMajority)
                        #expect(error.kind == .unavailable)
                    }
                    await client.close()
                }
            }
        }

        @Test func `a client that already requires an identity keeps its connections`()
            async throws
        {
            try await withClient { client, server async throws in
                let other = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                _ = try await other.identify(Keyspace(cluster: "test"), known: nil)
                await client.requireIdentity(of: other)
                _ = try await client.range(KeyRange("a"))
                let count = server.connectionCount.state
                await client.requireIdentity(of: other)
                _ = try await client.range(KeyRange("a"))
                #expect(server.connectionCount.state == count)
                await other.close()
            }
        }

        @Test func `the status of a server of another cluster is complete`() async throws {
            let status =
                #"{"header":{"member_id":"1"},"version":"3.5.0","dbSize":"9","leader":"1"}"#
            try await withClient(reply: { _ in .body(status) }) { client, _ async throws in
                let keyspace = Keyspace(cluster: "test")
                _ = try await client.identify(
                    keyspace, known: ClusterIdentity(in: keyspace, id: "2"))
                let server = try #require(await client.serverStatuses().first)
                #expect(server.lacksClusterData)
                #expect(server.version == "3.5.0")
                #expect(server.databaseByteCount == 9)
                #expect(server.isLeader)
            }
        }

        @Test func `a host that may not write the identity of a cluster reports the reason`()
            async throws
        {
            try await StubEtcd.with(hasIdentity: false) { request in
                request.puts.isEmpty
                    ? nil : .response(.forbidden, #"{"code":7,"message":"no"}"#)
            } _: { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                await #expect(
                    throws: StoreError.denied(endpoint: "\(server.endpoint)", message: "no")
                ) { try await client.identify(Keyspace(cluster: "test"), known: nil) }
                await client.close()
            }
        }
    }
#endif
