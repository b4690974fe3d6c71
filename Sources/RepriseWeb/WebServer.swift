#if Web
    import ExactText
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    package import Logging
    import NIOCore
    import RepriseControl
    import ServiceLifecycle
    import UnixSignals
    import Varlink

    /// HTTP server that displays the scenes of a daemon in browsers on this host.
    package struct WebServer: Sendable {
        /// Addresses at which browsers reach the server.
        let address: ServerAddress
        /// Sockets of the daemons.
        let sockets: DaemonSockets
        /// Login links and sessions.
        let sessions: SessionStore
        private let policy: RequestPolicy
        private let streams = StreamLimit(maximum: 16, perSession: 5)
        /// Limit on the pages that are rendered at the same time. Rendering can be slow, because a scene can have many
        /// objects.
        let renderings = StreamLimit(maximum: 4, perSession: 2)
        private let presence = ScenePresence()
        /// Logger of the server.
        let logger: Logger

        /// Maximum size of a request's body, in bytes.
        private static let maximumBodyBytes = 256 << 10
        /// Maximum number of connections.
        ///
        /// Further connections wait until a connection is closed.
        private static let maximumConnections = 256
        /// Time without incoming data after which a connection is closed.
        private static let idleTimeout = TimeAmount.seconds(30)
        /// Time after which a connection is closed if there is unsent data and the client has read nothing.
        private static let writeTimeout = TimeAmount.seconds(15)
        /// Time after which an open page notices that its session has ended.
        private static let sessionCheckInterval = Duration.seconds(1)
        /// Interval between the empty events that keep a stream alive.
        ///
        /// A proxy ends a response that transfers no data for some time. The default of nginx is 60 seconds.
        private static let keepAliveInterval = Duration.seconds(15)
        /// Time that a stopping server waits for requests to end before it cancels them.
        private static let shutdownTimeout = Duration.seconds(5)
        /// Delay before the server checks that the daemon is available.
        private static let daemonStartTime = Duration.seconds(10)

        /// Creates a server.
        ///
        /// - Parameters:
        ///   - address: The addresses at which browsers reach the server.
        ///   - sockets: The sockets of the daemons.
        ///   - sessions: The login links and the sessions.
        package init(
            address: ServerAddress, sockets: DaemonSockets, sessions: SessionStore, logger: Logger
        ) {
            self.address = address
            self.sockets = sockets
            self.sessions = sessions
            self.logger = logger
            policy = RequestPolicy(address)
        }

        /// Serves requests until the process receives SIGTERM or SIGINT.
        ///
        /// - Parameters:
        ///   - onListening: A closure that is called when browsers can connect.
        ///   - onStopping: A closure that is called when the server begins to stop.
        /// - Throws: ``ListenFailure`` if the server cannot listen on the port.
        package func run(
            onListening: @escaping @Sendable () -> Void,
            onStopping: @escaping @Sendable () -> Void
        ) async throws {
            let server = Application(
                router: makeRouter(),
                server: .http1(
                    configuration: .init(
                        additionalChannelHandlers: [
                            WriteTimeoutHandler(timeout: Self.writeTimeout)
                        ],
                        idleTimeout: Self.idleTimeout)),
                configuration: ApplicationConfiguration(
                    address: .hostname("127.0.0.1", port: address.port),
                    availableConnectionsDelegate: MaximumAvailableConnections(
                        Self.maximumConnections)),
                onServerRunning: { _ in onListening() },
                logger: logger)
            // The services are stopped in reverse order.
            let services: [any Service] = [server, StopObserver(onStopping: onStopping)]
            var configuration = ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            // A client can keep a request open indefinitely.
            configuration.maximumGracefulShutdownDuration = Self.shutdownTimeout
            let group = ServiceGroup(configuration: configuration)
            let check = Task { await warnIfDaemonIsUnavailable() }
            defer { check.cancel() }
            do {
                try await group.run()
            } catch is CancellationError {
                // Some requests did not end in time.
            } catch let error as NIOCore.IOError {
                throw ListenFailure(port: address.port, code: error.errnoCode)
            }
        }

        private func makeRouter() -> Router<WebContext> {
            let router = Router(context: WebContext.self)
            router.add(middleware: PolicyMiddleware(policy: policy))
            for file in PageFile.all {
                router.get(RouterPath(file.path)) { _, _ in file.response }
            }
            router.post("login", use: login)
            let authenticatedRoutes = router.group()
                .add(middleware: SessionMiddleware(store: sessions, address: address))
                .group(context: SessionContext.self)
            authenticatedRoutes.get("scenes", use: scenes)
            authenticatedRoutes.get("events", use: events)
            authenticatedRoutes.post("operations/:method", use: performOperation)
            addPages(to: router)
            return router
        }

        private func warnIfDaemonIsUnavailable() async {
            do {
                try await Task.sleep(for: Self.daemonStartTime)
                try await sockets.withOwner(of: nil) { _, _ in }
            } catch is CancellationError {
                // The server is stopping.
            } catch {
                logger.warning("Pages are offline until the daemon is available: \(error)")
            }
        }

        // MARK: Routes

        @Sendable private func login(
            _ request: Request, _ context: some RequestContext
        ) async throws -> Response {
            let token = try await String(buffer: request.body.collect(upTo: 1024))
            guard let session = try sessions.logIn(with: token.trimmingQuotes) else {
                throw HTTPError(.forbidden, message: "The link was used before or has expired.")
            }
            let cookie = address.cookie(forHost: request.head.authority)
            // The new session replaces the browser's earlier session, even in open pages.
            if let earlier = try request.cookies[cookie.name].flatMap({
                try sessions.session($0.value)
            }) {
                _ = try sessions.revoke(earlier.identifier)
            }
            return Response(status: .noContent, headers: [.setCookie: cookie.header(session)])
        }

        @Sendable private func scenes(
            _ request: Request, _ context: some RequestContext
        ) async throws -> Response {
            do {
                let list = try await sockets.withOwner(of: nil) { connection, _ in
                    try await connection.call(ListCall())
                }
                return .json(try JSONText.write(list))
            } catch let failure as CallFailure<ControlError> {
                return try .outcome(CallOutcome(failure))
            } catch let error as ClientError {
                return try .outcome(.unavailable("\(error)"))
            }
        }

        @Sendable private func performOperation(
            _ request: Request, _ context: SessionContext
        ) async throws -> Response {
            guard context.session.role == .user else {
                let refusal = CallOutcome.Refusal(
                    error: "ObserverSession", message: "You can observe but not change.")
                return .json(try JSONText.encode(refusal), status: .forbidden)
            }
            let body = try await request.body.collect(upTo: Self.maximumBodyBytes)
            // The session can end before the whole body has arrived.
            guard try sessions.isValid(context.session) else { throw HTTPError(.unauthorized) }
            let outcome = await SceneOperation.perform(
                try context.parameters.require("method"), Array(body.readableBytesView),
                sockets: sockets)
            guard let outcome else { throw HTTPError(.badRequest) }
            return try .outcome(outcome)
        }

        @Sendable private func events(
            _ request: Request, _ context: SessionContext
        ) async throws -> Response {
            let session = context.session
            let parameters = request.uri.queryParameters
            guard let client = parameters["client"].map(String.init),
                OperationIdentifier.isValid(client: client)
            else { throw HTTPError(.badRequest) }
            guard let reservation = streams.reserve(for: session.identifier) else {
                let refusal = CallOutcome.Refusal(
                    error: "", message: "Too many pages are open. Close another page.")
                return .events(
                    ResponseBody(
                        byteBuffer: ByteBuffer(
                            bytes: EventQueue.event("refused", try JSONText.encode(refusal)))))
            }
            let stream = SceneStream(
                sockets: sockets,
                call: DescribeCall.with {
                    $0.application = parameters["application"].map(String.init)
                    $0.scene = parameters["scene"].map(String.init)
                    $0.client = client
                    if session.role == .observer { $0.observing = true }
                }, session: session, presence: presence)
            return .events(body(of: stream, for: request, reservation, session))
        }

        /// Returns a body that contains the events of a stream until its session or its connection ends.
        private func body(
            of stream: SceneStream, for request: Request, _ reservation: StreamReservation,
            _ session: Session
        ) -> ResponseBody {
            ResponseBody { writer in
                defer { reservation.release() }
                let producer = stream.start()
                defer { producer.cancel() }
                let check = Task { await supervise(stream, of: session) }
                defer { check.cancel() }
                try await writer.write(ByteBuffer(bytes: try Self.sessionEvent(session)))
                try await withGracefulShutdownHandler {
                    try await request.body.consumeWithInboundCloseHandler { _ in
                        for await event in stream.queue.events {
                            guard try sessions.isValid(session) else { break }
                            try await writer.write(ByteBuffer(bytes: event))
                            stream.queue.didSend(event)
                        }
                    } onInboundClosed: {
                        stream.end()
                    }
                } onGracefulShutdown: {
                    stream.end()
                }
                try await writer.finish(nil)
            }
        }

        /// Adds the events that keep a stream alive, and ends the stream soon after its session has ended or when the
        /// task is cancelled.
        private func supervise(_ stream: SceneStream, of session: Session) async {
            var elapsed = Duration.zero
            do {
                while try sessions.isValid(session) {
                    try await Task.sleep(for: Self.sessionCheckInterval)
                    elapsed += Self.sessionCheckInterval
                    guard elapsed >= Self.keepAliveInterval else { continue }
                    elapsed = .zero
                    stream.queue.send("alive", [])
                }
            } catch {
                // The task was cancelled, or the page connects again and receives the error.
            }
            stream.end()
        }

        /// Returns the event with the role of a page's session.
        private static func sessionEvent(_ session: Session) throws -> [UInt8] {
            EventQueue.event("session", try JSONText.encode(["role": session.role.rawValue]))
        }
    }

    /// Service that calls a closure when the server begins to stop.
    private struct StopObserver: Service {
        let onStopping: @Sendable () -> Void

        func run() async throws {
            try await gracefulShutdown()
            onStopping()
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
            Response(
                status: .ok,
                headers: [
                    .contentType: "text/event-stream",
                    // nginx passes on each event at once instead of buffering it.
                    .accelBuffering: "no",
                ], body: body)
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

    extension HTTPField.Name {
        fileprivate static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    }

    extension String {
        /// The text without the quotation marks around it, as in a JSON string.
        fileprivate var trimmingQuotes: String {
            String(drop { $0 == "\"" }.reversed().drop { $0 == "\"" }.reversed())
        }
    }
#endif
