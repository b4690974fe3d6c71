import FoundationEssentials
import Hummingbird

/// A user's session, stored by Hummingbird's persist framework.
struct Session: ResponseCodable {
    static let lifetime = Duration.seconds(7 * 24 * 60 * 60)
    var user: String
}

/// The context of a request, including the session that the cookie identifies.
package struct SessionContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    var session: Session?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    /// The user of the session.
    ///
    /// - Throws: An error with the status 401 if the request has no session.
    var user: String {
        get throws {
            guard let session else {
                throw HTTPError(.unauthorized, message: "log in first: POST /session")
            }
            return session.user
        }
    }
}

/// Middleware that finds the session of each request.
struct SessionMiddleware: RouterMiddleware {
    let persist: any PersistDriver

    func handle(
        _ request: Request, context: SessionContext,
        next: (Request, SessionContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let key = request.cookies["session"]?.value {
            context.session = try await persist.get(key: key, as: Session.self)
        }
        return try await next(request, context)
    }
}

/// The routes for logging in and out.
struct SessionController {
    let persist: any PersistDriver

    var endpoints: RouteCollection<SessionContext> {
        RouteCollection(context: SessionContext.self)
            .get { _, context in Session(user: try context.user) }
            .post(use: logIn)
            .delete(use: logOut)
    }

    @Sendable private func logIn(
        _ request: Request, context: SessionContext
    ) async throws -> EditedResponse<Session> {
        let session = try await request.decode(as: Session.self, context: context)
        let key = UUID().uuidString
        try await persist.create(key: key, value: session, expires: Session.lifetime)
        let cookie = Cookie(name: "session", value: key, path: "/", secure: false, httpOnly: true)
        return EditedResponse(
            status: .created, headers: [.setCookie: cookie.description], response: session)
    }

    @Sendable private func logOut(
        _ request: Request, context: SessionContext
    ) async throws -> HTTPResponse.Status {
        if let key = request.cookies["session"]?.value { try await persist.remove(key: key) }
        return .noContent
    }
}
