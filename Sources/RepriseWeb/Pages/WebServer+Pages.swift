#if Web
    import ExactText
    import Hummingbird
    import Logging
    import NIOCore
    import RepriseControl
    import Varlink

    // Pages that the server renders: the history, the inspector and the rollback of a scene.
    extension WebServer {
        /// Maximum size of a form, in bytes.
        private static let maximumFormBytes = 1024

        /// Adds the routes of the pages.
        func addPages(to router: Router<WebContext>) {
            let pages = router.group()
                .add(middleware: ErrorPageMiddleware())
                .add(middleware: SessionMiddleware(store: sessions, cookie: cookieName))
                .group(context: SessionContext.self)
            pages.get("history", use: history)
            pages.get("inspector", use: inspector)
            pages.post("rollback", use: rollBack)
        }

        @Sendable private func history(
            _ request: Request, _ context: SessionContext
        ) async throws -> Response {
            try await render(request, context) { request in
                var page = try await HistoryPage(request)
                page.allowsRollback = context.session.role == .user
                await page.loadComparison(request)
                return page.html
            }
        }

        @Sendable private func inspector(
            _ request: Request, _ context: SessionContext
        ) async throws -> Response {
            try await render(request, context) { request in
                guard request.isRunning else {
                    throw PageFailure(
                        409,
                        "The scene \(request.scene.scene) is not open: open the scene, and try again.",
                        scene: request.scene)
                }
                return try await InspectorPage(request).html
            }
        }

        @Sendable private func rollBack(
            _ request: Request, _ context: SessionContext
        ) async throws -> Response {
            let session = context.session
            guard session.role == .user else {
                throw PageFailure(
                    403, "You can observe but not change: open a login link that permits changes.")
            }
            let body = try await request.body.collect(upTo: Self.maximumFormBytes)
            // The session can end before the whole body has arrived.
            guard try sessions.isValid(session) else { throw SessionMiddleware.failure }
            let isConfirmed = FormParameters(String(buffer: body))?["confirmed"] == "yes"
            let request = try await PageRequest(query: request.uri.query ?? "", socket: socket)
            let (scene, name) = (request.scene, request.parameters["generation"])
            let page = try await HistoryPage(request)
            guard isConfirmed, let name else { return .page(page.confirmation) }
            let reply = try await request.call(
                RollbackCall(application: scene.application, scene: scene.scene, generation: name))
            logger.notice(
                "Session \(session.identifier) rolled back scene \(SanitizedText(scene.scene)) of \(SanitizedText(scene.application)) to generation \(SanitizedText(name))"
            )
            if reply.saved == .no {
                throw PageFailure(
                    409,
                    "The scene was rolled back, but this is not saved: \(reply.notSavedReason ?? "unknown reason")",
                    scene: scene)
            }
            return .redirect(to: scene.url("/"), type: .normal)
        }

        /// Returns the page that a closure creates, unless too many pages are being created.
        private func render(
            _ request: Request, _ context: SessionContext,
            _ body: (PageRequest) async throws -> HTML
        ) async throws -> Response {
            guard let reservation = renderings.reserve(for: context.session.identifier) else {
                throw PageFailure(503, "The server is busy: reload this page in a few seconds.")
            }
            defer { reservation.release() }
            return .page(
                try await body(PageRequest(query: request.uri.query ?? "", socket: socket)))
        }
    }

    /// Middleware that replies with a page that states the error.
    struct ErrorPageMiddleware<Context: RequestContext>: RouterMiddleware {
        @concurrent func handle(
            _ request: Request, context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            do {
                return try await next(request, context)
            } catch let failure as PageFailure {
                return .page(failure.page, status: HTTPResponse.Status(code: failure.status))
            } catch let error as any HTTPResponseError {
                let message =
                    (error as? HTTPError)?.body
                    ?? "The server refused the request: \(error.status)."
                return .page(PageFailure(error.status.code, message).page, status: error.status)
            } catch {
                context.logger.error("A page could not be created: \(error)")
                let message = "The page could not be created: see the log of reprise-web."
                return .page(PageFailure(500, message).page, status: .internalServerError)
            }
        }
    }

    extension Response {
        fileprivate static func page(
            _ html: HTML, status: HTTPResponse.Status = .ok
        ) -> Response {
            Response(
                status: status, headers: [.contentType: "text/html; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: html.text)))
        }
    }
#endif
