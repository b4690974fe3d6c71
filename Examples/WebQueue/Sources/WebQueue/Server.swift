import Hummingbird
import Logging
import ServiceLifecycle

package typealias Middleware = any MiddlewareProtocol<Request, Response, SessionContext>

/// Creates an HTTP server for a store.
///
/// - Parameters:
///   - store: The store for the jobs.
///   - persist: The driver that stores the sessions.
///   - middleware: Middleware for the store, such as middleware that converts its errors to HTTP errors.
///   - services: The services that the server needs, such as the store and the worker. They start in this order before
///     the server, and stop in reverse order after the server. A service must precede the services that use it.
///   - logger: The server's logger.
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
    // Open the port only after the store has been restored.
    server.beforeServerStarts { _ = try await store.next }
    return server
}
