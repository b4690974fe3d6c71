import Logging
import SavedState
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct ApplicationLifecycleTests {
    private static let notRunning = ApplicationError.notRunning(
        application: Notes.bundleIdentifier)

    @Test func `quit saves the state, and the next launch restores it`() async throws {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted in
                try await hosted.write("before")
                try await hosted.application.quitUntilLaunch()
                let status = await hosted.application.status()
                #expect(status.phase == .stopped)
                #expect(status.scenes.map(\.phase) == [.saved])
                await #expect(throws: Self.notRunning) { try await hosted.text() }
                await #expect(throws: Self.notRunning) {
                    try await hosted.application.preserve()
                }

                try await hosted.application.launch()
                #expect(try await hosted.text() == "before")
                #expect(try await hosted.write("after") == .written)
            }
            #expect(notes.record.launches == [.pristine, .restore])
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "after")
        }
    }

    @Test func `an application can be launched only while its service is running`() async throws {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withStoppedNotes(notes, in: scratch) { hosted in
                await #expect(throws: Self.notRunning) { try await hosted.application.launch() }
                await #expect(throws: Self.notRunning) {
                    try await hosted.application.preserve()
                }
                let services = ServiceGroup(services: [hosted.application], logger: .quiet)
                async let running: Void = services.run()
                try await hosted.application.waitUntilLaunched()
                await services.triggerGracefulShutdown()
                try await running
            }
            #expect(notes.record.launches == [.pristine])
        }
    }

    @Test func `quit runs the waiting commands, saves their changes and replies`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                let tasks = try await hosted.application.queueAndQuit(200) { number, scene in
                    scene.note.text = "text \(number)"
                    return number
                }
                for (number, task) in tasks.enumerated() {
                    let reply = try await task.value
                    #expect(reply.result == number)
                    #expect(reply.saved == .written)
                }
                #expect(await hosted.application.status().phase == .stopped)
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "text 199")
        }
    }

    @Test func `the log message for a stop says whether everything was saved`() async throws {
        for savesState in [true, false] {
            try await withScratchDirectory { scratch in
                var behavior = Notes.Behavior()
                behavior.savesState = savesState
                try await withNotes(Notes(behavior), in: scratch) { hosted async throws in
                    try await hosted.write("before")
                    try await hosted.application.quitUntilLaunch()
                    #expect(
                        hosted.log.messages(from: .notice).last
                            == (savesState ? "stopped, everything is saved" : "stopped"))
                }
            }
        }
    }

    @Test func `quitting an application that is not running does nothing`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.application.quitUntilLaunch()
                let bytes = scratch.archiveBytes()
                try await hosted.application.quitUntilLaunch()
                #expect(scratch.archiveBytes() == bytes)
            }
        }
    }

    @Test func `P1: quitting an application that does not save state succeeds`() async throws {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.savesState = false
            try await withNotes(Notes(behavior), in: scratch) { try await $0.write("secret") }
            #expect(scratch.archiveBytes() == nil)
        }
    }

    @Test func `launching a running application is refused`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("still here")
                await #expect(
                    throws: ApplicationError.alreadyRunning(application: Notes.bundleIdentifier)
                ) {
                    try await hosted.application.launch()
                }
                #expect(try await hosted.text() == "still here")
            }
        }
    }

    @Test func `commands to a failed application are refused with the reason for the failure`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.failsDidFinishLaunching = true
            try await withNotes(Notes(behavior), in: scratch) { hosted in
                let failed = ApplicationError.failed(
                    application: Notes.bundleIdentifier, reason: "no notes today")
                await #expect(throws: failed) { try await hosted.text() }
                await #expect(throws: failed) { try await hosted.application.preserve() }
                await #expect(throws: failed) { try await hosted.application.launch() }
            }
        }
    }

    @Test func `an application accepts no commands before its launch`() async throws {
        try await withScratchDirectory { scratch in
            try await withStoppedNotes(in: scratch) { hosted in
                #expect(await hosted.application.status().phase == .stopped)
                await #expect(throws: Self.notRunning) { try await hosted.text() }
            }
        }
    }

    @Test
    func `an application whose service has ended accepts no commands and cannot be launched again`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withStoppedNotes(in: scratch) { hosted in
                let task = Task { try await hosted.application.run() }
                try await hosted.application.waitUntilLaunched()
                task.cancel()
                try await task.value
                let bytes = scratch.archiveBytes()
                let ending = ApplicationError.ending(application: Notes.bundleIdentifier)
                await #expect(throws: ending) { try await hosted.application.launch() }
                await #expect(throws: ending) { try await hosted.text() }
                #expect(scratch.archiveBytes() == bytes)
            }
        }
    }

    @Test func `cancelling the service of an application stops the application in order`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withStoppedNotes(in: scratch) { hosted in
                let task = Task { try await hosted.application.run() }
                try await hosted.application.waitUntilLaunched()
                try await hosted.write("kept")
                task.cancel()
                try await task.value
                #expect(await hosted.application.status().phase == .stopped)
            }
            let notes = Notes()
            let text = try await withNotes(notes, in: scratch) { try await $0.text() }
            #expect(text == "kept")
            #expect(notes.record.launches == [.restore])
        }
    }

    @Test func `waiting for a launch returns even if the launch has already failed`() async throws {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.failsWillFinishLaunching = true
            try await withNotes(Notes(behavior), in: scratch) { hosted in
                try await hosted.application.waitUntilLaunched()
                #expect(
                    await hosted.application.status().phase == .failed(reason: "no notes today"))
            }
        }
    }

    @Test func `the stream of changes sends an event when the phase or the durability changes`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                var changes = hosted.application.changes.makeAsyncIterator()
                #expect(await changes.next() != nil)
                try await hosted.application.quitUntilLaunch()
                #expect(await changes.next() != nil)
                try await hosted.application.launch()
                #expect(await changes.next() != nil)
                scratch.blockSaving()
                try await hosted.write("unsaved")
                #expect(await changes.next() != nil)
                scratch.allowSaving()
                try await hosted.write("saved")
                #expect(await changes.next() != nil)
            }
        }
    }

    @Test func `a stopping program refuses every operation that changes state`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withStoppedNotes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                let services = ServiceGroup(services: [application], logger: .quiet)
                async let running: Void = services.run()
                try await application.waitUntilLaunched()
                await services.triggerGracefulShutdown()
                try await running
                let intervalTimers = await application.intervalTimers
                #expect(intervalTimers == nil)
                let ending = ApplicationError.ending(application: Notes.bundleIdentifier)
                await #expect(throws: ending) { try await application.launch() }
                await #expect(throws: ending) { try await application.rollBack(to: "1") }
                await #expect(throws: ending) { try await application.reset() }
                await #expect(throws: ending) { try await application.resetToSaved() }
                await #expect(throws: ending) {
                    try await application.putBack("000001-main.archive")
                }
                await #expect(throws: ending) {
                    try await application.reload(notes.definition(resources: 7))
                }
                await #expect(throws: ending) { try await application.preserve() }
                await #expect(throws: ending) { try await application.perform { _ in } }
                await #expect(throws: ending) { try await application.open(scene: "new") }
            }
        }
    }

    @Test func `a stopped application cannot be reset to its saved state`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("text")
                try await hosted.application.quitUntilLaunch()
                let error = ApplicationError.notRunning(application: Notes.bundleIdentifier)
                await #expect(throws: error) { try await hosted.application.resetToSaved() }
                await #expect(throws: error) { try await hosted.application.preserve() }
            }
        }
    }

    @Test func `a launch that is interrupted by a stop does not count as a crash`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.extendingScenes = ["main"]
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                await hosted.log.wait(for: 1, .restorationExtended)
                try await hosted.application.quitUntilLaunch()
            }
            notes.behavior.extendingScenes = []
            try await withNotes(notes, in: scratch) { hosted async throws in
                let known = await hosted.application.known("main")
                #expect(known.kills == 0 && known.lastEnd == nil)
                #expect(try await hosted.application.report(scene: "main").precedingDeath == nil)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `tasks of several scenes that begin in one turn all run`() async throws {
        try await withScratchDirectory { scratch async throws in
            let names: [RestorationIdentifier] = ["main", "other", "third"]
            try await withNotes(in: scratch, scenes: names) { hosted async throws in
                let started = AwaitableState<Set<String>>([])
                try await hosted.application.perform { _ in
                    hosted.application.assumeIsolated { application in
                        for scene in application.hostedScenes?.table.liveScenes ?? [] {
                            let name = scene.name.text
                            scene.scene.run { started.change { _ = $0.insert(name) } }
                        }
                    }
                }
                await started.wait { $0.count == names.count }
            }
        }
    }

    @Test func `superfluous completions of a restoration are logged once per scene`() async throws {
        try await withScratchDirectory { scratch async throws in
            let names: [RestorationIdentifier] = ["main", "other"]
            try await withNotes(in: scratch, scenes: names) { hosted async throws in
                for name in names {
                    try await hosted.application.perform(on: name.text) {
                        $0.completeStateRestoration()
                        $0.completeStateRestoration()
                    }
                }
                _ = try await hosted.application.preserve()
                _ = try await hosted.application.preserve()
                let logged = hosted.log.entries.filter {
                    $0.metadata["MESSAGE_ID"] == LogEvent.extensionMisused.rawValue
                }
                #expect(logged.compactMap { $0.metadata["REPRISE_SCENE"] } == ["main", "other"])
                #expect(logged.allSatisfy { $0.message.contains("completed 2 times") })
            }
        }
    }
}
