import SavedState
import StateRestoration
import Testing

@testable import Preservation

/// Launch records of scenes whose state is replaced, or whose replacement fails.
@Suite struct ReplacementLaunchRecordTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    /// Runs an application with the generation 000001 in which both scenes have changed since.
    private func withChangedScenes(
        _ notes: Notes = Notes(), in scratch: ScratchDirectory,
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        for text in ["first", "second"] {
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                for scene in ["main", "other"] { try await hosted.write(text, in: scene) }
                if text == "second" { try await body(hosted) }
            }
        }
    }

    @Test
    func `a reset keeps the last good identity and records the generation with the replaced state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withChangedScenes(in: scratch) { hosted async throws in
                let good = try #require(await hosted.application.known("main").goodIdentity)
                try await hosted.application.rollBack(to: "1")
                let before = await hosted.application.known("other").replaced
                #expect(before?.hasSuffix("/000002.archive") == true)
                try await hosted.write("third", in: "main")
                try await hosted.application.reset(scene: "main")
                let mark = await hosted.application.known("main").replaced
                #expect(mark?.hasSuffix("/000003.archive") == true)
                #expect(await hosted.application.known("other").replaced == before)
                try await hosted.application.reset()
                #expect(await hosted.application.known("main").goodIdentity == good)
                #expect(await hosted.application.known("other").goodIdentity == good)
                // After an orderly stop, the state before the reset is not restored.
                try await hosted.application.quitUntilLaunch()
                for scene in ["main", "other"] {
                    #expect(await hosted.application.known(scene).replaced == nil)
                    #expect(await hosted.application.known(scene).launchedAt == nil)
                }
            }
        }
    }

    @Test func `L8: a reset leaves no launch records of scenes that it removes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withChangedScenes(in: scratch) { hosted async throws in
                for scene in ["open", "closed"] {
                    try await hosted.application.open(scene: scene)
                    try await hosted.write("third", in: scene)
                }
                try await hosted.application.close(scene: "closed")
                #expect(await hosted.application.known("open").launchedAt != nil)
                #expect(try await hosted.application.reset().scenes == ["main", "other"])
                for scene in ["open", "closed"] {
                    let known = await hosted.application.known(scene)
                    #expect(known.replaced == nil, "\(scene)")
                    #expect(known.launchedAt == nil, "\(scene)")
                }
            }
        }
    }

    @Test func `L8: a failed second rollback keeps the launch record of the first rollback`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withChangedScenes(notes, in: scratch) { hosted async throws in
                try await hosted.application.rollBack(to: "1")
                #expect(await hosted.application.known("main").isChanged == nil)
                try await hosted.write("third", in: "main")
                let before = await hosted.application.known("main")
                #expect(before.replaced != nil)
                #expect(before.isChanged == true)
                notes.behavior.failsDidFinishLaunching = true
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "2")
                }
                #expect(await hosted.application.known("main") == before)
                notes.behavior.failsDidFinishLaunching = false
                scratch.watch.failWriting("data.archive", with: 28)
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "2")
                }
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(await hosted.application.known("main") == before)
            }
        }
    }

    @Test(arguments: [false, true])
    func `L8: a failed rollback restores the launch records of scenes that it does not launch`(
        isOfDisk: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withChangedScenes(notes, in: scratch) { _ in }
            try await withNotes(notes, in: scratch, scenes: ["main"]) { hosted async throws in
                // The scene is closed in both states, and its text differs.
                for text in ["third", "fourth"] {
                    try await hosted.write(text, in: "other")
                    try await hosted.application.close(scene: "other")
                    if text == "third" { try await hosted.application.reset(scene: "main") }
                }
                let generation = try #require(try await hosted.application.history().last)
                let before = await hosted.application.known("other")
                if isOfDisk {
                    scratch.watch.failWriting("data.archive", with: 28)
                } else {
                    notes.behavior.failingScenes = ["main"]
                }
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: generation.name)
                }
                notes.behavior.failingScenes = []
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(await hosted.application.known("other") == before)
                // R2: the scene is launched as after any orderly stop.
                #expect(try await hosted.text(in: "other") == "fourth")
                #expect(try await hosted.application.report(scene: "other").reason == .restore)
            }
        }
    }

    @Test(arguments: ["rollback", "reset to saved", "reload"])
    func `L3: a failed replacement leaves the launch records of running scenes unchanged`(
        way: String
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withChangedScenes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                let before = [await application.known("main"), await application.known("other")]
                #expect(before.allSatisfy { $0.launchedAt != nil && $0.identity != nil })
                notes.behavior.failingScenes = ["other"]
                await #expect(throws: ApplicationError.self) {
                    switch way {
                    case "rollback": try await application.rollBack(to: "1")
                    case "reload":
                        try await application.reload(
                            notes.definition(scenes: Self.scenes, resources: 7))
                    default: try await application.resetToSaved()
                    }
                }
                #expect(
                    [await application.known("main"), await application.known("other")] == before)
            }
        }
    }

    @Test func `a scene that could not be launched stays failed if its reset fails`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withChangedScenes(notes, in: scratch) { _ in }
            notes.behavior.failingScenes = ["other"]
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                func phase() async -> SceneStatus.Phase? {
                    await hosted.application.scenes().last?.phase
                }
                let failed = await phase()
                #expect(failed == .failed(reason: "no notes today"))
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.reset(scene: "other")
                }
                #expect(await phase() == failed)
                notes.behavior.failingScenes = []
                #expect(try await hosted.application.reset(scene: "other").scenes == ["other"])
                #expect(try await hosted.text(in: "other") == "")
            }
        }
    }
}

extension Application {
    /// Returns the launch record of a scene.
    func known(_ scene: String) -> SceneLaunches {
        launchSequence.sceneLaunchGuard.launchRecord(of: RestorationIdentifier(recorded: scene))
            ?? SceneLaunches()
    }
}
