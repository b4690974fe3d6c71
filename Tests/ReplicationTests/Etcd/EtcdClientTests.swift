#if Etcd
    import NIOHTTP1
    import NIOPosix
    @testable import Replication
    import TestSupport
    import Testing

    /// Clock on which no time passes, however slow the machine is.
    private struct StoppedClock: SuspendAwareClock {
        let now = ContinuousClock.now
        let minimumResolution = Duration.nanoseconds(1)

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            throw CancellationError()
        }
    }

    @Suite(.timeLimit(.minutes(10))) struct EtcdClientTests {
        @Test func `a closed client does not connect to a server`() async throws {
            try await StubEtcd.with { _ in
                nil
            } _: { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                _ = try await client.range(KeyRange("a"))
                await client.close()
                await #expect(
                    throws: StoreError.unreachable(
                        endpoint: "\(server.endpoint)", reason: "the client is closed")
                ) { try await client.range(KeyRange("a")) }
                #expect(server.requests.state.count == 1)
            }
        }

        @Test func `requests use one connection until the server closes it`() async throws {
            let number = AwaitableState(0)
            try await StubEtcd.with { _ in
                number.change { number in
                    number += 1
                    return number == 3 ? .close : nil
                }
            } _: { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                for _ in 1...2 { _ = try await client.range(KeyRange("a")) }
                #expect(server.connectionCount.state == 1)
                await #expect(throws: StoreError.self) { try await client.range(KeyRange("a")) }
                for _ in 1...2 { _ = try await client.range(KeyRange("a")) }
                #expect(server.connectionCount.state == 2)
                await client.close()
            }
        }

        @Test func `a server of another cluster is reported with a problem`() async throws {
            try await EtcdServer.with { server in
                let keyspace = Keyspace(cluster: "test")
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                let identity = try await client.identify(keyspace, known: nil)
                #expect(await client.serverStatuses().map(\.problem) == [nil])
                let other = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                let foreign = ClusterIdentity(in: keyspace)
                #expect(foreign.id != identity.id)
                _ = try await other.identify(keyspace, known: foreign)
                let problems = await other.serverStatuses().map(\.problem)
                #expect(problems.first??.contains("has the data of a different cluster") == true)
                await client.close()
                await other.close()
            }
        }

        @Test func `the error for a server without TLS says so`() async throws {
            try await EtcdServer.with { server in
                let endpoint = try #require(EtcdEndpoint("https://\(server.endpoint.authority)"))
                let client = try EtcdClient(
                    [endpoint], within: .seconds(300), on: server.group.next())
                let error = await #expect(throws: StoreError.self) {
                    try await client.range(KeyRange("a"))
                }
                #expect("\(error!)".contains("if it does not use TLS"))
                await client.close()
            }
        }

        @Test func `the error for a server that requires TLS says so`() async throws {
            try await StubEtcd.with { _ in
                .response(.badRequest, "Client sent an HTTP request to an HTTPS server.\n")
            } _: { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                let error = await #expect(throws: StoreError.self) {
                    try await client.range(KeyRange("a"))
                }
                #expect("\(error!)".contains("it uses TLS: write its address"))
                await client.close()
            }
        }

        @Test
        func `a server that rejects the client's token gets a token of its own`()
            async throws
        {
            let loginCount = AwaitableState(0)
            try await StubEtcd.with { request in
                switch request.path {
                case "/v3/auth/authenticate":
                    let number = loginCount.change { loginCount in
                        loginCount += 1
                        return loginCount
                    }
                    return .body(#"{"token":"\#(number)"}"#)
                case "/v3/maintenance/status" where loginCount.state < 2:
                    return .response(.unauthorized, #"{"code":16,"message":"invalid auth token"}"#)
                case "/v3/maintenance/status": return .body(#"{"version":"3.4.0","leader":"1"}"#)
                default: return nil
                }
            } _: { server in
                let client = try EtcdClient(
                    [server.endpoint], as: EtcdClient.User(name: "user", password: "secret"),
                    within: .seconds(300), on: server.group.next())
                _ = try await client.range(KeyRange("a"))
                #expect(await client.serverStatuses().map(\.problem) == [nil])
                #expect(
                    server.requests.state.map(\.path) == [
                        "/v3/auth/authenticate", "/v3/kv/range", "/v3/maintenance/status",
                        "/v3/auth/authenticate", "/v3/maintenance/status",
                    ])
                await client.close()
            }
        }

        @Test func `after a rejected login, requests fail for some time without another login`()
            async throws
        {
            let hasToken = AwaitableState(false)
            try await StubEtcd.with { request in
                guard request.path == "/v3/auth/authenticate" else {
                    return .response(.unauthorized, #"{"code":16,"message":"invalid auth token"}"#)
                }
                let isFirst = hasToken.change { hasToken in
                    defer { hasToken = true }
                    return !hasToken
                }
                return isFirst
                    ? .body(#"{"token":"first"}"#)
                    : .response(.badRequest, #"{"code":3,"message":"authentication failed"}"#)
            } _: { server in
                let client = try EtcdClient(
                    [server.endpoint], as: EtcdClient.User(name: "user", password: "old"),
                    within: .seconds(300), on: server.group.next(), clock: StoppedClock())
                for _ in 1...3 {
                    await #expect(
                        throws: StoreError.denied(
                            endpoint: "\(server.endpoint)", message: "authentication failed")
                    ) {
                        try await client.range(KeyRange("a"))
                    }
                }
                #expect(
                    server.requests.state.map(\.path) == [
                        "/v3/auth/authenticate", "/v3/kv/range", "/v3/auth/authenticate",
                    ])
                await client.close()
            }
        }

        @Test(arguments: [(1023, false), (1024, false), (1025, true), (5000, true)])
        func `at most 1 KiB of a server's message is shown`(count: Int, isCut: Bool) {
            let message = String(repeating: "x", count: count)
            #expect(
                EtcdClient.truncated(message) == (isCut ? message.prefix(1024) + "…" : message))
        }

        @Test func `a server's message is truncated between two scalars`() {
            let beginning = String(repeating: "x", count: 1023)
            #expect(EtcdClient.truncated(beginning + "é") == beginning + "…")
        }

        @Test func `a watch fails if a message with earlier changes is too long`() async throws {
            try await EtcdServer.with { server in
                let keyspace = Keyspace(cluster: "test")
                let first = try await server.client.range(KeyRange("a")).storeRevision + 1
                let value = [UInt8](repeating: 0x78, count: 1_000_000)
                for _ in 1...13 {
                    _ = try await server.client.commit(
                        StoreTransaction(if: [], then: [.put(keyspace.hostKey("b"), value)]))
                }
                // etcd combines all of these changes in one message.
                let error = await #expect(throws: StoreError.self) {
                    try await server.client.watch(
                        keysBelow: keyspace.clusterStatePrefix, from: first, report: { _ in })
                }
                #expect(error?.kind == .replyTooLong)
            }
        }

        @Test func `a stream is split into lines regardless of how it arrives`() {
            var lines = StreamLineParser()
            #expect(lines.consume(Array("a\n\nb".utf8)) == [[0x61]])
            #expect(lines.consume([]) == [])
            #expect(lines.consume(Array("c\nd\n".utf8)) == [[0x62, 0x63], [0x64]])
            #expect(lines.consume([UInt8](repeating: 0x65, count: 16 << 20)) == [])
            #expect(!lines.isLineTooLong)
            #expect(lines.consume([0x65]) == [])
            #expect(lines.isLineTooLong)
        }
    }
#endif
