import Hummingbird
import Logging
import ServiceLifecycle

/// Runs the HTTP server until the process receives SIGTERM or SIGINT.
///
/// With the arguments `measure COUNT`, the program measures the store instead.
///
/// - Parameters:
///   - store: The store for the jobs.
///   - persist: The driver that stores the sessions.
///   - middleware: Middleware for the store, such as middleware that converts its errors to HTTP errors.
///   - services: The services that the store needs.
///   - logger: The program's logger.
package func runProgram(
    store: some JobStore, persist: some PersistDriver,
    middleware: [Middleware] = [], services: [any Service] = [],
    logger: Logger
) async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "measure" {
        let measurement = Measurement(
            store: store, count: arguments.last.flatMap { Int($0) } ?? 1000)
        let group = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: group + [
                    .init(
                        service: measurement,
                        successTerminationBehavior: .gracefullyShutdownGroup)
                ], logger: logger)
        ).run()
    } else {
        let worker = Worker(store: store, logger: logger)
        try await makeServer(
            store: store, persist: persist, middleware: middleware,
            services: services + [persist, worker], logger: logger
        ).runService()
    }
}
