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
                .add(middleware: SessionMiddleware(store: sessions, address: address))
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
                page.isForObserver = context.session.role == .observer
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
            let reservation = try reserveRendering(for: session)
            defer { reservation.release() }
            let isConfirmed = FormParameters(String(buffer: body))?["confirmed"] == "yes"
            let request = try await PageRequest(query: request.uri.query ?? "", sockets: sockets)
            let (scene, name) = (request.scene, request.parameters["generation"])
            let page = try await HistoryPage(request)
            // The session can end while the server waits for the browser or for the daemon.
            guard try sessions.isValid(session) else { throw SessionMiddleware.failure }
            guard isConfirmed, let name else { return .page(page.confirmation) }
            let subject =
                "scene \(SanitizedText(scene.scene)) of \(SanitizedText(scene.application)) to generation \(SanitizedText(name))"
            logger.notice("Session \(session.identifier) requested to roll back \(subject)")
            let reply: RollbackCall.Reply
            do {
                reply = try await request.call(
                    RollbackCall(
                        application: scene.application, scene: scene.scene, generation: name))
            } catch {
                logger.warning(
                    "The daemon did not confirm to session \(session.identifier) that it rolled back \(subject): \(SanitizedText(error.message))"
                )
                throw error
            }
            guard reply.saved != .no else {
                let reason = reply.notSavedReason ?? "unknown reason"
                logger.warning(
                    "Session \(session.identifier) rolled back \(subject), but this is not saved: \(SanitizedText(reason))"
                )
                throw PageFailure(
                    409, "The scene was rolled back, but this is not saved: \(reason)",
                    scene: scene)
            }
            logger.notice("Session \(session.identifier) rolled back \(subject)")
            return .redirect(to: scene.url("/"), type: .normal)
        }

        /// Returns the page that a closure creates, unless too many pages are being created.
        private func render(
            _ request: Request, _ context: SessionContext,
            _ body: (PageRequest) async throws -> HTML
        ) async throws -> Response {
            let reservation = try reserveRendering(for: context.session)
            defer { reservation.release() }
            return .page(
                try await body(PageRequest(query: request.uri.query ?? "", sockets: sockets)))
        }

        /// Reserves the right to create a page. The caller must release the reservation.
        private func reserveRendering(for session: Session) throws(PageFailure) -> StreamReservation
        {
            guard let reservation = renderings.reserve(for: session.identifier) else {
                throw PageFailure(503, "The server is busy: reload this page in a few seconds.")
            }
            return reservation
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
