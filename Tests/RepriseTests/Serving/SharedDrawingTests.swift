import Preservation
import StateRestoration
import TestSupport
import Testing
import Varlink

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

    private static let storyboard = """
        storyboard: Main
        bundleVersion: "3"
        initial: first
        controllers:
          first:
            class: ViewController
            restorationIdentifier: first
            views:
              name: { class: TextField, restorationIdentifier: name, preservesText: true }
              on: { class: Switch, restorationIdentifier: on }

        """

    @Test func `a client receives the changes since its own drawing`() async throws {
        try await ReloadingHost.with(notes: Self.storyboard) { host in
            let application = try host.application(ReloadingHost.notes)
            let size = SceneDrawing.Size(columns: 40)
            func draw() async throws -> SharedDrawing.Frame {
                try await application.drawing(of: "main", size: size, launchesScene: false)
            }
            let own = try await draw()
            let drawings = SharedDrawings(
                clock: ImmediateClock(), executor: globalConcurrentExecutor)
            let drawing = drawings.join("main", size: size, of: application)
            defer { drawings.leave(drawing) }
            func next(
                after last: SharedDrawing.Frame
            ) async throws -> (frame: SharedDrawing.Frame, json: [UInt8]?) {
                var next: (frame: SharedDrawing.Frame, json: [UInt8]?)?
                try await waitUntil("a newer drawing exists") {
                    next = try drawing.changes(since: last)
                    return next != nil
                }
                return try #require(next)
            }
            func json(_ frame: SharedDrawing.Frame, since last: SharedDrawing.Frame) throws
                -> [UInt8]
            {
                try JSONText.write(frame.drawing.changes(since: last.drawing))
            }
            // The first shared drawing looks like the client's own drawing.
            let first = try await next(after: own)
            #expect(first.json == nil)
            try await application.perform {
                _ = try SceneCommandRunner($0).type("text", at: "first/name")
            }
            let second = try await next(after: first.frame)
            #expect(try second.json == json(second.frame, since: first.frame))
            try await application.perform { _ = try SceneCommandRunner($0).tap(at: "first/on") }
            let third = try await next(after: second.frame)
            #expect(try third.json == json(third.frame, since: second.frame))
            let all = try await next(after: own)
            #expect(try all.json == json(third.frame, since: own))
            #expect(all.json != third.json)
            let isNewer = try await drawing.changes(since: draw()) != nil
            #expect(!isNewer)
        }
    }

    @Test func `a scene is no longer drawn after its last client has left`() async throws {
        try await ReloadingHost.with { host in
            let application = try host.application(ReloadingHost.notes)
            let drawings = SharedDrawings(
                clock: ImmediateClock(), executor: globalConcurrentExecutor)
            let drawing = drawings.join("main", size: .init(columns: 40), of: application)
            let changes = drawing.changes.subscribe()
            let hasEnded = AwaitableState(false)
            let following = Task {
                for await _ in changes {}
                hasEnded.change { $0 = true }
            }
            drawings.leave(drawing)
            try await waitUntil("no more drawings follow") { hasEnded.state }
            await following.value
        }
    }
}
