import Preservation
import StateRestoration
import TestSupport
import Testing

@testable import Reprise

/// Drawings of scenes that several clients follow.
@Suite struct SharedDrawingTests {
    /// Executor that runs no jobs, so that neither an application nor the task of a drawing makes progress.
    private final class HaltedExecutor: SerialExecutor, TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {}
    }

    @Test func `a client that joins after the last client left gets a new drawing`() throws {
        let scratch = try ScratchDirectory()
        let application = try Application(
            definition: ApplicationDefinition(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                makeClasses: { ClassRegistry() },
                makeDelegate: { _ in RegisteringDelegate { _ in } }),
            stateDirectory: ApplicationStateDirectory(path: scratch.file("state")),
            executor: HaltedExecutor(), logger: .quiet)
        let drawings = SharedDrawings(clock: ContinuousClock(), executor: HaltedExecutor())
        let first = drawings.join("main", size: .init(columns: 80), of: application)
        #expect(drawings.join("main", size: .init(columns: 80), of: application) === first)
        drawings.leave(first)
        #expect(drawings.join("main", size: .init(columns: 80), of: application) === first)
        drawings.leave(first)
        drawings.leave(first)
        #expect(drawings.join("main", size: .init(columns: 80), of: application) !== first)
    }
}
