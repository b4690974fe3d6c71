import Hummingbird
import Logging
import ServiceLifecycle

/// Runs the HTTP server until SIGTERM or SIGINT. With the arguments `measure COUNT`, measures the store instead.
///
/// - Parameters:
///   - store: Stores the jobs.
///   - persist: Stores the sessions.
///   - middleware: Middleware of the store, such as one that converts its errors to HTTP errors.
///   - services: Services that the store needs.
///   - logger: Logger of the program.
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
