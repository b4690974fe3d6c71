import Glibc
import Preservation
import RepriseControl
import ServiceLifecycle
import TestSupport
import Testing
import Varlink

@testable import Reprise

/// Several control sockets that a service manager passes.
@Suite(.timeLimit(.minutes(10))) struct ControlSocketWatchTests {
    /// Waits until the program replies on a socket.
    private static func waitForReply(at path: String) async throws {
        try await withTaskExecutorPreference(ThreadExecutor()) {
            try await waitUntil("the program answers at \(path)") {
                let client = try? VarlinkClient(path: path, timeout: .seconds(60))
                return try client?.call(StatusCall()).program == "jobs"
            }
        }
    }

    /// Serves the passed sockets in this process, while other programs remove their files.
    private static func serve(_ paths: [String], stateDirectory: String) async throws {
        let application = try Application(
            bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
            stateDirectory: ApplicationStateDirectory(path: stateDirectory), logger: .quiet)
        let log = LogRecorder()
        let control = try ControlService(
            [application], of: ProgramDescription(name: "jobs", version: "7"),
            logger: log.logger())
        try #require(unlink(paths[2]) == 0)
        let services = ServiceGroup(services: [application, control], logger: .quiet)
        async let running: Void = services.run()
        for path in paths { try await waitForReply(at: path) }
        try #require(unlink(paths[1]) == 0)
        let sentence = "The control socket \(paths[1]) is missing"
        await log.wait { entries in entries.contains { $0.message.hasPrefix(sentence) } }
        await services.triggerGracefulShutdown()
        try await running
    }

    @Test func `every passed socket is served and watched, and is created if its file is missing`()
        async throws
    {
        let scratch = try ScratchDirectory()
        // Descriptors are passed at fixed numbers, which requires a separate process.
        _ = await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            let paths = ["first", "second", "third"].map { "\(path)/\($0)" }
            try ControlAddressTests.pass(paths)
            try await Self.serve(paths, stateDirectory: "\(path)/state")
        }
    }
}
