import FoundationEssentials
import Glibc
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Scenes and errors after state changes that succeed or fail.
@Suite(.timeLimit(.minutes(5))) struct StateChangeOutcomesTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    private func save(
        _ text: String = "first", opening scenes: [String] = [], in scratch: ScratchDirectory
    ) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            for scene in scenes { try await hosted.application.open(scene: scene) }
            for scene in Self.scenes.map(\.text) + scenes {
                try await hosted.write(text, in: scene)
            }
        }
    }

    // MARK: Errors

    @Test func `the sentence of a failure names a scene only if the scene could not be launched`() {
        let notLaunched = StateChangeFailure(
            cause: .notLaunched, reason: "it trips", sceneName: "main")
        #expect(notLaunched.sentence == "the scene main could not be launched: it trips")
        for (cause, scene) in [(.notSaved, "main"), (.notLaunched, nil)]
            as [(ReplacementObstacle, RestorationIdentifier?)]
        {
            let failure = StateChangeFailure(cause: cause, reason: "it trips", sceneName: scene)
            #expect(failure.sentence == "it trips", "\(cause)")
        }
    }

    @Test func `only an obstacle that may be temporary is retried`() {
        for obstacle: ReplacementObstacle in [.notSaved, .unreadable] {
            #expect(obstacle.isRetryable, "\(obstacle)")
        }
        for obstacle: ReplacementObstacle in [.unknown, .damaged, .foreign, .notLaunched] {
            #expect(!obstacle.isRetryable, "\(obstacle)")
        }
    }

    @Test func `a failed reload names the scene that could not be launched`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                notes.behavior.failingScenes = ["other"]
                await #expect(
                    throws: ApplicationError.notReloaded(
                        application: Notes.bundleIdentifier,
                        reason: "the scene other could not be launched: no notes today")
                ) {
                    try await hosted.application.reload(
                        notes.definition(scenes: Self.scenes, resources: 7))
                }
            }
        }
    }

    @Test(arguments: [("org.example.Others", "1"), (Notes.bundleIdentifier, "2")])
    func `a definition of another application or version cannot be reloaded`(
        bundleIdentifier: String, version: String
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                let failure = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.reload(
                        notes.definition(bundleIdentifier, version: version, resources: 7))
                }
                guard case .notReloaded(Notes.bundleIdentifier, _) = failure else {
                    Issue.record("\(failure as Any)")
                    return
                }
            }
        }
    }

    // MARK: Scenes

    @Test func `L8: a closed scene that a rollback could not launch counts as failed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("second", in: "other")
                try await hosted.application.close(scene: "other")
                notes.behavior.failingScenes = ["other"]
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "1", scene: "other")
                }
                let phases = await hosted.application.scenes().map(\.phase)
                #expect(phases == [.running, .failed(reason: "no notes today")])
            }
        }
    }

    @Test func `a scene without state that a reset could not launch is not listed as failed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.unsavedScenes = ["other"]
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("kept", in: "main")
                try await hosted.application.close(scene: "other")
                notes.behavior.failingScenes = ["other"]
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.reset()
                }
                #expect(await hosted.application.scenes().map(\.name) == ["main"])
                #expect(try await hosted.text(in: "main") == "kept")
            }
        }
    }

    @Test func `L8: a scene that exists only in the state of a failed rollback is not listed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(opening: ["third"], in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.reset()
                notes.behavior.failingScenes = ["third"]
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "1")
                }
                #expect(await hosted.application.scenes().map(\.name) == Self.scenes)
                #expect(await hosted.application.status().failedSceneCount == 0)
            }
        }
    }

    @Test func `L8: a rollback launches a failed scene that is not configured`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(opening: ["third"], in: scratch)
            let notes = Notes()
            notes.behavior.failingScenes = ["third"]
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                #expect(await hosted.application.status().failedSceneCount == 1)
                notes.behavior.failingScenes = []
                try await hosted.write("second", in: "main")
                let result = try await hosted.application.rollBack(to: "1")
                #expect(result.scenes == ["main", "other", "third"])
                #expect(try await hosted.text(in: "third") == "first")
            }
        }
    }

    // MARK: Files

    @Test func `without a cluster, a document is put back durably even if replies need a replica`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let name = "000001-count"
            let quarantine = "\(scratch.applicationDirectory)/quarantine"
            var settings = HostedSettings(durability: .replicated)
            settings.makeModel = { try DocumentModel($0) }
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("kept")
                try FileManager.default.createDirectory(
                    atPath: quarantine, withIntermediateDirectories: true)
                try ScratchDirectory.write([7], to: "\(quarantine)/\(name)")
                let result = try await hosted.application.putBack(name)
                #expect(result.document == "count")
                #expect(result.saved == .durable)
                #expect(try await hosted.application.read { $0.documentModel?.count } == 7)
            }
        }
    }

    @Test func `the quarantine of unusable archives is pruned to its limit at once`() async throws {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.quarantine.count = 1
            try await withNotes(in: scratch, settings) { hosted async throws in
                let application = hosted.application
                try await hosted.write("live")
                for number in 1...2 {
                    try scratch.renameOverArchive(Array("garbage \(number)".utf8))
                    await application.checkArchive()
                    await hosted.passDebounce()
                    let name = "00000\(number)-data.archive"
                    try await waitUntil("the file is in quarantine") {
                        try await application.quarantined().contains { $0.name == name }
                    }
                    // The file was quarantined in a single step with the pruning.
                    _ = await application.status()
                    #expect(try await application.quarantined().map(\.name) == [name])
                }
            }
        }
    }
}
