import Testing

@testable import Replication

#if Etcd
    import NIOCore
    import NIOHTTP1
    import NIOPosix
#endif

struct EtcdEndpointTests {
    @Test(arguments: [
        ("http://10.0.0.1:2379", "http://10.0.0.1:2379"), ("http://one/", "http://one:2379"),
        ("https://one.example.org:1", "https://one.example.org:1"),
        ("http://[fd00::1]:2380", "http://[fd00::1]:2380"), ("http://[::1]", "http://[::1]:2379"),
    ])
    func `a valid server address is parsed`(text: String, meaning: String) {
        #expect(EtcdEndpoint(text)?.description == meaning)
    }

    @Test(arguments: [
        "", "10.0.0.1:2379", "ftp://one:1", "http://", "http://:2379", "http://one:0",
        "http://one:65536", "http://one:x", "http://a b", "http://one/v3", "http://[::1",
        "http://[::1]x", "http://::1", "http://one\u{7F}", "http://\u{E9}:2379",
    ])
    func `an invalid server address is refused`(text: String) {
        #expect(EtcdEndpoint(text) == nil)
    }

    @Test(
        arguments: [
            ("", false), ("/", false), ("/0000000a", false), ("a/0000000a", true),
            ("a/b/FFFFFFFF", true),
            ("a/000000g0", false), ("a/0000000g", false), ("a/g0000000", false),
            ("ab0000000a", false),
            ("a/000000a", false), ("a/00000000a", false),
        ])
    func `a piece's key ends with a slash and eight hexadecimal digits`(
        key: String, isPiece: Bool
    ) {
        #expect(ReplicatedValue.isPiece(key) == isPiece)
    }

    #if Etcd
        @Test(
            arguments: [
                ("http://one:1", "one"), ("http://10.0.0.1:1", nil), ("http://[fd00::1]:1", nil),
                ("http://10.0.0.one:1", "10.0.0.one"), ("http://one.10:1", "one.10"),
                ("http://1:1", nil),
            ] as [(String, String?)])
        func `a certificate is checked against a host name, but not against an IP address`(
            text: String, name: String?
        ) {
            #expect(EtcdEndpoint(text)?.serverName == name)
        }

        @Test(arguments: [
            HTTPResponseStatus.internalServerError, .badGateway, .serviceUnavailable, .badRequest,
            .notFound, .custom(code: 499, reasonPhrase: ""),
        ])
        func `a reply that is not from etcd is temporary only for a 5xx status`(
            status: HTTPResponseStatus
        ) async throws {
            try await withReply(status, "<html>") { client in
                let endpoint = "\(await client.endpoint)"
                let expected: StoreError =
                    status.code >= 500
                    ? .unavailable(endpoint: endpoint, message: "status \(status.code)")
                    : .malformed(endpoint: endpoint, reason: "it replied \"<html>\"")
                await #expect(throws: expected) { try await client.range(KeyRange("a")) }
            }
            try await withReply(status, "CommonName of client") { client in
                let expected = StoreError.denied(
                    endpoint: "\(await client.endpoint)",
                    message:
                        "its JSON gateway does not accept client certificates that have a common name (CN)"
                )
                await #expect(throws: expected) { try await client.range(KeyRange("a")) }
            }
        }

        @Test(
            arguments: [
                (8, "mvcc: database space exceeded", "no space"), (8, "too many", "unavailable"),
                (7, "no", "denied"), (16, "no", "denied"), (3, "authentication failed", "denied"),
                (3, "auth store", "denied"), (3, "user name is empty", "denied"),
                (3, "no", "refused"),
                (11, "compacted", "compacted"), (1, "no", "unavailable"), (2, "no", "unavailable"),
                (4, "no", "unavailable"), (13, "no", "unavailable"), (14, "no", "unavailable"),
                (5, "no", "refused"), (9, "no", "refused"),
            ])
        func `etcd errors are distinguished by code and message`(
            code: Int, message: String, kind: String
        ) async throws {
            for field in ["code", "grpc_code"] {
                let text = #"{"\#(field)":\#(code),"message":"\#(message)"}"#
                try await withReply(.badRequest, text) { client in
                    let endpoint = "\(await client.endpoint)"
                    let expected: StoreError =
                        switch kind {
                        case "no space": .noSpace(endpoint: endpoint)
                        case "denied": .denied(endpoint: endpoint, message: message)
                        case "compacted": .compacted(endpoint: endpoint, message: message)
                        case "unavailable": .unavailable(endpoint: endpoint, message: message)
                        default: .refused(endpoint: endpoint, code: code, message: message)
                        }
                    await #expect(throws: expected) { try await client.range(KeyRange("a")) }
                }
            }
        }

