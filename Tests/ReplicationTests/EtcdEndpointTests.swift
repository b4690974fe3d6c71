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
    func `an address of a server is read`(text: String, meaning: String) {
        #expect(EtcdEndpoint(text)?.description == meaning)
    }

    @Test(arguments: [
        "", "10.0.0.1:2379", "ftp://one:1", "http://", "http://:2379", "http://one:0",
        "http://one:65536", "http://one:x", "http://a b", "http://one/v3", "http://[::1",
        "http://[::1]x", "http://::1",
    ])
    func `what is none is refused`(text: String) {
        #expect(EtcdEndpoint(text) == nil)
    }

    #if Etcd
        @Test func `why a server is not reached is told in plain words`() async throws {
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
            try await ReplyingEtcd.with(reply: { _ in .response(status, text) }) { server in
                let client = try EtcdClient(
                    [server.endpoint], within: .seconds(300), on: server.group.next())
                try await body(client)
                await client.close()
            }
        }

        @Test func `of a server's message 1 KiB is kept`() async throws {
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
        func `an answer has a limit by its kind`(
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
