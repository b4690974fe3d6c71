import Preservation
import StateRestoration
import TestSupport
import Testing

@testable import Reprise

/// Drawings of scenes that several clients follow.
@Suite(.timeLimit(.minutes(10))) struct SharedDrawingTests {
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

    @Test func `a scene is no longer drawn after the last client has left`() async throws {
        try await ReloadingHost.with { host in
            let drawings = SharedDrawings(
                clock: ContinuousClock(), executor: globalConcurrentExecutor)
            let application = try host.application(ReloadingHost.notes)
            let drawing = drawings.join("main", columns: 40, of: application)
            #expect(drawings.join("main", columns: 40, of: application) === drawing)
            let changes = drawing.changes.subscribe()
            let hasEnded = AwaitableState(false)
            let following = Task {
                for await _ in changes {}
                hasEnded.change { $0 = true }
            }
            defer { following.cancel() }
            drawings.leave(drawing)
            // One client is left, so another client can join.
            #expect(drawings.join("main", columns: 40, of: application) === drawing)
            drawings.leave(drawing)
            drawings.leave(drawing)
            await hasEnded.wait { $0 }
            #expect(hasEnded.state)
        }
    }
}
