#if Web
    import HTTPTypes
    import Hummingbird
    import Synchronization

    /// Middleware that refuses requests from other sites, and adds the headers that restrict the page.
    struct PolicyMiddleware<Context: RequestContext>: RouterMiddleware {
        let policy: RequestPolicy

        @concurrent func handle(
            _ request: Request, context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let facts = RequestPolicy.Facts(
                changesState: request.method != .get && request.method != .head,
                host: request.head.authority, origin: request.headers[.origin],
                fetchSite: request.headers[.fetchSite], contentType: request.headers[.contentType])
            var response: Response
            if let reason = policy.refusal(of: facts) {
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
                        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                ),
                (.xContentTypeOptions, "nosniff"), (.cacheControl, "no-store"),
                (.referrerPolicy, "no-referrer"), (.openerPolicy, "same-origin"),
                (.resourcePolicy, "same-origin"),
            ]
        }
    }

    /// Middleware that refuses requests without a valid session.
    struct SessionMiddleware<Context: RequestContext>: RouterMiddleware {
        let sessions: TokenStore
        let cookie: String

        @concurrent func handle(
            _ request: Request, context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            guard let session = request.cookies[cookie]?.value, try sessions.accepts(session) else {
                throw HTTPError(.unauthorized, message: "Open a login link first.")
            }
            return try await next(request, context)
        }
    }

    extension HTTPField.Name {
        fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
        fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
        fileprivate static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
        fileprivate static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    }

    /// Limit on the number of pages that are open at the same time.
    final class StreamLimit: Sendable {
        private static let maximumStreams = 16
        private let count = Mutex(0)

        /// Reserves a stream, or returns `false` if there are too many.
        func enter() -> Bool {
            count.withLock { count in
                guard count < Self.maximumStreams else { return false }
                count += 1
                return true
            }
        }

        func leave() { count.withLock { $0 -= 1 } }
    }

    /// Reserved stream, which is released even if its response is never sent.
    final class StreamSlot: Sendable {
        private let limit: StreamLimit
        private let isReleased = Mutex(false)

        init(limit: StreamLimit) { self.limit = limit }

        deinit { release() }

        func release() {
            let isFirst = isReleased.withLock { isReleased in
                defer { isReleased = true }
                return !isReleased
            }
            if isFirst { limit.leave() }
        }
    }
#endif
