import FoundationEssentials
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Model data that could not be written and is written later.
@Suite(.timeLimit(.minutes(5))) struct ModelRetryTests {
    private func settings(_ store: NotesModel.Store, version: String = "1") -> HostedSettings {
        var settings = HostedSettings(version: version)
        settings.makeModel = { _ in store.make() }
        return settings
    }

    /// Adds an item that cannot be written, and then lets the model be written again.
    private func addUnwritable(
        _ item: String, to store: NotesModel.Store, in hosted: HostedNotes
    ) async throws {
        store.fails = true
        let saved = try await hosted.application.performEvenIfUnsaved { scene in
            scene.model?.add(item)
        }.saved
        #expect(!saved.isSaved)
        store.fails = false
    }

    @Test func `L4: after a reset, model data is written at the interval without a further change`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let store = NotesModel.Store(DirectoryWatch())
            try await withNotes(in: scratch, settings(store)) { hosted async throws in
                try await hosted.write("live")
                try FileManager.default.removeItem(atPath: scratch.archive)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
                try await addUnwritable("one", to: store, in: hosted)
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(store.saved == ["one"])
                #expect(scratch.archiveBytes() == nil)
            }
        }
    }

    @Test func `L4: a check of the archive also writes model data that could not be written`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let store = NotesModel.Store(DirectoryWatch())
            try await withNotes(in: scratch, settings(store)) { hosted async throws in
                try await hosted.write("live")
                try await addUnwritable("one", to: store, in: hosted)
                await hosted.application.checkArchive()
                #expect(store.saved == ["one"])
            }
        }
    }

    @Test func `the last stop writes model data that an earlier stop could not write`() async throws
    {
        try await withScratchDirectory { scratch async throws in
            let store = NotesModel.Store(DirectoryWatch())
            try await withNotes(in: scratch, settings(store)) { hosted async throws in
                try await addUnwritable("one", to: store, in: hosted)
                store.fails = true
                await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                store.fails = false
            }
            #expect(store.saved == ["one"])
        }
    }

    @Test func `L6: a stop that model data prevented is completed at the interval`() async throws {
        try await withScratchDirectory { scratch async throws in
            let store = NotesModel.Store(DirectoryWatch())
            try await withNotes(in: scratch, settings(store)) { try await $0.write("old") }
            try scratch.removeHistory()
            let notes = Notes()
            notes.behavior.addsToModel = true
            store.fails = true
            try await withNotes(notes, in: scratch, settings(store, version: "2")) {
                hosted async throws in
                await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                #expect(hosted.log.count(.generationMade) == 0)
                store.fails = false
                await hosted.passInterval()
                #expect(await hosted.application.status().saved == .durable)
                #expect(hosted.log.count(.saveResumed) == 1)
                #expect(hosted.log.count(.generationMade) == 1)
                #expect(store.saved.contains("added"))
                let generations = try scratch.generations()
                #expect(generations.map { $0.contains("old".utf8) } == [true])
            }
        }
    }
}
