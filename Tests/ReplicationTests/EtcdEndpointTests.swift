import Replication
import Testing

#if Etcd
    import NIOCore
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
                throws: EtcdError.unreachable(
                    endpoint: "http://127.0.0.1:1", reason: "Connection refused")
            ) {
                try await client.range(EtcdRange("a"))
            }
            await client.close()
            try await group.shutdownGracefully()
        }

        /// Answers a request as a server does that is none of etcd's, or is broken.
        private func answer(
            status: Int, _ body: [UInt8], to ask: (EtcdClient) async throws -> Void
        ) async throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let head = Array("HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
            let server = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(FixedAnswer(head + body))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = try #require(server.localAddress?.port)
            let endpoint = try #require(EtcdEndpoint("http://127.0.0.1:\(port)"))
            let client = try EtcdClient([endpoint], within: .seconds(300), on: group.next())
            try await ask(client)
            await client.close()
            try await server.close()
            try await group.shutdownGracefully()
        }

        @Test func `of a server's message 1 KiB is kept`() async throws {
            let message = String(repeating: "m", count: 30_000)
            let body = Array(#"{"code":3,"message":"\#(message)"}"#.utf8)
            try await answer(status: 400, body) { client in
                do throws(EtcdError) {
                    _ = try await client.range(EtcdRange("a"))
                    Issue.record("it answers")
                } catch {
                    guard case .refused(_, 3, let told) = error else { throw error }
                    #expect(told == String(repeating: "m", count: 1024) + "…")
                }
            }
        }

        @Test(arguments: [
            (200, 16 << 20, false), (400, 64 << 10, false), (200, 4 << 20, true),
        ])
        func `an answer has a limit by its kind`(
            status: Int, limit: Int, isTransaction: Bool
        ) async throws {
            try await answer(status: status, [UInt8](repeating: 0x20, count: limit + 1)) { client in
                do throws(EtcdError) {
                    if isTransaction {
                        _ = try await client.commit(EtcdTransaction(if: [], then: []))
                    } else {
                        _ = try await client.range(EtcdRange("a"))
                    }
                    Issue.record("it answers")
                } catch {
                    guard case .malformed(_, let reason) = error else { throw error }
                    #expect(reason == "an answer has more than \(limit) bytes")
                }
            }
        }
    #endif
}

#if Etcd
    /// Answers whatever is sent with the same bytes.
    private final class FixedAnswer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let bytes: [UInt8]
        private var isSent = false

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isSent { return }
            isSent = true
            context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }
#endif
