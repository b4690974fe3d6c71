#if Web
    import ExactText
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    package import Logging
    import NIOCore
    import RepriseControl
    import ServiceLifecycle
    import Varlink

    /// HTTP server that displays the scenes of a daemon in browsers on this host.
    package struct WebServer: Sendable {
        /// Port on which the server listens at the loopback address.
        private let port: Int
        private let socket: String
        private let logins: TokenStore
        private let sessions: TokenStore
        private let policy: RequestPolicy
        private let streams: StreamLimit
        private let logger: Logger

        /// Maximum size of a request's body, in bytes.
        private static let maximumBodyBytes = 256 << 10
        /// Maximum number of connections.
        ///
        /// Further connections wait until a connection is closed.
        private static let maximumConnections = 256
        /// Time without incoming data after which a connection is closed.
        private static let idleTimeout = TimeAmount.seconds(30)

        /// Creates a server.
        ///
        /// - Parameters:
        ///   - port: The port of the loopback address.
        ///   - socket: The path of the daemon's socket.
        ///   - logins: The tokens of login links. Each token can be used once.
        ///   - sessions: The tokens of sessions.
        package init(
            port: Int, socket: String, logins: TokenStore, sessions: TokenStore, logger: Logger
        ) {
            self.port = port
            self.socket = socket
            self.logins = logins
            self.sessions = sessions
            self.logger = logger
            policy = RequestPolicy(port: port)
            streams = StreamLimit()
        }

        /// Serves requests until the process receives SIGTERM or SIGINT.
        ///
        /// - Parameter onListening: A closure that is called when browsers can connect.
        package func run(onListening: @escaping @Sendable () -> Void) async throws {
            let router = Router()
            router.add(middleware: PolicyMiddleware(policy: policy))
            for file in PageFile.all {
                router.get(RouterPath(file.path)) { _, _ in file.response }
            }
            router.post("login", use: login)
            let authenticatedRoutes = router.group()
                .add(middleware: SessionMiddleware(sessions: sessions, cookie: cookieName))
            authenticatedRoutes.get("scenes", use: scenes)
            authenticatedRoutes.get("events", use: events)
            authenticatedRoutes.post("operations/:method", use: performOperation)
            let server = Application(
                router: router,
                server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
                configuration: ApplicationConfiguration(
                    address: .hostname("127.0.0.1", port: port),
                    availableConnectionsDelegate: MaximumAvailableConnections(
                        Self.maximumConnections)),
                onServerRunning: { _ in onListening() },
                logger: logger)
            try await server.runService()
        }

        /// Name of the session cookie, which contains the port because browsers send cookies to all ports of a host.
        private var cookieName: String { "reprise-\(port)" }

        // MARK: Routes

        @Sendable private func login(
            _ request: Request, _ context: some RequestContext
        ) async throws -> Response {
            let token = try await String(buffer: request.body.collect(upTo: 1024))
            guard try logins.redeem(token.trimmingQuotes), let session = try sessions.issue() else {
                throw HTTPError(.forbidden, message: "The link was used before or has expired.")
            }
            return Response(
                status: .noContent,
                headers: [
                    .setCookie: "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/"
                ])
        }

        @Sendable private func scenes(
            _ request: Request, _ context: some RequestContext
        ) async throws -> Response {
            do {
                let connection = try await VarlinkConnection.connect(socket)
                return .json(try JSONText.write(try await connection.call(ListCall())))
            } catch let failure as CallFailure<ControlError> {
                return try .outcome(CallOutcome(failure))
            } catch let error as ClientError {
                return try .outcome(.unavailable("\(error)"))
            }
        }

        @Sendable private func performOperation(
            _ request: Request, _ context: some RequestContext
        ) async throws -> Response {
            let body = try await request.body.collect(upTo: Self.maximumBodyBytes)
            let outcome = await SceneOperation.perform(
                try context.parameters.require("method"), Array(body.readableBytesView),
                socket: socket)
            guard let outcome else { throw HTTPError(.badRequest) }
            return try .outcome(outcome)
        }

        @Sendable private func events(
            _ request: Request, _ context: some RequestContext
        ) async throws -> Response {
            let parameters = request.uri.queryParameters
            guard let client = parameters["client"].map(String.init),
                OperationIdentifier.isValid(client: client),
                let session = request.cookies[cookieName]?.value
            else { throw HTTPError(.badRequest) }
            guard let slot = streams.reserve(for: session) else {
                let refusal = CallOutcome.Refusal(
                    error: "", message: "Too many pages are open. Close another page.")
                return .events(
                    ResponseBody(
                        byteBuffer: ByteBuffer(
                            bytes: SceneStream.event("refused", try JSONText.encode(refusal)))))
            }
            let stream = SceneStream(
                socket: socket,
                call: DescribeCall.with {
                    $0.application = parameters["application"].map(String.init)
                    $0.scene = parameters["scene"].map(String.init)
                    $0.client = client
                })
            return .events(
                ResponseBody { writer in
                    defer { slot.release() }
                    let producer = stream.start()
                    defer { producer.cancel() }
                    try await withGracefulShutdownHandler {
                        try await request.body.consumeWithInboundCloseHandler { _ in
                            for await event in stream.events {
                                // A session can expire while its page is open.
                                guard try sessions.accepts(session) else { break }
                                try await writer.write(ByteBuffer(bytes: event))
                            }
                        } onInboundClosed: {
                            stream.end()
                        }
                    } onGracefulShutdown: {
                        stream.end()
                    }
                    try await writer.finish(nil)
                })
        }
    }

    extension Response {
        fileprivate static func json(
            _ bytes: [UInt8], status: HTTPResponse.Status = .ok
        ) -> Response {
            Response(
                status: status, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }

        fileprivate static func events(_ body: ResponseBody) -> Response {
            Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
        }

        fileprivate static func outcome(_ outcome: CallOutcome) throws -> Response {
            switch outcome {
            case .reply(let json): .json(json)
            case .refused(let refusal): .json(try JSONText.encode(refusal), status: .conflict)
            case .unavailable(let message):
                .json(
                    try JSONText.encode(CallOutcome.Refusal(error: "", message: message)),
                    status: .serviceUnavailable)
            }
        }
    }

    extension String {
        /// The text without the quotation marks around it, as in a JSON string.
        fileprivate var trimmingQuotes: String {
            String(drop { $0 == "\"" }.reversed().drop { $0 == "\"" }.reversed())
        }
    }
#endif
