#if Etcd
    import ExactText
    package import NIOCore
    import FoundationEssentials
    import Glibc
    import NIOHTTP1
    import NIOPosix
    import NIOSSL

    /// Client for etcd 3.4 or later that uses etcd's JSON gateway
    /// (<https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/>).
    ///
    /// The client uses one server until a request to that server fails, and then switches to the next server. It never
    /// retries a failed request by itself, because only the caller knows which requests may be repeated.
    package actor EtcdClient: ClusterStore {
        /// Credentials for servers that require authentication.
        package struct User: Sendable {
            package var name: String
            package var password: String

            package init(name: String, password: String) {
                self.name = name
                self.password = password
            }
        }

        /// Maximum number of concurrent requests that read or write keys.
        private static let maximumConcurrentRequests = 16
        /// Maximum time for establishing a connection.
        private static let connectTimeout = TimeAmount.seconds(2)

        private let eventLoop: any EventLoop
        private nonisolated let executor: any SerialExecutor
        nonisolated let endpoints: [EtcdEndpoint]
        package nonisolated var serverCount: Int { endpoints.count }
        private let user: User?
        private let requestTimeout: TimeAmount
        let clock: any SuspendAwareClock
        private let tlsContext: NIOSSLContext?
        /// Index of the server that is currently in use.
        private var currentEndpointIndex = 0
        private var idleConnections: [EtcdConnection] = []
        private var activeRequestCount = 0
        /// Continuations of requests that are queued because ``maximumConcurrentRequests`` requests are in progress.
        private var requestSlotWaiters: [CheckedContinuation<Void, Never>] = []
        private var watchConnections: [EtcdConnection] = []
        private var authenticationToken: String?
        private var loginRejection: LoginRejection?
        /// Rejected logins to specific servers, keyed by address. They do not delay logins to the server in use.
        private var serverLoginRejections: [ExactString: LoginRejection] = [:]
        /// Whether the servers accept requests without a token, because authentication is not enabled yet.
        private var isAuthenticationDisabled = false
        /// Identity of the data that each server must have, or `nil` if any server may be used.
        private(set) var identity: ClusterIdentity?
        private var isClosed = false

        /// Creates a client for a list of servers.
        ///
        /// - Parameters:
        ///   - endpoints: The addresses of the servers, in the order in which the client tries them. There must be at
        ///     least one.
        ///   - user: The client's credentials, or `nil` if the servers do not require authentication.
        ///   - security: The certificates and keys for servers that use TLS.
        ///   - requestTimeout: The timeout for replies.
        ///   - clock: The clock that measures the delay after a rejected login.
        /// - Throws: ``EtcdSecurity/UnusableFile`` if the certificates cannot be used.
        package init(
            _ endpoints: [EtcdEndpoint], as user: User? = nil,
            security: EtcdSecurity = EtcdSecurity(), within requestTimeout: Duration,
            on loop: any EventLoop, clock: any SuspendAwareClock = ContinuousClock()
        ) throws(EtcdSecurity.UnusableFile) {
            tlsContext = endpoints.contains(where: \.isSecure) ? try security.makeContext() : nil
            self.endpoints = endpoints
            self.user = user
            self.requestTimeout = TimeAmount(requestTimeout)
            self.clock = clock
            eventLoop = loop
            executor = loop.executor
        }

        package nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        /// Server that the client is currently using.
        package var endpoint: EtcdEndpoint { endpoints[currentEndpointIndex] }

        /// Closes all connections and prevents new connections.
        package func close() {
            isClosed = true
            for connection in idleConnections + watchConnections { connection.close() }
            idleConnections = []
            watchConnections = []
        }

        /// Restricts the client to servers that have a given cluster's data.
        func requireIdentity(_ identity: ClusterIdentity) {
            self.identity = identity
            for connection in idleConnections { connection.close() }
            idleConnections = []
            endWatches()
        }

        /// Restricts the client to servers that have the data required by another client.
        package func requireIdentity(of otherClient: EtcdClient) async {
            if let identity = await otherClient.identity, identity != self.identity {
                requireIdentity(identity)
            }
        }

        // MARK: Requests

        /// Reads keys (`KV.Range`).
        package func range(_ range: KeyRange) async throws(StoreError) -> RangeReply {
            RangeReply(try await call(Self.rangePath, EtcdRangeRequest(range)))
        }

        /// Reads a key from one server.
        func read(_ key: String, at endpoint: EtcdEndpoint) async throws(StoreError) -> KeyEntry? {
            let reply: EtcdRangeReply = try await call(
                Self.rangePath, EtcdRangeRequest(KeyRange(key)), at: endpoint)
            return reply.kvs?.first.map { KeyEntry($0) }
        }

        /// Reads the number of keys with a prefix, and the newest revision at which any of these keys was changed
        /// (`KV.Range`).
        package func summary(
            ofKeysBelow prefix: String
        ) async throws(StoreError) -> KeySummary {
            KeySummary(try await call(Self.rangePath, EtcdRangeRequest.newestKey(below: prefix)))
        }

        /// Executes a transaction (`KV.Txn`).
        package func commit(
            _ transaction: StoreTransaction
        ) async throws(StoreError) -> TransactionReply {
            try await commit(transaction, at: nil)
        }

        /// Executes a transaction on the given server, or on the server in use if `endpoint` is `nil`.
        func commit(
            _ transaction: StoreTransaction, at endpoint: EtcdEndpoint?
        ) async throws(StoreError) -> TransactionReply {
            let reply: EtcdTransactionReply = try await call(
                Self.transactionPath, body: EtcdTransactionRequest(transaction).json, at: endpoint)
            return TransactionReply(reply)
        }

        /// Creates a lease (`Lease.LeaseGrant`).
        package func grantLease(_ duration: Duration) async throws(StoreError) -> Int64 {
            let reply: EtcdLeaseGrantReply = try await call(
                "/v3/lease/grant",
                EtcdLeaseGrantRequest(TTL: EtcdNumber(duration.components.seconds))
            )
            return reply.ID.value
        }

        /// Renews a lease (`Lease.LeaseKeepAlive`).
        package func keepAlive(
            lease: Int64, within timeout: Duration
        ) async throws(StoreError) -> Duration? {
            let reply: EtcdStreamMessage<EtcdKeepAliveReply> = try await call(
                "/v3/lease/keepalive", EtcdLeaseRequest(ID: EtcdNumber(lease)),
                within: TimeAmount(timeout))
            return reply.result?.TTL.map { .seconds($0.value) }
        }

        /// Revokes a lease (`Lease.LeaseRevoke`).
        package func revoke(lease: Int64) async throws(StoreError) {
            let _: EtcdIgnoredReply = try await call(
                "/v3/lease/revoke", EtcdLeaseRequest(ID: EtcdNumber(lease)))
        }

        /// Watches all keys with a prefix for changes, until the watch fails (`Watch.Watch`).
        ///
        /// The error is ``StoreError/Kind/compacted`` if etcd no longer has `revision`.
        package func watch(
            keysBelow prefix: String, from revision: Int64,
            report: @escaping @Sendable ([KeyChange]) -> Void
        ) async throws(StoreError) -> Never {
            let endpoint = endpoint
            let connection = try await connect(to: endpoint)
            watchConnections.append(connection)
            defer {
                connection.close()
                watchConnections.removeAll { $0 === connection }
            }
            try await checkIdentity(connection)
            if endpoint != self.endpoint {
                throw .unreachable(
                    endpoint: "\(endpoint)", reason: "this host now uses another server")
            }
            let body = try encode(
                EtcdWatchRequest(
                    create_request: EtcdWatchRequest.Create(
                        key: Data(prefix.utf8), range_end: Data(prefix.endOfPrefix.utf8),
                        start_revision: EtcdNumber(revision))))
            var lines = StreamLineParser()
            var problem: StoreError?
            let consumeBytes = { [weak connection] (bytes: [UInt8]) in
                do throws(StoreError) {
                    for line in lines.consume(bytes) {
                        try Self.processWatchMessage(line, at: endpoint, report)
                    }
                    if lines.isLineTooLong {
                        throw .replyTooLong(
                            endpoint: "\(endpoint)", limit: StreamLineParser.maximumBytes)
                    }
                } catch {
                    problem = error
                    connection?.close()
                }
            }
            do throws(StoreError) {
                let response = try await withCheckedContinuation { continuation in
                    connection.send(
                        "/v3/watch", body, token: authenticationToken, within: nil,
                        consume: consumeBytes,
                        completion: { continuation.resume(returning: $0) })
                }.get()
                if response.statusCode != 200 { throw storeError(response, at: endpoint) }
            } catch {
                if let problem { throw problem }
                throw error
            }
            throw .unreachable(endpoint: "\(endpoint)", reason: "it ended a watch")
        }

        /// Ends all watches. Each watch then throws an error.
        package func endWatches() {
            for connection in watchConnections { connection.close() }
        }

        private static func processWatchMessage(
            _ line: [UInt8], at endpoint: EtcdEndpoint,
            _ report: ([KeyChange]) -> Void
        ) throws(StoreError) {
            let reply: EtcdStreamMessage<EtcdWatchReply> = try decode(line, at: endpoint)
            if let error = reply.error { throw storeError(error, at: endpoint) }
            guard let result = reply.result else { return }
            if result.canceled == true {
                throw .compacted(
                    endpoint: "\(endpoint)",
                    message: truncated(result.cancel_reason ?? "the watch was cancelled"))
            }
            report(
                (result.events ?? []).map { event in
                    var change = KeyChange(KeyEntry(event.kv))
                    if event.type == "DELETE" { change.entry = nil }
                    return change
                })
        }

        // MARK: Connections

        private static let rangePath = "/v3/kv/range"
        private static let transactionPath = "/v3/kv/txn"
        private static let loginPath = "/v3/auth/authenticate"

        func call<Reply: EtcdReply>(
            _ path: String, _ request: some Encodable, within timeout: TimeAmount? = nil,
            at endpoint: EtcdEndpoint? = nil
        ) async throws(StoreError) -> Reply {
            try await call(path, body: try encode(request), within: timeout, at: endpoint)
        }

        private func call<Reply: EtcdReply>(
            _ path: String, body: [UInt8], within timeout: TimeAmount? = nil,
            at endpoint: EtcdEndpoint? = nil
        ) async throws(StoreError) -> Reply {
            if user != nil, authenticationToken == nil, !isAuthenticationDisabled {
                try await authenticate()
            }
            let sentToken = authenticationToken
            do throws(StoreError) {
                return try await exchange(
                    path, body, within: timeout ?? requestTimeout, at: endpoint)
            } catch {
                guard let user, error.kind == .denied else { throw error }
                if let endpoint {
                    // This server may not know the token that the client obtained from another server.
                    guard let serverToken = try await serverToken(for: user, at: endpoint) else {
                        throw error
                    }
                    return try await exchange(
                        path, body, within: timeout ?? requestTimeout, at: endpoint,
                        token: serverToken)
                }
                // A token is valid only for a few minutes, and only until the server restarts. Another request may
                // already have obtained a new token.
                if authenticationToken == sentToken { try await authenticate() }
                return try await exchange(path, body, within: timeout ?? requestTimeout)
            }
        }

        /// Rejected login, after which the client waits before it logs in again.
        ///
        /// During the delay, requests fail without another login, because each login costs etcd a lot of processor
        /// time.
        private struct LoginRejection {
            static let retryDelayRange = Duration.seconds(1) ... .seconds(30)

            let error: StoreError
            let retryDelay: Duration
            let retryTime: ContinuousClock.Instant

            init(
                _ error: StoreError, after previous: LoginRejection?,
                at now: ContinuousClock.Instant
            ) {
                self.error = error
                retryDelay =
                    previous.map { min($0.retryDelay * 2, Self.retryDelayRange.upperBound) }
                    ?? Self.retryDelayRange.lowerBound
                // The random factor prevents hosts from retrying at the same time.
                retryTime = now.advanced(by: retryDelay * .random(in: 0.75...1.25))
            }
        }

        private func authenticate() async throws(StoreError) {
            guard let user else { return }
            if let loginRejection, clock.now < loginRejection.retryTime {
                throw loginRejection.error
            }
            let previousRejection = loginRejection
            authenticationToken = nil
            isAuthenticationDisabled = false
            do throws(StoreError) {
                authenticationToken = try await login(user)
                loginRejection = nil
            } catch  where error.kind == .refused {
                // etcd refuses logins while authentication is disabled. Credentials may be configured before
                // authentication is enabled, so that enabling it causes no interruption.
                isAuthenticationDisabled = true
            } catch {
                // Rejections of concurrent logins count as one rejection.
                if error.kind == .denied, loginRejection?.retryTime == previousRejection?.retryTime
                {
                    loginRejection = LoginRejection(error, after: previousRejection, at: clock.now)
                }
                throw error
            }
        }

        /// Logs in to a specific server.
        ///
        /// - Returns: A token that the server knows, or `nil` during the delay after a rejected login.
        private func serverToken(
            for user: User, at endpoint: EtcdEndpoint
        ) async throws(StoreError) -> String? {
            let address = ExactString("\(endpoint)")
            let previousRejection = serverLoginRejections[address]
            for rejection in [loginRejection, previousRejection] {
                if let rejection, clock.now < rejection.retryTime { return nil }
            }
            do throws(StoreError) {
                let token = try await login(user, at: endpoint)
                serverLoginRejections[address] = nil
                return token
            } catch {
                // Rejections of concurrent logins count as one rejection.
                if error.kind == .denied,
                    serverLoginRejections[address]?.retryTime == previousRejection?.retryTime
                {
                    serverLoginRejections[address] = LoginRejection(
                        error, after: previousRejection, at: clock.now)
                }
                throw error
            }
        }

        /// Logs in to the given server, or to the server in use if `endpoint` is `nil`, and returns a token.
        private func login(
            _ user: User, at endpoint: EtcdEndpoint? = nil
        ) async throws(StoreError) -> String {
            let reply: EtcdAuthenticationReply = try await exchange(
                Self.loginPath,
                try encode(EtcdAuthenticationRequest(name: user.name, password: user.password)),
                within: requestTimeout, at: endpoint)
            return reply.token
        }

        private func exchange<Reply: EtcdReply>(
            _ path: String, _ body: [UInt8], within timeout: TimeAmount,
            at fixedEndpoint: EtcdEndpoint? = nil, token: String? = nil
        ) async throws(StoreError) -> Reply {
            // Requests for leases and authentication do not wait for requests that read or write keys.
            let isUrgent = !path.hasPrefix("/v3/kv/")
            if !isUrgent { await acquireRequestSlot() }
            defer { if !isUrgent { releaseRequestSlot() } }
            let endpoint = fixedEndpoint ?? endpoint
            do throws(StoreError) {
                let connection =
                    fixedEndpoint == nil
                    ? try await self.connection(to: endpoint) : try await connect(to: endpoint)
                defer {
                    if connection.isUsable, fixedEndpoint == nil, endpoint == self.endpoint {
                        idleConnections.append(connection)
                    } else {
                        connection.close()
                    }
                }
                // A login does not depend on the cluster's data. A request to a specific server may itself find out
                // which data the server has.
                if fixedEndpoint == nil, path != Self.loginPath {
                    try await checkIdentity(connection)
                }
                return try await sendRequest(
                    to: path, body, on: connection, within: timeout, token: token)
            } catch {
                switch error.kind {
                case .full, .denied, .refused, .compacted: break
                case .unavailable, .otherCluster, .replyTooLong, .malformed:
                    if fixedEndpoint == nil { stopUsing(endpoint) }
                }
                throw error
            }
        }

        private func sendRequest<Reply: EtcdReply>(
            to path: String, _ body: [UInt8], on connection: EtcdConnection,
            within timeout: TimeAmount, token: String? = nil
        ) async throws(StoreError) -> Reply {
            let endpoint = connection.endpoint
            let response = try await withCheckedContinuation { continuation in
                connection.send(
                    path, body, token: token ?? authenticationToken, within: timeout,
                    maximumBytes: Self.maximumBytes(of: path),
                    completion: { continuation.resume(returning: $0) })
            }.get()
            if response.statusCode != 200 { throw storeError(response, at: endpoint) }
            let reply: Reply =
                if let reply = Reply(commonForm: response.body) { reply } else {
                    try Self.decode(response.body, at: endpoint)
                }
            if let failure = reply.failure { throw Self.storeError(failure, at: endpoint) }
            return reply
        }

        /// Checks that the server at the other end of a connection has the cluster's data, unless the connection has
        /// already been checked.
        ///
        /// Each connection is checked, because the address may now belong to another server without the data.
        private func checkIdentity(_ connection: EtcdConnection) async throws(StoreError) {
            guard let identity, !connection.isIdentityChecked else { return }
            let reply: EtcdRangeReply = try await sendRequest(
                to: Self.rangePath, try encode(EtcdRangeRequest(KeyRange(identity.key))),
                on: connection, within: requestTimeout)
            try identity.check(reply.kvs?.first.map { KeyEntry($0) }, at: connection.endpoint)
            connection.isIdentityChecked = true
        }

        /// Returns the maximum length, in bytes, of a reply to requests for a path.
        private static func maximumBytes(of path: String) -> Int {
            switch path {
            // This is enough for eight values with etcd's maximum request size (1.5 MiB) in base64.
            case Self.rangePath: 16 << 20
            // Transactions in this module read at most two keys.
            case Self.transactionPath: 4 << 20
            default: EtcdConnection.maximumSmallReplyBytes
            }
        }

        /// Switches to the next server, unless the client has already stopped using the given server.
        private func stopUsing(_ endpoint: EtcdEndpoint) {
            guard endpoint == self.endpoint else { return }
            currentEndpointIndex = (currentEndpointIndex + 1) % endpoints.count
            for connection in idleConnections { connection.close() }
            idleConnections = []
            endWatches()
        }

        private func acquireRequestSlot() async {
            if activeRequestCount < Self.maximumConcurrentRequests {
                activeRequestCount += 1
                return
            }
            await withCheckedContinuation { requestSlotWaiters.append($0) }
        }

        private func releaseRequestSlot() {
            if requestSlotWaiters.isEmpty {
                activeRequestCount -= 1
            } else {
                requestSlotWaiters.removeFirst().resume()
            }
        }

        private func connection(to endpoint: EtcdEndpoint) async throws(StoreError)
            -> EtcdConnection
        {
            while let connection = idleConnections.popLast() {
                if connection.isUsable { return connection }
            }
            return try await connect(to: endpoint)
        }

        private func connect(to endpoint: EtcdEndpoint) async throws(StoreError) -> EtcdConnection {
            if isClosed {
                throw .unreachable(endpoint: "\(endpoint)", reason: "the client is closed")
            }
            let tlsContext = endpoint.isSecure ? tlsContext : nil
            let future = ClientBootstrap(group: eventLoop)
                .connectTimeout(Self.connectTimeout)
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                // Connections fail within 5 seconds if the server or the network no longer responds.
                .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 2)
                .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 1)
                .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
                .channelOption(.tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: 5_000)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        // NIO creates sockets without SOCK_CLOEXEC.
                        try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                            of: NIOBSDSocket.Handle.self
                        ) { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
                        if let tlsContext {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(
                                    context: tlsContext, serverHostname: endpoint.serverName))
                        }
                        try channel.pipeline.syncOperations.addHTTPClientHandlers(
                            leftOverBytesStrategy: .dropBytes)
                        try channel.pipeline.syncOperations.addHandler(
                            EtcdConnection(endpoint, channel))
                    }
                }
                .connect(host: endpoint.host, port: endpoint.port)
                .flatMapThrowing { channel in
                    NIOLoopBound(
                        try channel.pipeline.syncOperations.handler(type: EtcdConnection.self),
                        eventLoop: channel.eventLoop)
                }
            let connection: EtcdConnection
            do {
                connection = try await future.get().value
            } catch {
                throw .unreachable(
                    endpoint: "\(endpoint)", reason: EtcdConnection.reason(for: error))
            }
            if isClosed {
                connection.close()
                throw .unreachable(endpoint: "\(endpoint)", reason: "the client is closed")
            }
            return connection
        }

        // MARK: Messages

        private func encode(_ request: some Encodable) throws(StoreError) -> [UInt8] {
            do {
                return Array(try JSONEncoder().encode(request))
            } catch {
                throw .malformed(endpoint: "\(endpoint)", reason: "\(error)")
            }
        }

        private static func decode<Reply: Decodable>(
            _ body: [UInt8], at endpoint: EtcdEndpoint
        ) throws(StoreError) -> Reply {
            do {
                return try JSONDecoder().decode(Reply.self, from: Data(body))
            } catch {
                throw .malformed(
                    endpoint: "\(endpoint)",
                    reason: "it replied \"\(start(of: body))\"")
            }
        }

        private func storeError(
            _ response: EtcdConnection.Response, at endpoint: EtcdEndpoint
        ) -> StoreError {
            do throws(StoreError) {
                return Self.storeError(try Self.decode(response.body, at: endpoint), at: endpoint)
            } catch {
                let text = String(decoding: response.body, as: UTF8.self)
                if text.contains("CommonName of client") {
                    return .denied(
                        endpoint: "\(endpoint)",
                        message:
                            "its JSON gateway does not accept client certificates that have a common name (CN)"
                    )
                }
                if text.contains("HTTP request to an HTTPS server") {
                    return .unreachable(
                        endpoint: "\(endpoint)",
                        reason: "it uses TLS: write its address in cluster.endpoints with https://")
                }
                return response.statusCode >= 500
                    ? .unavailable(
                        endpoint: "\(endpoint)", message: "status \(response.statusCode)")
                    : error
            }
        }

        /// Returns a message from a server, truncated to 1 KiB.
        static func truncated(_ message: String) -> String {
            let prefix = message.prefix(maximumBytes: 1 << 10)
            return prefix.endIndex < message.endIndex ? prefix + "…" : message
        }

        /// Returns the first 100 bytes of a reply as text.
        private static func start(of body: [UInt8]) -> Substring {
            // Three more bytes are decoded, because the last scalar may be incomplete.
            String(decoding: body.prefix(103), as: UTF8.self).prefix(maximumBytes: 100)
        }

        /// Returns the ``StoreError`` that corresponds to an error from a server, based on the error's gRPC code.
        ///
        /// A request that fails for lack of a quorum may still be executed later.
        private static func storeError(_ failure: EtcdFailure, at endpoint: EtcdEndpoint)
            -> StoreError
        {
            let message = truncated(failure.message ?? failure.error ?? "no reason was given")
            let code = failure.code ?? failure.grpc_code ?? 2
            switch code {
            case 8 where message.contains("database space exceeded"):
                return .noSpace(endpoint: "\(endpoint)")
            case 7, 16: return .denied(endpoint: "\(endpoint)", message: message)
            case 3
            where message.contains("authentication") || message.contains("auth store")
                || message.contains("user name is empty"):
                return .denied(endpoint: "\(endpoint)", message: message)
            // etcd uses the same code for revisions that have been compacted and for revisions that it has not reached
            // yet.
            case 11: return .compacted(endpoint: "\(endpoint)", message: message)
            case 1, 2, 4, 8, 13, 14:
                return .unavailable(endpoint: "\(endpoint)", message: message)
            default: return .refused(endpoint: "\(endpoint)", code: code, message: message)
            }
        }
    }

    /// Parser for a stream that contains one message per line.
    struct StreamLineParser {
        /// Maximum length of a message in bytes.
        ///
        /// etcd combines up to 1,000 revisions in one message for a watch that catches up. The keys that a host watches
        /// have short values, so such a message has less than 1 MiB. If a message is too long nevertheless, the watch
        /// fails. The host then reads all keys again and watches only later revisions.
        static let maximumBytes = 16 << 20

        private var pendingBytes: [UInt8] = []

        /// Whether the current line exceeds the maximum length of a message.
        var isLineTooLong: Bool { pendingBytes.count > Self.maximumBytes }

        /// Adds bytes, and returns the lines that are now complete.
        mutating func consume(_ bytes: [UInt8]) -> [[UInt8]] {
            var lines: [[UInt8]] = []
            var remainingBytes = bytes[...]
            while let lineEnd = remainingBytes.firstIndex(of: UInt8(ascii: "\n")) {
                let line = pendingBytes + remainingBytes[..<lineEnd]
                if !line.isEmpty { lines.append(line) }
                pendingBytes = []
                remainingBytes = remainingBytes[(lineEnd + 1)...]
            }
            pendingBytes += remainingBytes
            return lines
        }
    }
#endif