        @Test(
            arguments: [
                (
                    #"{"header":{"member_id":"1"},"version":"3.5.0","dbSize":"9","leader":"1"}"#,
                    true, nil
                ),
                (
                    #"{"header":{"member_id":"1"},"version":"3.5.0","dbSize":"9","leader":"2"}"#,
                    false, nil
                ),
                (
                    #"{"header":{"member_id":"1"},"version":"3.5.0","dbSize":"9","leader":"0"}"#,
                    false,
                    "it has no leader"
                ),
                (#"{"header":{},"version":"3.5.0","dbSize":"9"}"#, false, "it has no leader"),
                (
                    #"{"header":{"member_id":"1"},"version":"3.5.0","dbSize":"9","leader":"1","errors":["e","f"]}"#,
                    true, "it reports: e"
                ),
            ] as [(String, Bool, String?)])
        func `each server reports its version, database size, leadership and problem`(
            text: String, isLeader: Bool, problem: String?
        ) async throws {
            try await StubEtcd.with(reply: { _ in .body(text) }) { server in
                let missing = try #require(EtcdEndpoint("http://127.0.0.1:1"))
                let client = try EtcdClient(
                    [server.endpoint, missing, server.endpoint], within: .seconds(300),
                    on: server.group.next())
                let servers = await client.serverStatuses()
                #expect(
                    servers.map(\.endpoint)
                        == [server.endpoint, missing, server.endpoint].map {
                            "\($0)"
                        })
                #expect(servers[1].problem?.contains("Connection refused") == true)
                #expect(servers[1].latency == nil && !servers[1].isLeader)
                for status in [servers[0], servers[2]] {
                    #expect(status.version == "3.5.0")
                    #expect(status.databaseByteCount == 9)
                    #expect(status.isLeader == isLeader)
                    #expect(status.problem == problem)
                    #expect(status.latency != nil)
                }
                await client.close()
            }
        }

        @Test func `the reason for a failed connection is reported in plain words`() async throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let endpoint = try #require(EtcdEndpoint("http://127.0.0.1:1"))
            let client = try EtcdClient([endpoint], within: .seconds(300), on: group.next())
            await #expect(
                throws: StoreError.unreachable(
                    endpoint: "http://127.0.0.1:1", reason: "Connection refused")
            ) {
                try await client.range(KeyRange("a"))
            }
            await client.close()
            try await group.shutdownGracefully()
        }

        /// Runs a body with a client of a server that sends the same reply to every request.
        private func withReply(
            _ status: HTTPResponseStatus, _ text: String,
            _ body: (EtcdClient) async throws -> Void
        ) async throws {
            try await StubEtcd.with(reply: { _ in .response(status, text) }) { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                try await body(client)
                await client.close()
            }
        }

        @Test func `only the first 1 KiB of a server's message is retained`() async throws {
            let message = String(repeating: "m", count: 30_000)
            let text = #"{"code":3,"message":"\#(message)"}"#
            try await withReply(.badRequest, text) { client in
                do throws(StoreError) {
                    _ = try await client.range(KeyRange("a"))
                    Issue.record("it answers")
                } catch {
                    let part = String(repeating: "m", count: 1024) + "…"
                    let endpoint = "\(await client.endpoint)"
                    #expect(error == .refused(endpoint: endpoint, code: 3, message: part))
                }
            }
        }

        @Test(arguments: [
            (HTTPResponseStatus.ok, 16 << 20, false), (.badRequest, 64 << 10, false),
            (.ok, 4 << 20, true),
        ])
        func `the maximum length of a reply depends on its kind`(
            status: HTTPResponseStatus, limit: Int, isTransaction: Bool
        ) async throws {
            let text = String(repeating: " ", count: limit + 1)
            try await withReply(status, text) { client in
                do throws(StoreError) {
                    if isTransaction {
                        _ = try await client.commit(StoreTransaction(if: [], then: []))
                    } else {
                        _ = try await client.range(KeyRange("a"))
                    }
                    Issue.record("it answers")
                } catch {
                    let endpoint = "\(await client.endpoint)"
                    #expect(error == .replyTooLong(endpoint: endpoint, limit: limit))
                }
            }
        }
    #endif
}
