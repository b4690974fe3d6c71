#if Etcd
    import ExactText
    import Glibc
    import NIOCore
    import NIOHTTP1
    import NIOPosix

    /// Connection to a server. It carries one request at a time.
    final class EtcdConnection: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundOut = HTTPClientRequestPart

        /// Reply from a server.
        struct Response: Sendable {
            var statusCode: Int
            var body: [UInt8]
        }

        /// Request that is waiting for its reply.
        private struct Exchange {
            /// Closure that receives the reply, or an error if no reply arrives.
            var completion: (Result<Response, StoreError>) -> Void
            /// Timeout for the reply, or `nil` if there is no timeout.
            var timer: Scheduled<Void>?
            var statusCode = 0
            var body: [UInt8] = []
            /// Maximum number of bytes in the body.
            var maximumBytes: Int
            /// Closure that receives each part of a stream as it arrives, or `nil` to collect the parts in ``body``.
            var consume: (([UInt8]) -> Void)?
        }

        /// Maximum length, in bytes, of a reply that is an error or contains no keys.
        static let maximumSmallReplyBytes = 64 << 10

        let endpoint: EtcdEndpoint
        /// Whether the server is known to have the data that the client requires.
        var isIdentityChecked = false
        private let channel: any Channel
        private var exchange: Exchange?
        private var hasEnded = false
        /// Whether the server has replied to a request on this connection.
        private var hasResponded = false
        /// Error that ended the connection, or `nil` if there was no error.
        private var failure: StoreError?

        init(_ endpoint: EtcdEndpoint, _ channel: any Channel) {
            self.endpoint = endpoint
            self.channel = channel
        }

        /// Whether another request can be sent.
        var isUsable: Bool { !hasEnded && exchange == nil && channel.isActive }

        /// Error for requests that are sent after the connection has ended.
        private var disconnectionError: StoreError {
            if let failure { return failure }
            let reason =
                endpoint.isSecure && !hasResponded
                ? EtcdSecurity.missingTLSReason : "it closed the connection"
            return .unreachable(endpoint: "\(endpoint)", reason: reason)
        }

        /// Closes the connection, which makes a pending request fail.
        func close() { channel.close(promise: nil) }

        /// Sends a request.
        ///
        /// Call this method on the event loop.
        ///
        /// - Parameters:
        ///   - token: The client's authentication token, or `nil` to send the request without authentication.
        ///   - timeout: The timeout for the reply, or `nil` for a stream without a timeout.
        ///   - maximumBytes: The maximum number of bytes in the reply.
        ///   - consume: A closure that receives each part of the reply as it arrives, or `nil` if the reply is not a
        ///     stream.
        ///   - completion: A closure that receives the reply, or an error if no reply arrives.
        func send(
            _ path: String, _ body: [UInt8], token: String?, within timeout: TimeAmount?,
            maximumBytes: Int = EtcdConnection.maximumSmallReplyBytes,
            consume: (([UInt8]) -> Void)? = nil,
            completion: @escaping (Result<Response, StoreError>) -> Void
        ) {
            guard isUsable else { return completion(.failure(disconnectionError)) }
            var exchange = Exchange(
                completion: completion, maximumBytes: maximumBytes, consume: consume)
            if let timeout {
                let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
                exchange.timer = channel.eventLoop.scheduleTask(in: timeout) {
                    let connection = bound.value
                    connection.fail(StoreError.timedOut(endpoint: "\(connection.endpoint)"))
                }
            }
            self.exchange = exchange
            var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: path)
            head.headers.add(name: "Host", value: endpoint.authority)
            head.headers.add(name: "Content-Type", value: "application/json")
            head.headers.add(name: "Content-Length", value: "\(body.count)")
            if let token { head.headers.add(name: "Authorization", value: token) }
            channel.write(OutboundOut.head(head), promise: nil)
            channel.write(
                OutboundOut.body(.byteBuffer(channel.allocator.buffer(bytes: body))),
                promise: nil)
            channel.writeAndFlush(OutboundOut.end(nil), promise: nil)
        }

        /// Completes the pending request, if there is one.
        private func endExchange(_ result: (Exchange) -> Result<Response, StoreError>) {
            guard let exchange = exchange.take() else { return }
            exchange.timer?.cancel()
            exchange.completion(result(exchange))
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                hasResponded = true
                exchange?.statusCode = Int(head.status.code)
                if head.status != .ok { exchange?.maximumBytes = Self.maximumSmallReplyBytes }
            case .body(let buffer):
                let bytes = Array(buffer.readableBytesView)
                if exchange?.statusCode == 200, let consume = exchange?.consume {
                    return consume(bytes)
                }
                guard let maximumBytes = exchange?.maximumBytes else { return }
                exchange?.body += bytes
                if exchange?.body.count ?? 0 > maximumBytes {
                    fail(StoreError.replyTooLong(endpoint: "\(endpoint)", limit: maximumBytes))
                }
            case .end:
                endExchange { .success(Response(statusCode: $0.statusCode, body: $0.body)) }
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            fail(disconnectionError)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // A server without TLS may also reset the connection.
            if let error = error as? IOError, error.errnoCode == ECONNRESET {
                return fail(disconnectionError)
            }
            fail(
                StoreError.unreachable(endpoint: "\(endpoint)", reason: Self.reason(for: error)))
        }

        /// Returns a phrase that says why a server could not be reached or why a connection failed.
        static func reason(for error: any Error) -> String {
            switch error {
            case let error as NIOConnectionError:
                // A failed address lookup matters only if there was no connection error, because a name may have
                // addresses of only one family.
                error.connectionErrors.isEmpty
                    ? "the host name \(error.host) cannot be resolved"
                    : Set(error.connectionErrors.map { ExactString(reason(for: $0.error)) })
                        .sorted().map(\.text)
                        .joined(separator: ", ")
            case let error as IOError: String(cString: strerror(error.errnoCode))
            case ChannelError.connectTimeout(let limit):
                "no connection was made within \(limit.nanoseconds / 1_000_000_000) s"
            case HTTPParserError.invalidEOFState: "it closed the connection"
            case is HTTPParserError:
                "it is not etcd 3.4 or later, because it does not respond with HTTP"
            default: EtcdSecurity.reason(for: error)
            }
        }

        private func fail(_ error: StoreError) {
            hasEnded = true
            failure = failure ?? error
            endExchange { _ in .failure(error) }
            channel.close(promise: nil)
        }
    }
#endif
