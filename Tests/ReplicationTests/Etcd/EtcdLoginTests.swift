#if Etcd
    import ExactText
    import NIOHTTP1
    import NIOPosix
    import TestSupport
    import Testing

    @testable import Replication

    /// Tests of when a client logs in to a server, with a clock that the test advances.
    @Suite(.timeLimit(.minutes(10))) struct EtcdLoginTests {
        private static let login = "/v3/auth/authenticate"
        private static let read = "/v3/kv/range"
        private static let token = StubEtcd.Reply.body(#"{"token":"t"}"#)
        private static let denied = StubEtcd.Reply.response(
            .unauthorized, #"{"code":16,"message":"invalid auth token"}"#)
        private static let rejected = StubEtcd.Reply.response(
            .badRequest, #"{"code":3,"message":"authentication failed"}"#)

        /// Runs a body with a client that has credentials.
        private func withClient(
            reply: @escaping @Sendable (StubEtcd.Request) async -> StubEtcd.Reply?,
            _ body: (EtcdClient, StubEtcd, ManualClock) async throws -> Void
        ) async throws {
            try await StubEtcd.with(reply: reply) { server in
                let clock = ManualClock()
                let client = try EtcdClient(
                    [server.endpoint], as: EtcdClient.User(name: "user", password: "secret"),
                    within: .seconds(300), on: server.group.next(), clock: clock)
                try await body(client, server, clock)
                await client.close()
            }
        }

        /// Runs a body with a client of a server that sends these replies in order, and then its default replies.
        private func withReplies(
            _ replies: [StubEtcd.Reply?],
            _ body: (EtcdClient, StubEtcd, ManualClock) async throws -> Void
        ) async throws {
            let remaining = AwaitableState(replies)
            try await withClient { _ in
                remaining.change { $0.isEmpty ? nil : $0.removeFirst() }
            } _: { client, server, clock async throws in
                try await body(client, server, clock)
            }
        }

        /// Returns the kind of error with which a read fails, or `nil` if it succeeds.
        private func failure(_ client: EtcdClient) async -> StoreError.Kind? {
            do throws(StoreError) {
                _ = try await client.range(KeyRange("a"))
                return nil
            } catch {
                return error.kind
            }
        }

        @Test func `a client sends no token while authentication is not enabled`() async throws {
            let disabled = StubEtcd.Reply.response(
                .badRequest, #"{"code":9,"message":"authentication is not enabled"}"#)
            let replies = [
                disabled, nil, nil, Self.denied, Self.token, nil, Self.denied, Self.rejected,
            ]
            try await withReplies(replies) { client, server, _ async throws in
                for _ in 1...3 { #expect(await failure(client) == nil) }
                // After authentication was enabled, the client needs a valid token.
                for _ in 1...2 { #expect(await failure(client) == .denied) }
                #expect(
                    server.requests.state.map(\.path) == [
                        Self.login, Self.read, Self.read, Self.read, Self.login, Self.read,
                        Self.read, Self.login,
                    ])
            }
        }

        @Test func `a request that is not denied is neither repeated nor followed by a login`()
            async throws
        {
            let refused = StubEtcd.Reply.response(.badRequest, #"{"code":9,"message":"no"}"#)
            try await withReplies([Self.token, refused]) { client, server, _ async throws in
                #expect(await failure(client) == .refused)
                #expect(server.requests.state.map(\.path) == [Self.login, Self.read])
            }
        }

        @Test func `a login that the server could not check is repeated at the next request`()
            async throws
        {
            let unavailable = StubEtcd.Reply.response(
                .serviceUnavailable, #"{"code":14,"message":"no"}"#)
            try await withReplies([unavailable, Self.token]) { client, server, _ async throws in
                #expect(await failure(client) == .unavailable)
                #expect(await failure(client) == nil)
                #expect(
                    server.requests.state.map(\.path) == [Self.login, Self.login, Self.read])
            }
        }

        @Test func `the pause after each rejected login doubles, from 1 s up to 30 s`()
            async throws
        {
            let isAccepted = AwaitableState(false)
            try await withClient { request in
                guard request.path == Self.login else { return nil }
                return isAccepted.state ? Self.token : Self.rejected
            } _: { client, server, clock async throws in
                // A pause varies by a quarter.
                for (number, seconds) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
                    #expect(await failure(client) == .denied)
                    clock.advance(by: Duration.seconds(seconds) * 0.74)
                    #expect(await failure(client) == .denied)
                    #expect(server.requests.state.count == number + 1)
                    clock.advance(by: Duration.seconds(seconds) * 0.52)
                }
                isAccepted.change { $0 = true }
                #expect(await failure(client) == nil)
                #expect(server.requests.state.map(\.path).suffix(2) == [Self.login, Self.read])
            }
        }

        @Test func `the pauses begin again with 1 s after a login was accepted`() async throws {
            let replies = [
                Self.rejected, Self.rejected, Self.token, nil, Self.denied, Self.rejected,
                Self.token, nil,
            ]
            try await withReplies(replies) { client, server, clock async throws in
                for pause in [1, 2] {
                    #expect(await failure(client) == .denied)
                    clock.advance(by: Duration.seconds(pause) * 1.26)
                }
                #expect(await failure(client) == nil)
                #expect(await failure(client) == .denied)
                clock.advance(by: .milliseconds(1260))
                #expect(await failure(client) == nil)
                #expect(server.requests.state.count == replies.count)
            }
        }

        @Test func `logins that are rejected at the same time count as one`() async throws {
            let isReleased = Signal()
            try await withClient { request in
                await isReleased.wait()
                return Self.rejected
            } _: { client, server, clock async throws in
                let reading = (1...2).map { _ in Task { await failure(client) } }
                await server.requests.wait { $0.count == 2 }
                isReleased.send()
                for task in reading { #expect(await task.value == .denied) }
                // This is longer than the first pause, and shorter than the second pause.
                clock.advance(by: .milliseconds(1300))
                #expect(await failure(client) == .denied)
                #expect(server.requests.state.count == 3)
            }
        }

        @Test(arguments: [(0, 4, "invalid auth token"), (2, 5, "authentication failed")])
        func `a denied request to one server causes a login only after the pause`(
            seconds: Int, requestCount: Int, problem: String
        ) async throws {
            let (isReleased, loginCount) = (Signal(), AwaitableState(0))
            try await withClient { request in
                switch request.path {
                case Self.login:
                    let number = loginCount.change { count in
                        count += 1
                        return count
                    }
                    return number == 1 ? Self.token : Self.rejected
                case Self.read: return Self.denied
                default:
                    await isReleased.wait()
                    return Self.denied
                }
            } _: { client, server, clock async throws in
                let checking = Task { await client.serverStatuses() }
                await server.requests.wait { $0.count == 2 }
                #expect(await failure(client) == .denied)
                clock.advance(by: .seconds(seconds))
                isReleased.send()
                let problems = await checking.value.map(\.problem)
                #expect(problems.first??.contains(problem) == true)
                #expect(server.requests.state.count == requestCount)
            }
        }

        @Test func `a login that one server rejects is not repeated there until the pause ends`()
            async throws
        {
            let (loginCount, isAccepted) = (AwaitableState(0), AwaitableState(false))
            try await withClient { request in
                switch request.path {
                case Self.login:
                    let number = loginCount.change { count in
                        count += 1
                        return count
                    }
                    return number == 1 || isAccepted.state ? Self.token : Self.rejected
                case Self.read: return nil
                default: return isAccepted.state ? .body("{}") : Self.denied
                }
            } _: { client, _, clock async throws in
                for (count, seconds) in [(2, 1), (3, 2), (4, 4)] {
                    for _ in 1...2 { _ = await client.serverStatuses() }
                    #expect(loginCount.state == count)
                    clock.advance(by: Duration.seconds(seconds) * 1.26)
                }
                // The server in use is not affected.
                #expect(await failure(client) == nil)
                #expect(loginCount.state == 4)
            }
        }

        @Test func `a client logs in before it checks the identity of a server`() async throws {
            try await withReplies([Self.token]) { client, server, _ async throws in
                let keyspace = Keyspace(cluster: "test")
                _ = try await client.identify(
                    keyspace, known: ClusterIdentity(in: keyspace, id: "2"))
                #expect(await failure(client) == .otherCluster)
                #expect(server.requests.state.map(\.path) == [Self.login])
            }
        }
    }
#endif
