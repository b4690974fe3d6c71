import FoundationEssentials
import Logging
import Preservation
import SampleApplications
import StateRestoration
import TestSupport

@testable import Reprise

/// Runs an application with the state in a directory for the duration of a closure, and then stops
/// it cleanly.
///
/// - Parameters:
///   - hosted: The application, or another version of it.
///   - storyboards: The contents of the storyboards, keyed by file name. The default is the shipped
///     storyboards.
@discardableResult
func withApplication<Result>(
    _ hosted: HostedApplication, in directory: String, storyboards: [String: String]? = nil,
    logger: Logger = .quiet, _ body: (Application) async throws -> Result
) async throws -> Result {
    let configuration = "\(directory)/reprised.yaml"
    let storyboardDirectory = "\(directory)/storyboards"
    try FileManager.default.createDirectory(
        atPath: storyboardDirectory, withIntermediateDirectories: true)
    try Data("applications: [{ bundleIdentifier: \(hosted.bundleIdentifier) }]\n".utf8)
        .write(to: URL(filePath: configuration))
    for name in hosted.storyboards {
        let text = try storyboards?[name] ?? ShippedStoryboard.text(name)
        try Data(text.utf8).write(to: URL(filePath: "\(storyboardDirectory)/\(name)"))
    }
    let resolvedConfiguration = try ResolvedConfiguration(
        availableApplications: [hosted], options: DaemonOptions(configuration: configuration),
        environment: [:])

    let application = try Application(
        definition: resolvedConfiguration.definitions[0],
        stateDirectory: ApplicationStateDirectory(path: "\(directory)/state"),
        settings: PreservationSettings(), logger: logger)
    let running = Task { try await application.run() }
    try await application.waitUntilLaunched()
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body(application))
    } catch {
        result = .failure(error)
    }
    running.cancel()
    try await running.value
    return try result.get()
}
