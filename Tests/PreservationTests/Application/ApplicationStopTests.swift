import Glibc
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Work that is waiting while an application stops, and calls after the stop.
@Suite(.timeLimit(.minutes(5))) struct ApplicationStopTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    @Test func `a stop undoes a rollback first and then launches a scene for a waiting command`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("first", in: "main")
                try await hosted.write("saved", in: "other")
                try await hosted.application.close(scene: "other")
            }
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                let application = hosted.application
                try await hosted.write("second", in: "main")
                notes.behavior.extendingScenes = ["main"]
                let rollingBack = Task {
                    try await application.rollBack(to: "1", scene: "main")
                }
                await hosted.log.wait(for: 1, .restorationExtended)
                let reading = try await application.readAndQuit("other")
                #expect(try await reading.value.result == "saved")
                await #expect(throws: ApplicationError.self) { try await rollingBack.value }
            }
        }
    }

    @Test func `P18: the last pass of a stop follows every waiting command`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.close(scene: "other")
                notes.behavior.extendingScenes = ["other"]
                let tasks = await hosted.application.queue(150, on: ["other"]) { number, scene in
                    if number == 149 { scene.note.changeWithoutInvalidating("last") }
                }
                await hosted.log.wait(for: 1, .restorationExtended)
                // Commands that do not fit into the first turn are postponed as well.
                _ = try await hosted.text(in: "main")
                try await hosted.application.completeRestorationAndQuit()
                for task in tasks { _ = try await task.value }
            }
            let text = try await withNotes(in: scratch, scenes: Self.scenes) {
                hosted async throws in
                try await hosted.text(in: "other")
            }
            #expect(text == "last")
        }
    }

    @Test func `L8: the end of a run reports a rejected archive that is only in memory`()
        async throws
    {
        let other = try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("theirs")
                return try #require(scratch.archiveBytes())
            }
        }
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withStoppedNotes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                let running = Task { try await application.run() }
                try await application.waitUntilLaunched()
                try await hosted.write("live")
                notes.behavior.failsDidFinishLaunching = true
                scratch.watch.fail("quarantine", with: EIO)
                try scratch.renameOverArchive(other)
                await application.checkArchive()
                notes.behavior.failsDidFinishLaunching = false
                await #expect(throws: UnsavedStop.self) { try await application.quitUntilLaunch() }
                running.cancel()
                await #expect(throws: UnsavedStop.self) { try await running.value }
                scratch.watch.fail("quarantine", with: nil)
            }
        }
    }

    @Test func `a scene of a failed application cannot be opened after the application has quit`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.failsWillFinishLaunching = true
            try await withStoppedNotes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                let running = Task { try await application.run() }
                try await application.waitUntilLaunched()
                try await application.quit()
                try await running.value
                await #expect(
                    throws: ApplicationError.ending(application: Notes.bundleIdentifier)
                ) { try await application.open(scene: "other") }
            }
        }
    }

    @Test func `every command that waits for a scene is refused if the scene cannot be launched`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.close(scene: "other")
                notes.behavior.failingScenes = ["other"]
                let tasks = await hosted.application.queue(3, on: ["other"]) { _, _ in }
                await hosted.log.wait(for: 1, .launchFailed)
                // Commands that are still waiting are refused with another error.
                try await hosted.application.quitUntilLaunch()
                for task in tasks {
                    await #expect(
                        throws: ApplicationError.sceneFailed(
                            application: Notes.bundleIdentifier, scene: "other",
                            reason: "no notes today")
                    ) { try await task.value }
                }
            }
        }
    }
}

extension Application {
    /// Queues a command that reads the note in a scene, and quits before the command runs.
    fileprivate func readAndQuit(
        _ scene: String
    ) throws -> Task<CommandReply<String>, any Error> {
        let reading = Task.immediate {
            try await self.performEvenIfUnsaved(on: scene) { $0.note.text }
        }
        try quitUntilLaunch()
        return reading
    }
}
