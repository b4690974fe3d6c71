import NIOCore
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

@Suite struct SceneTaskTests {
    @Test func `S4: state invalidated by a task is saved in a separate turn`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                let gate = Signal()
                _ = try await hosted.application.perform { scene in
                    let note = scene.note
                    scene.run {
                        await gate.wait()
                        note.text = "from a task"
                    }
                }
                let passes = hosted.log.count(.passFinished)
                gate.send()
                #expect(await hosted.status(afterPasses: passes + 1).saved == .written)
                #expect(try #require(scratch.archiveBytes()).contains("from a task".utf8))
            }
        }
    }

    @Test func `S4: a task runs on the application's actor`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                let gate = Signal()
                let loop = hosted.loop
                let application = hosted.application
                _ = try await application.perform { scene in
                    scene.run {
                        application.assertIsolated()
                        #expect(loop.inEventLoop)
                        await Task.yield()
                        application.assertIsolated()
                        #expect(loop.inEventLoop)
                        gate.send()
                    }
                }
                await gate.wait()
            }
        }
    }

    @Test func `S4: a task is cancelled when its scene is closed`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                let cancelled = Signal()
                _ = try await hosted.application.perform(on: "other") { scene in
                    scene.run {
                        await Signal().wait()
                        cancelled.send()
                    }
                }
                try await hosted.application.close(scene: "other")
                await cancelled.wait()
            }
        }
    }

    @Test
    func `S4: a task is cancelled when the application stops, and the stop waits for the task`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let cancelled = Mutex(false)
            try await withNotes(in: scratch) { hosted async throws in
                _ = try await hosted.application.perform { scene in
                    scene.run {
                        await Signal().wait()
                        for _ in 0..<100 { await Task.yield() }
                        cancelled.withLock { $0 = true }
                    }
                }
                try await hosted.write("x")
            }
            #expect(cancelled.withLock { $0 })
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `S4: a stop does not wait for a task that ignores its cancellation`(
        isServiceCancelled: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let (gate, finished) = (Signal(), Signal())
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let services = ServiceGroup(services: [hosted.application], logger: .quiet)
                let service = Task<Void, any Error> {
                    if isServiceCancelled {
                        try await hosted.application.run()
                    } else {
                        try await services.run()
                    }
                }
                try await hosted.application.waitUntilLaunched()
                _ = try await hosted.application.perform { scene in
                    scene.run {
                        // The inner task is not cancelled together with the task that awaits it.
                        await Task { await gate.wait() }.value
                        finished.send()
                    }
                }
                try await hosted.write("kept")
                if isServiceCancelled {
                    service.cancel()
                } else {
                    await services.triggerGracefulShutdown()
                }
                await hosted.clock.waitForSleeper(for: RunningTaskCounter.cancellationTimeout)
                hosted.clock.advance(by: RunningTaskCounter.cancellationTimeout)
                // If the time limit expires, the task returns, so that the test ends.
                try await withTaskCancellationHandler {
                    try await service.value
                } onCancel: {
                    gate.send()
                }
                gate.send()
                await finished.wait()
            }
            #expect(try #require(scratch.archiveBytes()).contains("kept".utf8))
        }
    }

    @Test func `S4: no interval timer runs while a stop waits for a task`() async throws {
        try await withScratchDirectory { scratch in
            let gate = Signal()
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let services = ServiceGroup(services: [hosted.application], logger: .quiet)
                async let running: Void = services.run()
                try await hosted.application.waitUntilLaunched()
                _ = try await hosted.application.perform { scene in
                    scene.run { await Task { await gate.wait() }.value }
                }
                try await hosted.write("kept")
                await services.triggerGracefulShutdown()
                await hosted.clock.waitForSleeper(for: RunningTaskCounter.cancellationTimeout)
                #expect(hosted.clock.sleeperCount == 1)
                gate.send()
                try await running
            }
        }
    }

    @Test func `S4: a task that is cancelled before its turn never runs`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                let runs = Mutex(0)
                _ = try await hosted.application.perform { scene in
                    let cancel = scene.records.startTask? { runs.withLock { $0 += 1 } }
                    cancel?()
                }
                try await hosted.write("a turn")
                #expect(runs.withLock { $0 } == 0)
            }
        }
    }

    @Test func `S4: a task that has not begun when its scene ends never runs`() {
        let tasks = SceneTasks()
        _ = tasks.add {}
        tasks.cancelAll()
        #expect(!tasks.hasPendingTasks)
        tasks.start { _, _ in
            Issue.record("it has begun")
            return Task {}
        }
    }

    @Test func `S4: a task started during the launch can complete the scene's restoration (R13)`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.extendingScenes = ["main"]
            behavior.completesInTask = true
            try await withNotes(Notes(behavior), in: scratch) { hosted async throws in
                let scene = try #require(await hosted.application.scenes().first)
                #expect(scene.phase == .running)
                #expect(scene.report?.hasTimedOut == false)
                #expect(try await hosted.text() == "loaded")
            }
        }
    }
}

extension Scene {
    /// Runs an async closure as an object in the scene would.
    func run(_ body: @escaping () async -> Void) {
        _ = records.startTask?(body)
    }
}
