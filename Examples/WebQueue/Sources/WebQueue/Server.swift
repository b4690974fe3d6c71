import Hummingbird
import Logging
import ServiceLifecycle

package typealias Middleware = any MiddlewareProtocol<Request, Response, SessionContext>

/// Creates the HTTP server of a store.
///
/// - Parameters:
///   - store: Stores the jobs.
///   - persist: Stores the sessions.
///   - middleware: Middleware of the store, such as one that converts its errors to HTTP errors.
///   - services: Services that the server needs, such as the store and the worker. They start in this order, before the
///     server, and stop in reverse order, after the server. A service must precede the services that use it.
///   - logger: Logger of the server.
package func makeServer(
    store: some JobStore, persist: some PersistDriver,
    middleware: [Middleware] = [], services: [any Service] = [],
    logger: Logger
) -> some ApplicationProtocol {
    let router = Router(context: SessionContext.self)
    for middleware in middleware { router.add(middleware: middleware) }
    router.add(middleware: SessionMiddleware(persist: persist))
    router.addRoutes(SessionController(persist: persist).endpoints, atPath: "session")
    router.addRoutes(JobController(store: store).endpoints, atPath: "jobs")

    let environment = Environment()
    var server = Application(
        router: router,
        configuration: ApplicationConfiguration(
            address: .hostname(
                environment.get("HOST") ?? "127.0.0.1",
                port: environment.get("PORT", as: Int.self) ?? 8080)),
        services: services, logger: logger)
    // The port is open only if the store has been restored.
    server.beforeServerStarts { _ = try await store.next }
    return server
}
