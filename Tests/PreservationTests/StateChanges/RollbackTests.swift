import FoundationEssentials
import Glibc
import SavedState
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Rollbacks, resets, and launches from the saved state.
@Suite(.timeLimit(.minutes(10))) struct RollbackTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    private func reasons(_ hosted: HostedNotes) async -> [String?] {
        await hosted.application.scenes().map { $0.report?.reason.rawValue }
    }

    /// Saves text. The orderly stop adds the generation 000001.
    private func save(_ text: String = "first", in scratch: ScratchDirectory) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            for scene in ["main", "other"] { try await hosted.write(text, in: scene) }
        }
    }

    @Test(arguments: [nil, "main"])
    func `L8: a rollback restores one scene or all scenes live and keeps the previous state`(
        scene: String?
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                for name in ["main", "other"] { try await hosted.write("second", in: name) }
                let replaced = try await hosted.application.rollBack(to: "1", scene: scene)
                #expect(replaced.scenes == (scene.map { [$0] } ?? ["main", "other"]))
                #expect(replaced.saved == .durable)
                #expect(try await hosted.text(in: "main") == "first")
                #expect(
                    try await hosted.text(in: "other") == (scene == nil ? "first" : "second"))
                #expect(
                    await reasons(hosted)
                        == ["replace", scene == nil ? "replace" : "restore"])
                let kept = try ScratchDirectory.bytes(of: try #require(replaced.generation))
                #expect(kept.contains("second".utf8))
                #expect(notes.record.terminated == replaced.scenes)
                #expect(hosted.log.count(.launched) == 2 + replaced.scenes.count)
                // A second rollback restores the previous state.
                try await hosted.application.rollBack(to: "000002")
                #expect(try await hosted.text(in: "main") == "second")
                #expect(try await hosted.write("goes on", in: "main") == .written)
            }
            let text = try await withNotes(in: scratch) { try await $0.text(in: "main") }
            #expect(text == "goes on")
        }
    }

    @Test func `a rollback of one scene durably records that the scene is in use`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                for scene in ["main", "other"] { try await hosted.write("first", in: scene) }
                try await hosted.application.close(scene: "other")
            }
            let directory = try scratch.watched(by: scratch.watch)
            let settings = HostedSettings(scenes: Self.scenes, stateDirectory: directory)
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.application.open(scene: "other")
                try await hosted.write("second", in: "other")
                let (replaced, inUse) = try await hosted.application.rollBackAndLook(
                    to: "1", scene: "other", in: directory)
                #expect(replaced.saved == .durable)
                #expect(inUse == ["main", "other"])
            }
        }
    }

    @Test func `L8: a failed rollback changes nothing and reports the cause`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("live", in: "main")
                let before = try scratch.allGenerations().count
                func cause(_ generation: String, _ scene: String? = nil) async -> String? {
                    do {
                        try await hosted.application.rollBack(to: generation, scene: scene)
                        return nil
                    } catch ApplicationError.notRolledBack(_, _, let cause, _) {
                        return cause.rawValue
                    } catch {
                        return "\(error)"
                    }
                }
                #expect(await cause("7")?.contains("no generation") == true)
                #expect(await cause("../data")?.contains("no generation") == true)
                #expect(await cause("1", "third")?.contains("no scene") == true)
                #expect(try scratch.allGenerations().count == before)
                notes.behavior.failsDidFinishLaunching = true
                #expect(await cause("1") == "not-launched")
                notes.behavior.failsDidFinishLaunching = false
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                #expect(await cause("1") == "not-saved")
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(try await hosted.text(in: "main") == "live")
                #expect(try await hosted.text(in: "other") == "first")
                #expect(try await hosted.write("goes on", in: "main") == .written)
            }
            let text = try await withNotes(in: scratch) { try await $0.text(in: "main") }
            #expect(text == "goes on")
        }
    }

    @Test
    func `L8: a rollback is refused until an archive changed by another program has been restored`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let other = try #require(scratch.archiveBytes())
            let text = try await withNotes(in: scratch, scenes: Self.scenes) {
                hosted async throws in
                try await hosted.write("live", in: "main")
                try scratch.renameOverArchive(other)
                let error = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "1")
                }
                #expect(error?.description.contains("another program changed") == true)
                #expect(scratch.archiveBytes() == other)
                await hosted.application.checkArchive()
                #expect(await reasons(hosted) == ["replace", "replace"])
                return try await hosted.text(in: "main")
            }
            #expect(text == "first")
        }
    }

    @Test func `L8: commands during an exchange of scenes wait and run in the new scenes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("second")
                notes.behavior.extendingScenes = ["main"]
                async let replaced = hosted.application.rollBack(to: "1")
                await hosted.log.wait(for: 1, .restorationExtended)
                let tasks = await hosted.application.queue(100, on: ["main", "other"]) { _, scene in
                    "\(scene.launchReason.rawValue) \(scene.note.text)"
                }
                // Runs a turn in which the commands could have run on the old scenes.
                await hosted.passInterval()
                _ = await hosted.application.status()
                await hosted.application.completeRestoration()
                #expect(try await replaced.scenes == ["main", "other"])
                for task in tasks { #expect(try await task.value.result == "replace first") }
            }
        }
    }

    @Test
    func
        `L8: a rollback closes a scene that was closed in the generation and launches a failed one`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes + ["third"]) {
                hosted async throws in
                for scene in ["main", "other"] { try await hosted.write("first", in: scene) }
                try await hosted.application.close(scene: "other")
            }
            let notes = Notes()
            notes.behavior.failingScenes = ["main"]
            try await withNotes(notes, in: scratch, scenes: Self.scenes + ["third"]) {
                hosted async throws in
                try await hosted.application.open(scene: "other")
                try await hosted.write("second", in: "other")
                notes.behavior.failingScenes = []
                #expect(try await hosted.application.rollBack(to: "1").scenes == ["main", "third"])
                #expect(try await hosted.text(in: "main") == "first")
                let other = await hosted.application.scenes().first { $0.name == "other" }
                #expect(other?.phase == .saved)
                #expect(try await hosted.text(in: "other") == "first")
                #expect(await reasons(hosted) == ["replace", "replace", "replace"])
            }
        }
    }

    @Test func `a rollback of a stopped application takes effect at the next launch`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("second", in: "main")
                try await hosted.application.quitUntilLaunch()
                #expect(
                    try await hosted.application.rollBack(to: "1").scenes == ["main", "other"])
                try await hosted.application.launch()
                #expect(try await hosted.text(in: "main") == "first")
            }
        }
    }

    // MARK: Reset

    @Test(arguments: [nil, "main"])
    func `a reset launches one scene or all scenes without state and keeps the previous state`(
        scene: String?
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.open(scene: "third")
                let replaced = try await hosted.application.reset(scene: scene)
                #expect(try await hosted.text(in: "main") == "")
                #expect(try await hosted.text(in: "other") == (scene == nil ? "" : "first"))
                let scenes = await hosted.application.scenes().map(\.name.text)
                #expect(scenes == ["main", "other"] + (scene == nil ? [] : ["third"]))
                #expect(await reasons(hosted)[0] == "pristine")
                let kept = try ScratchDirectory.bytes(of: try #require(replaced.generation))
                #expect(kept.contains("first".utf8))
            }
            let text = try await withNotes(in: scratch) { try await $0.text(in: "main") }
            #expect(text == "")
        }
    }

    @Test func `a reset launches the configured scenes, even those that were closed`() async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.application.open(scene: "c")
                try await hosted.application.close(scene: "main")
                #expect(try await hosted.application.reset().scenes == ["main"])
                let scenes = await hosted.application.scenes()
                #expect(scenes.map(\.name) == ["main"])
                #expect(scenes.map(\.phase) == [.running])
            }
        }
    }

    @Test func `a reset to the saved state launches the scenes again`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("saved", in: "main")
                // Changes that were not invalidated are not saved, as with any restart.
                _ = try await hosted.application.perform {
                    $0.note.changeWithoutInvalidating("forgotten")
                }
                try await hosted.application.resetToSaved(scene: "other")
                #expect(notes.record.launches == [.pristine, .pristine, .restore])
                try await hosted.application.resetToSaved()
                #expect(await reasons(hosted) == ["restore", "restore"])
                #expect(try scratch.generations().isEmpty)
                notes.behavior.failsWillFinishLaunching = true
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.resetToSaved()
                }
                #expect(try await hosted.write("goes on", in: "main") == .written)
            }
        }
    }

    // MARK: Reload

    @Test
    func `R2: changed storyboards reload every scene with its state, unchanged storyboards none`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("kept", in: "main")
                let same = notes.definition(scenes: Self.scenes)
                try await hosted.application.reload(same)
                #expect(notes.record.launches.count == 2)
                #expect(try scratch.generations().isEmpty)
                try await hosted.application.reload(
                    notes.definition(scenes: Self.scenes + ["third"], resources: 7))
                #expect(try await hosted.text(in: "main") == "kept")
                #expect(await reasons(hosted) == ["reload", "reload", "pristine"])
                #expect(notes.record.terminated == ["main", "other"])
                let kept = try scratch.allGenerations()
                #expect(kept.map(\.reason) == ["the storyboards changed"])
                #expect(kept[0].bytes.contains("kept".utf8))
                notes.behavior.failingScenes = ["other"]
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.reload(
                        notes.definition(scenes: Self.scenes, resources: 8))
                }
                notes.behavior.failingScenes = []
                #expect(try await hosted.write("goes on", in: "main") == .written)
                #expect(await reasons(hosted) == ["reload", "reload", "pristine"])
            }
            let text = try await withNotes(in: scratch) { try await $0.text(in: "main") }
            #expect(text == "goes on")
        }
    }

    @Test func `S3: a reload launches every failed scene and every new scene`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            let scenes: [RestorationIdentifier] = ["main", "failed", "other", "new", "newer"]
            notes.behavior.failingScenes = ["failed", "other"]
            try await withNotes(notes, in: scratch, scenes: Array(scenes[..<3])) {
                hosted async throws in
                #expect(await hosted.application.status().failedSceneCount == 2)
                notes.behavior.failingScenes = []
                try await hosted.application.reload(
                    notes.definition(scenes: scenes, resources: 7))
                let found = await hosted.application.scenes()
                #expect(found.map(\.name) == scenes)
                #expect(found.allSatisfy { $0.phase == .running })
            }
        }
    }

    @Test func `R16: reloads do not count toward the ten launches of an unclaimed record`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var behavior = Notes.Behavior()
            behavior.registersExtra = true
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { try await $0.write("kept") }
            notes.behavior.registersExtra = false
            try await withNotes(notes, in: scratch) { hosted async throws in
                for resources in 1...12 {
                    try await hosted.application.reload(
                        notes.definition(resources: UInt64(resources)))
                    let report = try await hosted.application.report()
                    #expect(report.unclaimed == 1)
                    #expect(report.expiring + report.expired == [])
                    try await hosted.write("\(resources)")
                }
                try await hosted.application.close(scene: "main")
                try await hosted.application.open(scene: "main")
            }
            for launch in 2...10 {
                try await withNotes(notes, in: scratch) { hosted async throws in
                    let report = try await hosted.application.report()
                    #expect(report.expiring.isEmpty == (launch < 10))
                    #expect(hosted.log.count(.recordsExpiring) == (launch < 10 ? 0 : 1))
                }
            }
            try await withNotes(notes, in: scratch) { hosted async throws in
                #expect(try await hosted.application.report().expired.count == 1)
                #expect(hosted.log.count(.recordsExpiring) == 0)
                #expect(hosted.log.count(.recordsExpired) == 1)
                // After a rollback, the records are again offered to ten launches.
                let newest = try #require(try await hosted.application.history().last)
                try await hosted.application.rollBack(to: newest.name)
                let report = try await hosted.application.report()
                #expect(report.unclaimed == 1)
                #expect(report.expiring == [])
            }
        }
    }

    @Test func `R2: scenes whose delegates do not restore are reloaded without state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var behavior = Notes.Behavior()
            behavior.restoresState = false
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("live", in: "main")
                try await hosted.application.reload(
                    notes.definition(scenes: Self.scenes, resources: 7))
                #expect(await reasons(hosted) == ["reload", "reload"])
                #expect(try await hosted.text(in: "main") == "")
                try await hosted.write("again", in: "main")
                try await hosted.application.resetToSaved()
                #expect(await reasons(hosted) == ["restore", "restore"])
                #expect(try await hosted.text(in: "main") == "")
            }
        }
    }

    @Test func `a stopped application refuses to reset an unknown scene`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: ["main", "new"]) { hosted async throws in
                try await hosted.application.quitUntilLaunch()
                await #expect(
                    throws: ApplicationError.noSuchScene(
                        application: Notes.bundleIdentifier, scene: "none",
                        scenes: ["main", "other", "new"])
                ) { try await hosted.application.reset(scene: "none") }
                #expect(try await hosted.application.reset(scene: "other").scenes == [])
                #expect(await hosted.application.scenes().map(\.name) == ["main", "new"])
            }
        }
    }

    @Test func `a rollback restores all large values of an object`() async throws {
        try await withScratchDirectory { scratch async throws in
            let application = try Application(
                bundleIdentifier: Notes.bundleIdentifier, bundleVersion: "1",
                stateDirectory: scratch.watched(by: scratch.watch), logger: .quiet,
                register: { try $0.add(Volume(), as: Volume.key) })
            let services = ServiceGroup(services: [application], logger: .quiet)
            async let running: Void = services.run()
            try await application.waitUntilReady()
            for letter in ["a", "b"] {
                try await application.perform(with: Volume.key) { $0.fill(letter) }
                if letter == "a" {
                    try await application.quitUntilLaunch()
                    try await application.launch()
                }
            }
            try await application.rollBack(to: "1")
            let letters = try await application.perform(with: Volume.key) { volume in
                [volume.first, volume.second, volume.third].map { "\($0.prefix(1)) \($0.count)" }
            }.result
            #expect(letters == ["a 50000", "a 60000", "a 1"])
            await services.triggerGracefulShutdown()
            try await running
        }
    }

    @Test func `L6: a definition for another version is refused while the application runs`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.reload(
                        notes.definition(version: "2", resources: 7))
                }
                #expect(notes.record.launches == [.pristine])
            }
        }
    }
}

/// Object with two out-of-line values and one inline value.
private final class Volume: StateRestoring {
    static var key: ObjectKey<Volume> { "volume" }

    let restoration = RestorationNode()
    @Restorable("first") var first = ""
    @Restorable("second") var second = ""
    @Restorable("third") var third = ""

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$first)
        visitor.visit(&$second)
        visitor.visit(&$third)
    }

    func fill(_ letter: String) {
        first = String(repeating: letter, count: 50_000)
        second = String(repeating: letter, count: 60_000)
        third = letter
    }
}

extension Application {
    /// Rolls back, and returns the scenes that are in use in the file when the method returns.
    fileprivate func rollBackAndLook(
        to generation: String, scene: String, in directory: ApplicationStateDirectory
    ) async throws -> (StateChangeResult, inUse: [String]) {
        let replaced = try await rollBack(to: generation, scene: scene)
        // The application has not run since the rollback.
        let onDisk = try directory.archive(of: bundleIdentifier)
        _ = try onDisk.load()
        let names = NameTable(onDisk.names)
        let inUse = onDisk.scenes.filter { $0.reservedState(names: names).isInUse }
        return (replaced, inUse.map(\.sceneName.text).sorted())
    }
}
