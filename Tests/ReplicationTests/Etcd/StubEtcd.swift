#if Etcd
    import FoundationEssentials
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import Replication
    import TestSupport
    import Testing

    /// Server that replies as specified by a test, in an order that depends on chance with a real etcd.
    struct StubEtcd {
        /// Received requests, in order.
        let requests: AwaitableState<[Request]>
        /// Number of connections that clients have opened.
        let connectionCount: AwaitableState<Int>
        /// Number of open connections.
        let openConnectionCount: AwaitableState<Int>
        let endpoint: EtcdEndpoint
        let group: MultiThreadedEventLoopGroup

        /// Request of a client.
        struct Request {
            let path: String
            let body: [UInt8]
        }

        /// Reply to a request.
        enum Reply {
            case body(String)
            case response(HTTPResponseStatus, String)
            /// A stream without messages.
            case stream
            /// No reply. The connection is closed.
            case close
        }

        /// Runs a body with a server.
        ///
        /// - Parameters:
        ///   - hasIdentity: Whether the server replies to every read of a cluster's identity with the identifier `1`.
        ///   - reply: Returns the reply to a request, or `nil` for the default reply of an empty etcd in which every
        ///     transaction succeeds with the same revision.
        static func with(
            hasIdentity: Bool = true,
            reply: @escaping @Sendable (Request) async -> Reply? = { _ in nil },
            _ body: (StubEtcd) async throws -> Void
        ) async throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let requests = AwaitableState<[Request]>([])
            let connectionCount = AwaitableState(0)
            let openConnectionCount = AwaitableState(0)
            let listener = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    connectionCount.change { $0 += 1 }
                    openConnectionCount.change { $0 += 1 }
                    channel.closeFuture.whenComplete { _ in
                        openConnectionCount.change { $0 -= 1 }
                    }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        try channel.pipeline.syncOperations.addHandler(
                            RequestHandler { request in
                                if hasIdentity, let identity = request.identityReply {
                                    return identity
                                }
                                requests.change { $0.append(request) }
                                return await reply(request) ?? usualReply(to: request)
                            })
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = try #require(listener.localAddress?.port)
            let endpoint = try #require(EtcdEndpoint("http://127.0.0.1:\(port)"))
            let result: Result<Void, any Error>
            do {
                try await body(
                    StubEtcd(
                        requests: requests, connectionCount: connectionCount,
                        openConnectionCount: openConnectionCount, endpoint: endpoint, group: group))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await listener.close()
            try await group.shutdownGracefully()
            try result.get()
        }

        private init(
            requests: AwaitableState<[Request]>, connectionCount: AwaitableState<Int>,
            openConnectionCount: AwaitableState<Int>, endpoint: EtcdEndpoint,
            group: MultiThreadedEventLoopGroup
        ) {
            self.requests = requests
            self.connectionCount = connectionCount
            self.openConnectionCount = openConnectionCount
            self.endpoint = endpoint
            self.group = group
        }

        private static func usualReply(to request: Request) -> Reply {
            switch request.path {
            case "/v3/lease/grant": .body(#"{"ID":"7","TTL":"60"}"#)
            case "/v3/lease/keepalive": .body(#"{"result":{"ID":"7","TTL":"60"}}"#)
            case "/v3/kv/txn":
                .body(
                    """
                    {"header":{"revision":"2"},"succeeded":true,"responses":[{"response_range":{"kvs":[\
                    \(request.puts.map(\.entry).joined(separator: ","))]}}]}
                    """)
            case "/v3/watch": .stream
            default: .body(#"{"header":{"revision":"1"}}"#)
            }
        }
    }

    extension StubEtcd.Request {
        /// Value that a transaction puts. Like its key, it is in base64.
        struct Put: Decodable {
            let key: String
            let value: String
            let lease: String?

            /// Key as text.
            var name: String { String(decoding: Data(base64Encoded: key) ?? Data(), as: UTF8.self) }

            fileprivate var entry: String {
                """
                {"key":"\(key)","value":"\(value)","lease":"\(lease ?? "0")","create_revision":"2",\
                "mod_revision":"2"}
                """
            }
        }

        private struct Range: Decodable {
            let key: Data
        }

        /// Reply to a read of a cluster's identity, or `nil` for another request.
        fileprivate var identityReply: StubEtcd.Reply? {
            guard path == "/v3/kv/range" else { return nil }
            do {
                let key = try JSONDecoder().decode(Range.self, from: Data(body)).key
                guard String(decoding: key, as: UTF8.self).hasSuffix("/@cluster/identity") else {
                    return nil
                }
                let value = Data("1".utf8).base64EncodedString()
                return .body(
                    """
                    {"header":{"revision":"1"},"kvs":[{"key":"\(key.base64EncodedString())",\
                    "value":"\(value)","create_revision":"1","mod_revision":"1"}]}
                    """)
            } catch {
                return nil
            }
        }

        private struct Transaction: Decodable {
            struct Operation: Decodable { let request_put: Put? }
            let success: [Operation]
        }

        /// Values that a transaction puts.
        var puts: [Put] {
            do {
                return try JSONDecoder().decode(Transaction.self, from: Data(body)).success
                    .compactMap(\.request_put)
            } catch {
                return []
            }
        }
    }

    /// Handler that replies to the requests of one connection.
    private final class RequestHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let reply: @Sendable (StubEtcd.Request) async -> StubEtcd.Reply
        private var path = ""
        private var body: [UInt8] = []

        init(_ reply: @escaping @Sendable (StubEtcd.Request) async -> StubEtcd.Reply) {
            self.reply = reply
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (path, body) = (head.uri, [])
            case .body(let buffer): body += buffer.readableBytesView
            case .end:
                let request = StubEtcd.Request(path: path, body: body)
                let (channel, reply) = (context.channel, reply)
                Task { RequestHandler.send(await reply(request), on: channel) }
            }
        }

        private static func send(_ reply: StubEtcd.Reply, on channel: any Channel) {
            switch reply {
            case .body(let text): send(.ok, text, on: channel)
            case .response(let status, let text): send(status, text, on: channel)
            case .stream:
                let head = HTTPResponseHead(version: .http1_1, status: .ok)
                channel.writeAndFlush(OutboundOut.head(head), promise: nil)
            case .close: channel.close(promise: nil)
            }
        }

        private static func send(
            _ status: HTTPResponseStatus, _ text: String, on channel: any Channel
        ) {
            let headers: HTTPHeaders = ["Content-Length": "\(text.utf8.count)"]
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            channel.write(OutboundOut.head(head), promise: nil)
            channel.write(OutboundOut.body(.byteBuffer(ByteBuffer(string: text))), promise: nil)
            channel.writeAndFlush(OutboundOut.end(nil), promise: nil)
        }
    }
#endif
