import Glibc
import ServiceLifecycle
import TestSupport
import Testing

@testable import Preservation

/// Runs of an application without a daemon.
///
/// An application runs only once, its run ends with `quit()`, and no caller waits forever.
@Suite(.timeLimit(.minutes(5))) struct ApplicationRunTests {
    private static let alreadyRun = ApplicationError.alreadyRun(application: "org.example.Jobs")
    private static let ending = ApplicationError.ending(application: "org.example.Jobs")

    private func makeApplication(
        in directory: ApplicationStateDirectory
    ) async throws -> (application: Application, count: RestorableValue<Int>) {
        let application = try Application(
            bundleIdentifier: "org.example.Jobs", bundleVersion: "1", stateDirectory: directory,
            logger: .quiet)
        return (application, try await application.value("count", default: 7))
    }

    @Test func `a second run of a running application is refused, and the first one continues`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            let (application, count) = try await makeApplication(in: directory)
            let running = Task { try await application.run() }
            try await count.update { $0 = 8 }
            await #expect(throws: Self.alreadyRun) { try await application.run() }
            let services = ServiceGroup(services: [application], logger: .quiet)
            await #expect(throws: Self.alreadyRun) { try await services.run() }
            #expect(try await count.update { $0 += 1 }.saved == .written)
            #expect(try await count.current == 9)
            try await application.quit()
            try await running.value
        }
    }

    enum End: CaseIterable { case quit, forcedQuit, cancellation, shutdown }

    @Test(arguments: End.allCases)
    func `an application cannot be run again after its run has ended`(end: End) async throws {
        try await withScratchDirectory { scratch async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            let (application, count) = try await makeApplication(in: directory)
            let services = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [
                        .init(
                            service: application,
                            successTerminationBehavior: .gracefullyShutdownGroup)
                    ], logger: .quiet))
            let running = Task { try await services.run() }
            try await count.update { $0 = 8 }
            switch end {
            case .quit: try await application.quit()
            case .forcedQuit: try await application.quit(force: true)
            case .cancellation: running.cancel()
            case .shutdown: await services.triggerGracefulShutdown()
            }
            _ = await running.result
            #expect(await application.status().phase == .stopped)
            await #expect(throws: Self.alreadyRun) { try await application.run() }
            await #expect(throws: Self.ending) { try await application.launch() }
            await #expect(throws: Self.ending) { try await count.update { $0 = 9 } }
            await #expect(throws: Self.ending) { try await count.current }
            try await application.quit()

            let (next, restored) = try await makeApplication(in: directory)
            async let again: Void = next.run()
            #expect(try await restored.current == (end == .forcedQuit ? 7 : 8))
            try await next.quit()
            try await again
        }
    }

    @Test func `quitting before the run makes the run end at once and waiting calls fail`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            let (application, count) = try await makeApplication(in: directory)
            let waiting = Task.immediate { try await count.current }
            try await application.quit()
            try await application.run()
            await #expect(throws: Self.ending) { try await waiting.value }
            await #expect(throws: Self.alreadyRun) { try await application.run() }
            #expect(scratch.archiveBytes(of: "org.example.Jobs") == nil)
        }
    }

    @Test func `quit ends the run of an application whose launch failed`() async throws {
        try await withScratchDirectory { scratch async throws in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                logger: .quiet, register: { _ in throw Refusal() })
            async let running: Void = application.run()
            await #expect(
                throws: ApplicationError.failed(
                    application: "org.example.Jobs", reason: "no notes today")
            ) { try await application.waitUntilReady() }
            try await application.quit()
            try await running
        }
    }

    @Test func `a quit that cannot save the last state ends the run with an error`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let running = Task { try await application.run() }
                try await application.waitUntilLaunched()
                try await hosted.write("saved")
                scratch.blockSaving()
                try await hosted.write("unsaved")
                await #expect(throws: UnsavedStop.self) { try await application.quit() }
                await #expect(throws: UnsavedStop.self) { try await running.value }
                scratch.allowSaving()
            }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == "saved")
        }
    }

    @Test func `a run continues after a failed forced quit`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let running = Task { try await application.run() }
                try await application.waitUntilLaunched()
                try await hosted.write("saved")
                scratch.watch.fail("history", with: ENOSPC)
                await #expect(throws: ApplicationError.self) {
                    try await application.quit(force: true)
                }
                #expect(try await hosted.text() == "saved")
                scratch.watch.fail("history", with: nil)
                try await application.quit(force: true)
                try await running.value
            }
        }
    }

    /// Service that uses a value until the application refuses commands.
    private struct Worker: Service {
        let count: RestorableValue<Int>

        func run() async throws {
            while true { try await count.update { $0 += 1 } }
        }
    }

    @Test func `a worker listed before its application receives an error at shutdown`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            let (application, count) = try await makeApplication(in: directory)
            let services = ServiceGroup(
                services: [Worker(count: count), application], logger: .quiet)
            let running = Task { try await services.run() }
            _ = try await count.current
            await services.triggerGracefulShutdown()
            await #expect(throws: Self.ending) { try await running.value }
        }
    }

    @Test func `the errors of a run explain what happened`() {
        #expect(
            "\(Self.alreadyRun)"
                == "run() of org.example.Jobs was called before, and an application runs only once: list it once in the "
                + "service group, and create another one to run it again")
        #expect(
            "\(Self.ending)"
                == "org.example.Jobs has stopped, because it was quit or because its program is stopping"
        )
    }
}
