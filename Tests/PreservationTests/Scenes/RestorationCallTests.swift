import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Calls to applications by an object that finishes its restoration (R13).
@Suite(.timeLimit(.minutes(5))) struct RestorationCallTests {
    private typealias Call = @Sendable (_ scene: String) async throws -> Void

    /// Object that makes a call while it finishes its restoration.
    private final class Caller: StateRestoring, AsyncStateRestoring {
        let restoration = RestorationNode()
        private let call: Call

        init(_ call: @escaping Call) {
            self.call = call
        }

        func finishRestoring(in scene: Scene) async throws { try await call(scene.name.text) }
    }

    private func makeApplication(
        _ name: String = "org.example.Callers", in directory: ApplicationStateDirectory,
        _ call: @escaping Call = { _ in }
    ) throws -> Application {
        try Application(
            bundleIdentifier: name, bundleVersion: "1", stateDirectory: directory, logger: .quiet,
            register: { try $0.add(Caller(call), as: "caller") })
    }

    /// Runs an application, calls a closure after the launch, and quits the application.
    private func run(
        _ application: Application, _ body: () async throws -> Void = {}
    ) async throws {
        async let running: Void = application.run()
        try await application.waitUntilLaunched()
        try await body()
        try await application.quit()
        try await running
    }

    @Test func `R13: a command is refused if the launch of its scene waits for the caller`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            let first = try makeApplication(in: directory)
            try await run(first) {
                try await first.open(scene: "other")
                try await first.close(scene: "other")
            }
            let itself = Mutex<Application?>(nil)
            let second = try makeApplication(in: directory) { scene in
                guard scene == "other", let application = itself.withLock({ $0 }) else { return }
                try await application.perform(on: scene) { _ in }
            }
            itself.withLock { $0 = second }
            try await run(second) {
                try await second.open(scene: "other")
                let report = try await second.report(scene: "other")
                #expect(
                    report.unrestored.map(\.detail) == [
                        "it could not finish its restoration: "
                            + "\(ApplicationError.restoring(application: second.bundleIdentifier))"
                    ])
            }
            itself.withLock { $0 = nil }
        }
    }

    @Test func `R13: an object can save an application that is running`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            try await run(makeApplication(in: directory))
            let other = try makeApplication("org.example.Others", in: directory)
            try await run(other) {
                let application = try makeApplication(in: directory) { _ in
                    _ = try await other.preserve()
                }
                try await run(application) {
                    let report = try await application.report()
                    #expect(report.unrestored.isEmpty)
                }
            }
        }
    }

    @Test func `R13: an object can wait for a launch in another state directory`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let directory = try ApplicationStateDirectory(path: "\(scratch.path)/first")
            let otherDirectory = try ApplicationStateDirectory(path: "\(scratch.path)/second")
            for directory in [directory, otherDirectory] {
                try await run(makeApplication(in: directory))
            }
            let gate = Signal()
            defer { gate.send() }
            let other = try makeApplication(in: otherDirectory) { _ in await gate.wait() }
            let application = try makeApplication(in: directory) { _ in
                try await other.perform { _ in }
            }
            async let otherRunning: Void = other.run()
            try await waitUntil("the other application is being launched") {
                await other.isLaunching
            }
            async let running: Void = application.run()
            try await waitUntil("the object waits or fails") {
                if !other.commandInbox.withQueue(\.isEmpty) { return true }
                return await application.status().phase == .running
            }
            gate.send()
            try await application.waitUntilLaunched()
            #expect(try await application.report().unrestored.isEmpty)
            for application in [application, other] { try await application.quit() }
            _ = try await (running, otherRunning)
        }
    }
}
