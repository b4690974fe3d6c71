import Glibc
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct ForcedQuitTests {
    @Test func `L1: a forced quit adds a generation, and the next launch is pristine`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("unwanted")
                let bytes = try #require(scratch.archiveBytes())
                let before = notes.record
                try await hosted.application.forceQuit()
                #expect(scratch.archiveBytes() == nil)
                #expect(try scratch.generations() == [bytes])
                // The delegate is not called.
                #expect(notes.record.saveRequestCount == before.saveRequestCount)
                #expect(notes.record.encoded.count == before.encoded.count)
                let status = await hosted.application.status()
                #expect(status.phase == .stopped)
                #expect(status.scenes.isEmpty)
                #expect(status.saved == .durable)

                try await hosted.application.launch()
                #expect(try await hosted.text() == "")
            }
            #expect(notes.record.launches == [.pristine, .pristine])
            #expect(notes.record.offered.isEmpty)
        }
    }

    @Test func `L1: a forced quit does not save missed invalidations`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                let bytes = try #require(scratch.archiveBytes())
                _ = try await hosted.application.perform {
                    $0.note.changeWithoutInvalidating("unseen")
                }
                try await hosted.application.forceQuit()
                #expect(try scratch.generations() == [bytes])
            }
        }
    }

    @Test func `L1: the status after a forced quit no longer describes the removed state`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                var settings = await hosted.application.settings
                settings.limits = ValueLimits(warningBytes: 1024, maximumBytes: 2048)
                await hosted.application.apply(settings)
                try await hosted.write(String(repeating: "a", count: 5000), in: "main")
                scratch.blockSaving()
                try await hosted.write("unsaved", in: "other")
                scratch.allowSaving()
                let before = await hosted.application.status()
                #expect(before.saved != .durable)
                #expect(before.lastPass != nil)
                try await hosted.application.forceQuit()
                let after = await hosted.application.status()
                #expect(after.saved == .durable)
                #expect(after.lastPass == nil)
            }
        }
    }

    @Test func `L1: a forced quit keeps the model data`() async throws {
        try await withScratchDirectory { scratch in
            let store = NotesModel.Store(DirectoryWatch())
            var settings = HostedSettings()
            settings.makeModel = { _ in store.make() }
            try await withNotes(in: scratch, settings) { hosted async throws in
                store.fails = true
                _ = try await hosted.application.performEvenIfUnsaved { $0.model?.add("kept") }
                try await hosted.application.forceQuit()
                store.fails = false
                try await hosted.application.launch()
                try await hosted.write("x")
                #expect(store.saved == ["kept"])
            }
        }
    }

    @Test
    func `L1: if no generation can be added, nothing is removed and the application keeps running`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            var settings = HostedSettings()
            settings.stateDirectory = try scratch.watched(by: watch)
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("precious")
                let bytes = scratch.archiveBytes()
                watch.fail("history", with: ENOSPC)
                do {
                    try await hosted.application.forceQuit()
                    Issue.record("the state was removed without a generation")
                } catch ApplicationError.stateNotRemoved(_, let reason) {
                    #expect(reason.contains("history"))
                    #expect(reason.contains("No space left"))
                }
                #expect(scratch.archiveBytes() == bytes)
                let status = await hosted.application.status()
                #expect(status.phase == .running)
                #expect(status.lastError?.contains("history") == true)
                #expect(try await hosted.text() == "precious")
                watch.fail("history", with: nil)
                try await hosted.write("more precious")
                try await hosted.application.forceQuit()
                #expect(scratch.archiveBytes() == nil)
                #expect(try scratch.generations().count == 1)
            }
        }
    }

    @Test func `L2: an abandoned exchange of scenes does not block other launches`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("saved")
                let first = await hosted.application.makeTicket()
                #expect(first.acquire {})
                let reset = Task.immediate { try await hosted.application.resetToSaved() }
                try await hosted.application.waitForExchange()
                scratch.watch.fail("history", with: ENOSPC)
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.forceQuit()
                }
                await #expect(throws: ApplicationError.self) { try await reset.value }
                scratch.watch.fail("history", with: nil)
                first.release()
                let second = await hosted.application.makeTicket()
                #expect(second.acquire {})
            }
        }
    }

    @Test func `L1: a stopped or failed application can be quit by force`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("unwanted") }
            let bytes = try #require(scratch.archiveBytes())
            try await withStoppedNotes(in: scratch) { hosted async throws in
                try await hosted.application.forceQuit()
            }
            #expect(scratch.archiveBytes() == nil)
            #expect(try scratch.generations() == [bytes])

            try await withNotes(in: scratch) { try await $0.write("unwanted, too") }
            var behavior = Notes.Behavior()
            behavior.failsWillFinishLaunching = true
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.application.forceQuit()
                #expect(scratch.archiveBytes() == nil)
                notes.behavior = Notes.Behavior()
                try await hosted.application.launch()
                #expect(notes.record.launches == [.pristine])
            }
        }
    }

    @Test
    func `L1: waiting commands fail, and no generation is added if nothing was saved`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.savesState = false
            try await withNotes(Notes(behavior), in: scratch) { hosted async throws in
                let waiting = try await hosted.application.queueAndForceQuit(3)
                for command in waiting {
                    await #expect(
                        throws: ApplicationError.notRunning(application: Notes.bundleIdentifier)
                    ) {
                        try await command.value
                    }
                }
                #expect(try scratch.generations().isEmpty)
            }
        }
    }

    @Test func `L1: the report of a pristine launch says where the earlier state is stored`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                func displaced(_ scene: String) async throws -> String? {
                    try await hosted.application.report(scene: scene).displaced
                }
                #expect(try await displaced("main") == nil)
                try await hosted.write("kept")
                try await hosted.application.forceQuit()
                try await hosted.application.launch()
                let inHistory =
                    "it is in the history, because it was removed by a forced quit: "
                    + "`reprisectl --app org.example.Notes rollback 000001 --scene main` brings it "
                    + "back"
                #expect(try await displaced("main") == inHistory)
                // Generations that are added later are described instead.
                try await hosted.write("later")
                try await hosted.application.reset(scene: "main")
                #expect(try await displaced("main")?.contains("rollback 000002") == true)
                try await hosted.application.open(scene: "other")
                #expect(try await displaced("other") == nil)
                try await hosted.application.forceQuit()
                let quarantine = "\(scratch.applicationDirectory)/quarantine"
                #expect(mkdir(quarantine, 0o700) == 0)
                let name = "000001-main.archive"
                try ScratchDirectory.write([1], to: "\(quarantine)/\(name)")
                try ScratchDirectory.write(Array("why\n".utf8), to: "\(quarantine)/\(name).reason")
                // The modification times of the reason files determine which state is newer, but the clock of the file
                // system is too coarse to tell the two files apart.
                let tomorrow = timeval(tv_sec: time(nil) + 86_400, tv_usec: 0)
                #expect(utimes("\(quarantine)/\(name).reason", [tomorrow, tomorrow]) == 0)
                // The quarantined file of another scene whose name has the same ending is ignored.
                try ScratchDirectory.write([1], to: "\(quarantine)/000002-b-main.archive")
                try await hosted.application.launch()
                #expect(
                    try await displaced("main")
                        == "it is in quarantine: `reprisectl --app org.example.Notes quarantine "
                        + "put-back 000001-main.archive` brings it back")
            }
        }
    }
}

extension Application {
    /// Returns a ticket of another application for the launch gate.
    func makeTicket() -> LaunchGate.Ticket {
        launchSequence.sceneLaunchGuard.launchGuard.gate.makeTicket()
    }

    /// Waits until an exchange of scenes has begun.
    fileprivate func waitForExchange() async throws {
        try await waitUntil("scenes are to be exchanged") { hostedScenes?.change != nil }
    }
}
