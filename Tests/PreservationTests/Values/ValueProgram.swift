import Logging
import Preservation
import ServiceLifecycle
import TestSupport

/// Runs a program with declared values, as in the documentation.
func withProgram<Values: Sendable>(
    in scratch: ScratchDirectory, version: String = "1", toleratesUnrestoredValues: Bool = false,
    logger: Logger = .quiet,
    declaring declare: (Application) async throws -> Values,
    register: @escaping @Sendable (RegisteredObjects) throws -> Void = { _ in },
    _ body: (Application, Values) async throws -> Void
) async throws {
    var settings = PreservationSettings()
    settings.toleratesUnrestoredValues = toleratesUnrestoredValues
    let application = try Application(
        bundleIdentifier: "org.example.Jobs", bundleVersion: version,
        stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
        settings: settings, logger: logger, register: register)
    let values = try await declare(application)
    let services = ServiceGroup(services: [application], logger: .quiet)
    async let running: Void = services.run()
    try await body(application, values)
    await services.triggerGracefulShutdown()
    try await running
}
