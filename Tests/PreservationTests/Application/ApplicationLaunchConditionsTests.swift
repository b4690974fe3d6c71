import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Launches of an application and its scenes under unusual conditions.
@Suite(.timeLimit(.minutes(10))) struct ApplicationLaunchConditionsTests {
    /// Saves a note in the scene `main` and in further scenes that are not configured.
    private func save(
        _ text: String, opening scenes: [String] = [], in scratch: ScratchDirectory
    ) async throws {
        try await withNotes(in: scratch) { hosted async throws in
            for scene in scenes { try await hosted.application.open(scene: scene) }
            for scene in ["main"] + scenes { try await hosted.write(text, in: scene) }
        }
    }

    /// Returns the result of an operation, or throws an error if the operation does not end.
    private func result<Result: Sendable>(
        of operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let isOver = Mutex(false)
        let task = Task {
            defer { isOver.withLock { $0 = true } }
            return try await operation()
        }
        try await waitUntil("the operation ends") { isOver.withLock { $0 } }
        return try await task.value
    }

    // MARK: Which scenes are launched

    @Test func `S3: an application whose only scene is closed is launched without a scene`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("kept")
                try await hosted.application.close(scene: "main")
            }
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await waitUntil("the application is running") {
                    await hosted.application.status().phase == .running
                }
                #expect(await hosted.application.status().launchedSceneCount == 0)
                #expect(try await hosted.text() == "kept")
            }
        }
    }

    @Test func `S3: a scene that a reload adds is saved without a command`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.application.reload(notes.definition(scenes: ["main", "new"]))
                try await waitUntil("the new scene is saved") {
                    await hosted.application.status().savedSceneCount == 2
                }
            }
        }
    }

    @Test func `the application keeps running if the only scene is closed and another one fails`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("kept")
                try await hosted.application.close(scene: "main")
                notes.behavior.failingScenes = ["other"]
                await #expect(
                    throws: ApplicationError.sceneFailed(
                        application: Notes.bundleIdentifier, scene: "other",
                        reason: "no notes today")
                ) {
                    try await hosted.application.open(scene: "other")
                }
                #expect(await hosted.application.status().phase == .running)
                #expect(try await hosted.text() == "kept")
            }
        }
    }

    @Test func `L8: the reset of a closed scene that is not configured removes the scene`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try await application.open(scene: "other")
                try await hosted.write("removed", in: "other")
                try await application.close(scene: "other")
                let reset = try await result { try await application.reset(scene: "other") }
                #expect(reset.scenes == [])
                #expect(await application.scenes().map(\.name) == ["main"])
            }
        }
    }

    // MARK: What is logged

    @Test func `R13: a launch that nothing extends is not logged as waiting`() async throws {
        try await withScratchDirectory { scratch async throws in
            for _ in 0..<2 {
                try await withNotes(in: scratch) { hosted async throws in
                    #expect(hosted.log.count(.restorationExtended) == 0)
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `an awaited application that was never started is logged once, unless it was quit`(
        isQuit: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            var settings = PreservationSettings()
            settings.clock = ImmediateClock()
            settings.usesJournalFields = true
            let log = LogRecorder()
            let application = try Application(
                definition: Notes().definition(),
                stateDirectory: scratch.watched(by: scratch.watch), settings: settings,
                logger: log.logger())
            if isQuit { try await application.quit() }
            for _ in 0..<2 { await application.warnIfNotStarted(awaiting: "jobs") }
            #expect(log.count(.neverStarted) == (isQuit ? 0 : 1))
        }
    }

    // MARK: Extended launches

    @Test func `R13: a restoration that was completed in time is not reported at the timeout`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.extendingScenes = ["main"]
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                await hosted.log.wait(for: 1, .restorationExtended)
                await hosted.application.completeRestorationAndReachTimeout()
                try await hosted.application.waitUntilLaunched()
                #expect(hosted.log.count(.extensionMisused) == 0)
                #expect(await hosted.application.status().lastError == nil)
                #expect(try await !hosted.application.report().hasTimedOut)
            }
        }
    }

    @Test func `R13: commands that wait for a launch do not keep the executor busy`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.extendingScenes = ["main"]
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                let application = hosted.application
                let yieldCount = Mutex(0)
                await hosted.log.wait(for: 1, .restorationExtended)
                await application.onYield {
                    yieldCount.withLock { $0 += 1 }
                    await Task.yield()
                }
                async let text = hosted.text()
                try await waitUntil("the command waits") { await application.hasWaitingCommands }
                for _ in 0..<100 { _ = await application.status() }
                #expect(yieldCount.withLock { $0 } < 10)
                await application.completeRestoration()
                #expect(try await text == "")
            }
        }
    }

    @Test func `L4: an archive that is removed during a launch is not written again`()
        async throws
    {
        try await withScratchDirectory { killed async throws in
            try await withScratchDirectory { scratch async throws in
                try await withNotes(in: scratch) { hosted async throws in
                    try await hosted.write("live")
                    try scratch.copy(to: killed)
                }
            }
            let notes = Notes()
            notes.behavior.extendingScenes = ["main"]
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            try await withNotes(notes, in: killed, settings) { hosted async throws in
                let application = hosted.application
                await hosted.log.wait(for: 1, .restorationExtended)
                #expect(unlink(killed.archive) == 0)
                #expect(await !application.checkArchive())
                await application.completeRestoration()
                try await application.waitUntilLaunched()
                _ = await application.status()
                #expect(killed.archiveBytes() == nil)
                notes.behavior.extendingScenes = []
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
                #expect(try await hosted.text() == "")
            }
        }
    }

    @Test func `L8: a rollback of a failed application does not wait for a later launch`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save("first", in: scratch)
            let notes = Notes()
            notes.behavior.failsWillFinishLaunching = true
            try await withNotes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                let ticket = await application.makeTicket()
                #expect(ticket.acquire {})
                let isOver = Mutex(false)
                let rollBack = Task.immediate {
                    defer { isOver.withLock { $0 = true } }
                    try await application.rollBack(to: "1")
                }
                try await waitUntil("the launch waits") { await application.isLaunching }
                await application.failAndLaunchAgain(ticket) {
                    notes.behavior.failsWillFinishLaunching = false
                    notes.behavior.extendingScenes = ["main"]
                }
                try await waitUntil("the rollback has ended") { isOver.withLock { $0 } }
                #expect(await application.status().phase == .launching)
                await #expect(throws: ApplicationError.self) { try await rollBack.value }
                await application.completeRestoration()
                try await application.waitUntilLaunched()
                #expect(try await hosted.text() == "first")
            }
        }
    }
}

extension Application {
    /// Completes the extended restoration, and reaches the launch timeout before the completion has been handled.
    fileprivate func completeRestorationAndReachTimeout() {
        guard let launchEnd = hostedScenes?.table.launchingScene?.scene.launchEnd else { return }
        completeRestoration()
        endRestoration(of: launchEnd)
    }

    /// Sets the function that is called after a turn if commands are still waiting.
    fileprivate func onYield(_ body: @escaping @Sendable () async -> Void) {
        settings.yieldExecutor = body
    }

    /// Makes the waiting launch fail, and begins another launch before any caller is resumed.
    fileprivate func failAndLaunchAgain(
        _ ticket: LaunchGate.Ticket, mend: @Sendable () -> Void
    ) {
        ticket.release()
        advanceLaunches()
        mend()
        beginLaunch()
    }
}
