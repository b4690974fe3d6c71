import FoundationEssentials
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct ApplicationModelTests {
    /// Hosts notes with a model in a watched directory.
    private func withModel(
        _ notes: Notes = Notes(), in scratch: ScratchDirectory,
        scenes: [RestorationIdentifier] = ["main"], _ store: NotesModel.Store,
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        var settings = HostedSettings()
        settings.scenes = scenes
        settings.makeModel = { _ in store.make() }
        settings.stateDirectory = try scratch.watched(by: store.watch)
        try await withNotes(notes, in: scratch, settings, body)
    }

    /// Adds an item and writes a note about it, as a user would.
    private func add(_ item: String, _ hosted: HostedNotes) async throws -> DurabilityLevel {
        try await hosted.application.performEvenIfUnsaved { scene in
            scene.model?.add(item)
            scene.note.text = "about \(item)"
        }.saved
    }

    @Test func `S1: all scenes share one model, which is created once per launch`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            let store = NotesModel.Store(DirectoryWatch())
            try await withModel(notes, in: scratch, scenes: ["main", "other"], store) {
                hosted async throws in
                try await hosted.application.open(scene: "third")
                let models = notes.record.models
                #expect(models.count == 3)
                #expect(Set(models).count == 1)
                #expect(models[0] != nil)
                #expect(store.made == 1)
                try await hosted.application.quitUntilLaunch()
                try await hosted.application.launch()
                #expect(store.made == 2)
            }
        }
    }

    @Test func `P21: a command's persistence check knows whether the command changed the model`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let store = NotesModel.Store(DirectoryWatch())
            try await withModel(in: scratch, store) { hosted async throws in
                func saved(adding item: String?) async throws -> DurabilityLevel {
                    try await hosted.application.change { scene in
                        if let item { scene.model?.add(item) }
                        return ((), { $0.isModelChanged ? nil : "nothing holds it" })
                    }.saved
                }
                #expect(try await saved(adding: "one") != .notSaved(reason: "nothing holds it"))
                #expect(try await saved(adding: nil) == .notSaved(reason: "nothing holds it"))
            }
        }
    }

    @Test func `P19: a turn writes changed model data before state`() async throws {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            let store = NotesModel.Store(watch)
            try await withModel(in: scratch, store) { hosted async throws in
                watch.clear()
                #expect(try await add("one", hosted) == .written)
                #expect(try await add("two", hosted) == .written)
                #expect(watch.events == ["model", "data.archive", "model", "data.archive"])
                #expect(store.saved == ["one", "two"])
            }
        }
    }

    @Test
    func `P19: model changes made while a scene encodes are written before the scene's state`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            let notes = Notes()
            try await withModel(notes, in: scratch, NotesModel.Store(watch)) {
                hosted async throws in
                notes.behavior.addsToModel = true
                watch.clear()
                _ = try await hosted.application.perform { scene in
                    scene.invalidateApplicationState()
                    scene.note.text = "x"
                }
                #expect(watch.events == ["model", "data.archive"])
            }
        }
    }

    @Test
    func
        `P19: state is not written while the model cannot be written, and both writes are retried`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            let store = NotesModel.Store(watch)
            try await withModel(in: scratch, store) { hosted async throws in
                let bytes = scratch.archiveBytes()
                store.fails = true
                watch.clear()
                guard case .notSaved(let reason) = try await add("one", hosted) else {
                    Issue.record("the state was saved without its model")
                    return
                }
                #expect(reason.contains("the disk of the notes is full"))
                #expect(await hosted.application.status().lastError == reason)
                guard case .notSaved = try await hosted.application.preserve() else {
                    Issue.record("the state was saved without its model")
                    return
                }
                await hosted.passInterval()
                #expect(await hosted.application.status().saved == .notSaved(reason: reason))
                #expect(watch.events == [])
                #expect(scratch.archiveBytes() == bytes)
                #expect(try await hosted.text() == "about one")

                store.fails = false
                await hosted.passInterval()
                #expect(await hosted.statusWhenSavingResumes().saved != .notSaved(reason: reason))
                #expect(watch.events == ["model", "data.archive"])
                #expect(try #require(scratch.archiveBytes()).contains("about one".utf8))
                #expect(hosted.log.count("could not save") == 1)
            }
        }
    }

    @Test func `P19: a model failure during an archive failure is not logged as a second failure`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let store = NotesModel.Store(DirectoryWatch())
            try await withModel(in: scratch, store) { hosted async throws in
                store.watch.failWriting("data.archive", with: 28)
                try await hosted.write("unsaved")
                store.fails = true
                guard case .notSaved(let reason) = try await add("one", hosted) else {
                    Issue.record("the state was saved without its model")
                    return
                }
                #expect(reason.contains("the disk of the notes is full"))
                store.fails = false
                store.watch.failWriting("data.archive", with: nil)
                #expect(try await hosted.write("saved") == .written)
                #expect(hosted.log.count("could not save") == 1)
                #expect(hosted.log.count("saving works again") == 1)
            }
        }
    }

    @Test
    func `P19: a stop that cannot write the model leaves the archive unchanged and loses nothing`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            let store = NotesModel.Store(watch)
            try await withModel(in: scratch, store) { hosted async throws in
                let bytes = scratch.archiveBytes()
                store.fails = true
                _ = try await add("one", hosted)
                await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                #expect(scratch.archiveBytes() == bytes)
                try await hosted.application.launch()
                #expect(store.made == 1)
                #expect(try await hosted.text() == "about one")
                store.fails = false
                try await hosted.write("later")
                #expect(store.saved == ["one"])
            }
        }
    }

    @Test func `L1: a model's documents survive a forced quit and a relaunch`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let directory = "\(scratch.stateDirectory)/Documents/\(Notes.bundleIdentifier)"
            var settings = HostedSettings()
            settings.makeModel = { try DocumentModel($0) }
            try await withNotes(in: scratch, settings) { hosted async throws in
                #expect(!FileManager.default.fileExists(atPath: directory))
                _ = try await hosted.application.perform { $0.documentModel?.count = 7 }
                try await hosted.application.quitUntilLaunch()
                try await hosted.application.launch()
                try await hosted.application.forceQuit()
                try await hosted.application.launch()
                let count = try await hosted.application.read { $0.documentModel?.count }
                #expect(count == 7)
                #expect(try await hosted.application.report().reason == .pristine)
            }
            #expect(try ScratchDirectory.bytes(of: "\(directory)/count") == [7])
        }
    }

    @Test func `a quarantined document is put back, and the replaced document is quarantined`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var settings = HostedSettings()
            settings.makeModel = { try DocumentModel($0) }
            try await withNotes(in: scratch, settings) { hosted async throws in
                func count() async throws -> UInt8? {
                    try await hosted.application.read { $0.documentModel?.count }
                }
                let quarantine = "\(scratch.applicationDirectory)/quarantine"
                try FileManager.default.createDirectory(
                    atPath: quarantine, withIntermediateDirectories: true)
                try ScratchDirectory.write([7], to: "\(quarantine)/000001-count")
                _ = try await hosted.application.perform { $0.documentModel?.count = 8 }
                try await hosted.write("kept")
                let replaced = try await hosted.application.putBack("000001-count")
                #expect(
                    replaced == StateChangeResult(scenes: [], document: "count", saved: .durable))
                #expect(try await count() == 7)
                #expect(try await hosted.text() == "kept")
                // The replaced document can be put back, even while the application is stopped.
                try await hosted.application.quitUntilLaunch()
                _ = try await hosted.application.putBack("000002-count")
                #expect(await hosted.application.status().phase == .stopped)
                try await hosted.application.launch()
                #expect(try await count() == 8)
                let names = try await hosted.application.quarantined().map(\.name)
                #expect(names == ["000001-count", "000002-count", "000003-count"])
                // Equal contents are not quarantined again.
                _ = try await hosted.application.putBack("000002-count")
                #expect(try await hosted.application.quarantined().count == 3)
            }
        }
    }

    @Test func `an unusable document prevents the launch and is left unchanged`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let directory = "\(scratch.stateDirectory)/Documents/\(Notes.bundleIdentifier)"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            try ScratchDirectory.write([1, 2, 3], to: "\(directory)/count")
            var settings = HostedSettings()
            settings.makeModel = { try DocumentModel($0) }
            try await withNotes(in: scratch, settings) { hosted async throws in
                guard case .failed(let reason) = await hosted.application.status().phase else {
                    Issue.record("it was launched")
                    return
                }
                #expect(reason.contains("\(directory)/count"))
                #expect(try ScratchDirectory.bytes(of: "\(directory)/count") == [1, 2, 3])
                // After the document is repaired, the next launch creates the model again.
                try ScratchDirectory.write([5], to: "\(directory)/count")
                try await hosted.application.launch()
                let count = try await hosted.application.read { $0.documentModel?.count }
                #expect(count == 5)
            }
        }
    }

    @Test func `a model that cannot be created prevents the launch`() async throws {
        try await withScratchDirectory { scratch in
            var settings = HostedSettings()
            settings.makeModel = { _ in throw NotesModel.Unwritable() }
            try await withNotes(in: scratch, settings) { hosted async throws in
                #expect(
                    await hosted.application.status().phase
                        == .failed(reason: "the disk of the notes is full"))
            }
            #expect(scratch.archiveBytes() == nil)
        }
    }
}
