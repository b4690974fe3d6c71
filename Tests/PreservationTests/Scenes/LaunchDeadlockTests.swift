import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Calls that an object makes while a launch waits for the object (R13).
@Suite(.timeLimit(.minutes(5))) struct LaunchDeadlockTests {
    /// Object that makes a call while it finishes its restoration.
    private final class Caller: StateRestoring, AsyncStateRestoring {
        let restoration = RestorationNode()
        private let call: @Sendable () async throws -> Void

        init(_ call: @escaping @Sendable () async throws -> Void) {
            self.call = call
        }

        func finishRestoring(in scene: Scene) async throws { try await call() }
    }

    private func makeApplication(
        _ name: String = "org.example.Callers", in directory: ApplicationStateDirectory,
        _ call: @escaping @Sendable () async throws -> Void = {}
    ) throws -> Application {
        try Application(
            bundleIdentifier: name, bundleVersion: "1", stateDirectory: directory, logger: .quiet,
            register: { try $0.add(Caller(call), as: "caller") })
    }

    /// Runs an application, calls a closure after the launch, and quits the application.
    private func run(
        _ application: Application, _ body: (Application) async throws -> Void = { _ in }
    ) async throws {
        async let running: Void = application.run()
        try await application.waitUntilLaunched()
        try await body(application)
        try await application.quit()
        try await running
    }

    private func expectRefusal(by name: String, in application: Application) async throws {
        let report = try await application.report()
        #expect(!report.hasTimedOut)
        #expect(
            report.unrestored.map(\.detail) == [
                "it could not finish its restoration: "
                    + "\(ApplicationError.restoring(application: name))"
            ])
    }

    enum Operation: CaseIterable {
        case open, close, backUp

        func run(on application: Application, _ path: String) async throws {
            switch self {
            case .open: try await application.open(scene: "other")
            case .close: try await application.close(scene: "main")
            case .backUp: try await application.backup(to: path)
            }
        }
    }

    @Test(arguments: Operation.allCases)
    func `R13: an operation is refused if it would wait for the launch that waits for its caller`(
        operation: Operation
    ) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            try await run(makeApplication(in: directory))
            let itself = Mutex<Application?>(nil)
            let application = try makeApplication(in: directory) { [path = scratch.path] in
                guard let application = itself.withLock({ $0 }) else { return }
                try await operation.run(on: application, "\(path)/backup")
            }
            itself.withLock { $0 = application }
            try await run(application) { application async throws in
                try await expectRefusal(by: "org.example.Callers", in: application)
            }
        }
    }

    @Test func `R13: a backup of an application is refused if its launch waits for the caller`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            try await run(makeApplication(in: directory))
            let other = try makeApplication("org.example.Others", in: directory)
            let application = try makeApplication(in: directory) { [path = scratch.path] in
                // The other application waits until no other scene is being launched.
                while await !other.isLaunching { await Task.yield() }
                try await other.backup(to: "\(path)/backup")
            }
            async let running: Void = application.run()
            try await waitUntil("the scene is being launched") { await application.isLaunching }
            async let otherRunning: Void = other.run()
            try await application.waitUntilLaunched()
            try await expectRefusal(by: "org.example.Others", in: application)
            try await other.waitUntilLaunched()
            try await application.quit()
            try await other.quit()
            _ = try await (running, otherRunning)
        }
    }
}
