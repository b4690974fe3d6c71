import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Changes to the archive by other programs while the application stops, and archives that cannot be quarantined.
@Suite struct ExternalChangeAtStopTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    /// Returns the archive of a running application.
    private func archive(_ text: String) async throws -> [UInt8] {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write(text)
                return try #require(scratch.archiveBytes())
            }
        }
    }

    private func textOfNextStart(_ scratch: ScratchDirectory) async throws -> String {
        try await withNotes(in: scratch) { try await $0.text() }
    }

    @Test func `L8: an orderly stop leaves another archive in place that has not been handled yet`()
        async throws
    {
        let other = try await archive("earlier")
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                try scratch.renameOverArchive(other)
                // The change has been detected, but the other program may still be writing.
                async let saved = hosted.write("last")
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                try await hosted.application.quitUntilLaunch()
                guard case .notSaved = try await saved else {
                    Issue.record("what is in the history alone is said to be saved")
                    return
                }
                #expect(scratch.archiveBytes() == other)
                #expect(try scratch.generations().contains { $0.contains("last".utf8) })
            }
            #expect(scratch.archiveBytes() == other)
            #expect(try await textOfNextStart(scratch) == "earlier")
        }
    }

    @Test func `L4: a stop does not report a change as saved if the archive was removed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                #expect(unlink(scratch.archive) == 0)
                async let saved = hosted.write("last")
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                try await hosted.application.quitUntilLaunch()
                guard case .notSaved = try await saved else {
                    Issue.record("what is nowhere is said to be saved")
                    return
                }
            }
        }
    }

    @Test func `a stop that leaves another archive in place reports unsaved model data`()
        async throws
    {
        let other = try await archive("earlier")
        try await withScratchDirectory { scratch async throws in
            let store = NotesModel.Store(DirectoryWatch())
            var settings = HostedSettings()
            settings.makeModel = { _ in store.make() }
            let notes = Notes()
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                try await hosted.write("live")
                try scratch.renameOverArchive(other)
                async let saved = hosted.write("last")
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                store.fails = true
                async let added = hosted.application.performEvenIfUnsaved { $0.model?.add("kept") }
                await hosted.log.wait(for: 1, .saveFailed)
                let stop = await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                #expect(stop?.reason.contains("the disk of the notes is full") == true)
                _ = try await (saved, added)
                store.fails = false
                // The next launch restores the replaced archive and still has the model data.
                try await hosted.application.launch()
                #expect(try await hosted.text() == "earlier")
                #expect(notes.record.launches == [.pristine, .recover])
                #expect(store.saved == ["kept"])
            }
        }
    }

    @Test
    func `L8: a stop leaves another archive in place even if an attempt to restore it failed`()
        async throws
    {
        let other = try await archive("earlier")
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                scratch.watch.fail("archive.new", with: ENOSPC)
                try scratch.renameOverArchive(other)
                await hosted.application.checkArchive()
                guard case .notSaved(let reason) = await hosted.application.status().saved else {
                    Issue.record("it does not wait")
                    return
                }
                #expect(reason.contains("is not restored yet"))
                scratch.watch.fail("archive.new", with: nil)
                try await hosted.application.quitUntilLaunch()
                #expect(scratch.archiveBytes() == other)
                #expect(try scratch.generations().contains { $0.contains("live".utf8) })
            }
            #expect(try await textOfNextStart(scratch) == "earlier")
        }
    }

    @Test func `a stop that finds its own archive reports that the last change is not saved`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.extendingScenes = ["slow"]
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("saved")
                let opening = Task.immediate { try await hosted.application.open(scene: "slow") }
                await hosted.log.wait(for: 1, .restorationExtended)
                // The check is deferred until after the launch, which the stop abandons.
                #expect(await !hosted.application.checkArchive())
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("last", in: "main")
                let stop = await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                #expect(stop?.reason.contains("No space left on device") == true)
                await #expect(throws: ApplicationError.self) { try await opening.value }
                scratch.watch.failWriting("data.archive", with: nil)
            }
            #expect(try await textOfNextStart(scratch) == "last")
        }
    }

    @Test func `a failed attempt to save causes at most one further attempt`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("first")
                scratch.watch.fail("sync of data.archive", with: EIO)
                scratch.watch.failDirectorySyncs(with: EIO)
                guard case .notSaved = try await hosted.application.preserve() else {
                    Issue.record("a whole file was written")
                    return
                }
                scratch.watch.clear()
                // Each attempt replaces the file, which notifies the application.
                for _ in 1...5 { await hosted.application.checkArchive() }
                #expect(scratch.watch.events.filter { $0 == "data.archive" }.count <= 2)
                scratch.watch.failDirectorySyncs(with: nil)
                try await hosted.write("second")
            }
            #expect(try await textOfNextStart(scratch) == "second")
        }
    }

    @Test func `a stop does not restore another archive and replies to every waiting command`()
        async throws
    {
        let other = try await archive("earlier")
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("first") }
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("second")
                notes.behavior.extendingScenes = ["main"]
                async let replaced = hosted.application.rollBack(to: "1")
                await hosted.log.wait(for: 1, .restorationExtended)
                try scratch.renameOverArchive(other)
                await hosted.application.checkArchive()
                let tasks = try await hosted.application.queueAndQuit(150) { number, scene in
                    scene.note.text = "\(number)"
                    return number
                }
                for (number, task) in tasks.enumerated() {
                    #expect(try await task.value.result == number)
                }
                do {
                    _ = try await replaced
                    Issue.record("it went back")
                } catch ApplicationError.notRolledBack(_, _, let cause, _) {
                    #expect(cause == .notLaunched)
                }
                #expect(notes.record.launches.count == 2)
                #expect(scratch.archiveBytes() == other)
                #expect(try scratch.generations().contains { $0.contains("149".utf8) })
            }
            #expect(try await textOfNextStart(scratch) == "earlier")
        }
    }

    @Test func `a stop runs the waiting commands of a scene whose launch has just completed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.close(scene: "other")
                notes.behavior.extendingScenes = ["other"]
                let tasks = await hosted.application.queue(150, on: ["other"]) { number, _ in number
                }
                await hosted.log.wait(for: 1, .restorationExtended)
                // Commands that do not fit into the first turn are postponed as well.
                _ = try await hosted.text(in: "main")
                try await hosted.application.completeRestorationAndQuit()
                for (number, task) in tasks.enumerated() {
                    #expect(try await task.value.result == number)
                }
            }
        }
    }

    @Test
    func `an archive that can be neither restored nor quarantined stays in memory until it can`()
        async throws
    {
        let other = try await archive("earlier")
        let third = try await archive("third")
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                notes.behavior.failsDidFinishLaunching = true
                scratch.watch.fail("quarantine", with: EIO)
                try scratch.renameOverArchive(other)
                await hosted.application.checkArchive()
                notes.behavior.failsDidFinishLaunching = false
                #expect(try await hosted.text() == "live")
                #expect(try await hosted.write("goes on") != .durable)
                func isInMemoryAlone() async -> Bool {
                    let error = await hosted.application.status().lastError
                    return error?.contains("only in memory") == true
                }
                #expect(await isInMemoryAlone())
                // The next archive remains in place.
                try scratch.renameOverArchive(third)
                await hosted.application.checkArchive()
                #expect(scratch.archiveBytes() == third)
                #expect(try await hosted.text() == "goes on")
                scratch.watch.fail("quarantine", with: nil)
                await hosted.application.checkArchive()
                #expect(try await hosted.text() == "third")
                #expect(await !isInMemoryAlone())
                let entries = try await hosted.application.quarantined()
                #expect(try entries.map { try ScratchDirectory.bytes(of: $0.path) } == [other])
                #expect(entries.first?.reason?.contains("no notes today") == true)
            }
        }
    }

    @Test
    func `an archive held only in memory is quarantined at an interval and reported at a stop`()
        async throws
    {
        let other = try await archive("earlier")
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                notes.behavior.failsDidFinishLaunching = true
                scratch.watch.fail("quarantine", with: EIO)
                try scratch.renameOverArchive(other)
                await hosted.application.checkArchive()
                notes.behavior.failsDidFinishLaunching = false
                let stop = await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                #expect(stop?.reason.contains("only in memory") == true)
                try await hosted.application.launch()
                #expect(try await hosted.text() == "live")
                scratch.watch.fail("quarantine", with: nil)
                await hosted.passInterval()
                await hosted.log.wait(for: 1, .quarantined)
                #expect(try await hosted.application.quarantined().count == 1)
            }
        }
    }
}
