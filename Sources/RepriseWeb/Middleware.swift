#if Web
    import HTTPTypes
    import Hummingbird
    import Synchronization

    /// Middleware that refuses requests from other sites and adds headers that restrict what the page can do.
    struct PolicyMiddleware<Context: RequestContext>: RouterMiddleware {
        let policy: RequestPolicy

        @concurrent func handle(
            _ request: Request, context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let attributes = RequestPolicy.Attributes(
                changesState: request.method != .get && request.method != .head,
                acceptsForm: request.uri.path == "/rollback",
                host: request.head.authority, origin: request.headers[.origin],
                fetchSite: request.headers[.fetchSite], contentType: request.headers[.contentType])
            var response: Response
            if let reason = policy.refusal(of: attributes) {
                response = try HTTPError(.forbidden, message: "Refused: \(reason).")
                    .response(from: request, context: context)
            } else {
                do {
                    response = try await next(request, context)
                } catch let error as any HTTPResponseError {
                    response = try error.response(from: request, context: context)
                }
            }
            for (name, value) in Self.headers { response.headers[name] = value }
            return response
        }

        private static var headers: [(HTTPField.Name, String)] {
            [
                (
                    .contentSecurityPolicy,
                    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
                ),
                (.xContentTypeOptions, "nosniff"), (.cacheControl, "no-store"),
                // With `no-referrer`, browsers omit the origin of forms.
                (.referrerPolicy, "same-origin"), (.openerPolicy, "same-origin"),
                (.resourcePolicy, "same-origin"),
            ]
        }
    }

    /// Context of a request.
    struct WebContext: RequestContext {
        var coreContext: CoreRequestContextStorage
        /// Valid session of the request, or `nil` before ``SessionMiddleware`` has checked it.
        var session: Session?

        init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
    }

    /// Context of a request with a valid session.
    struct SessionContext: ChildRequestContext {
        var coreContext: CoreRequestContextStorage
        let session: Session

        init(context: WebContext) throws {
            guard let session = context.session else { throw HTTPError(.unauthorized) }
            coreContext = context.coreContext
            self.session = session
        }
    }

    /// Middleware that refuses requests without a valid session.
    struct SessionMiddleware: RouterMiddleware {
        /// Failure of a request without a valid session.
        static let failure = HTTPError(
            .unauthorized, message: "Open a login link first: `reprise-web login` prints one.")

        let store: SessionStore
        let address: ServerAddress

        @concurrent func handle(
            _ request: Request, context: WebContext,
            next: @concurrent (Request, WebContext) async throws -> Response
        ) async throws -> Response {
            let cookie = address.cookie(forHost: request.head.authority)
            guard let secret = request.cookies[cookie.name]?.value,
                let session = try store.session(secret)
            else { throw Self.failure }
            var context = context
            context.session = session
            return try await next(request, context)
        }
    }

    extension HTTPField.Name {
        fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
        fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
        fileprivate static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
        fileprivate static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    }

    /// Limit on the number of responses that are sent at the same time.
    final class StreamLimit: Sendable {
        private let maximum: Int
        private let maximumPerSession: Int
        /// Number of open streams of each session.
        private let counts = Mutex<[String: Int]>([:])

        /// Creates a limit.
        ///
        /// - Parameters:
        ///   - maximum: The maximum number of streams.
        ///   - maximumPerSession: The maximum number of streams per session. Browsers open at most six connections to a
        ///     server, and the pages need one of them for operations.
        init(maximum: Int, perSession maximumPerSession: Int) {
            self.maximum = maximum
            self.maximumPerSession = maximumPerSession
        }

        /// Reserves a stream for a session, or returns `nil` if too many streams are open.
        func reserve(for session: String) -> StreamReservation? {
            let isReserved = counts.withLock { counts in
                guard counts.values.reduce(0, +) < maximum,
                    counts[session, default: 0] < maximumPerSession
                else { return false }
                counts[session, default: 0] += 1
                return true
            }
            return isReserved ? StreamReservation(limit: self, session: session) : nil
        }

        fileprivate func release(_ session: String) {
            counts.withLock { counts in
                guard let count = counts[session] else { return }
                counts[session] = count > 1 ? count - 1 : nil
            }
        }
    }

    /// Reservation of a stream. It is released even if the response is never sent.
    final class StreamReservation: Sendable {
        private let limit: StreamLimit
        private let session: String
        private let isReleased = Mutex(false)

        fileprivate init(limit: StreamLimit, session: String) {
            self.limit = limit
            self.session = session
        }

        deinit { release() }

        func release() {
            let isFirst = isReleased.withLock { isReleased in
                defer { isReleased = true }
                return !isReleased
            }
            if isFirst { limit.release(session) }
        }
    }
#endif
