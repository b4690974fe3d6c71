import Glibc
import SavedState
import StateRestoration
import Testing

@testable import Preservation

/// Crashes after a scene's state was replaced, or without any replacement.
@Suite struct CrashAfterReplacementTests {
    static let scenes: [RestorationIdentifier] = ["main", "other"]
    static let names = ["main", "other", "third"]

    /// Saves text in three scenes, and stops in an orderly way.
    private func save(_ text: String = "first", in scratch: ScratchDirectory) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            if await hosted.application.scenes().count < 3 {
                try await hosted.application.open(scene: "third")
            }
            for scene in Self.names { try await hosted.write(text, in: scene) }
        }
    }

    /// Launches the application, and returns the text of each running scene and the last error.
    private func find(
        in scratch: ScratchDirectory
    ) async throws -> (texts: [String: String], lastError: String?) {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            let status = await hosted.application.status()
            var texts: [String: String] = [:]
            for scene in status.scenes where scene.phase == .running {
                texts[scene.name.text] = try await hosted.text(in: scene.name.text)
                // The scene has its own state again. A later crash does not replace it.
                #expect(await hosted.application.known(scene.name.text).replaced == nil)
            }
            return (texts, status.lastError)
        }
    }

    private func quarantine(_ scratch: ScratchDirectory) throws -> [String] {
        let directory = "\(scratch.applicationDirectory)/quarantine"
        guard access(directory, F_OK) == 0 else { return [] }
        return try ScratchDirectory.names(in: directory).filter { $0.hasSuffix(".archive") }
    }

    private static let live = ["main": "live", "other": "live", "third": "live"]

    @Test(arguments: [nil, "main", "third"], [false, true])
    func `L8: a crash after a reset restores the previous state, even that of a stopped scene`(
        scene: String?, isStopped: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) {
                [
                    path = scratch.path as String, scene = scene as String?,
                    isStopped = isStopped as Bool
                ] in
                let notes = Notes()
                try await withNotes(notes, in: ScratchDirectory(path: path), scenes: Self.scenes) {
                    hosted async throws in
                    for scene in Self.names { try await hosted.write("live", in: scene) }
                    if isStopped { await hosted.application.noteStopped(scene ?? "main") }
                    notes.behavior.crashPoints[scene ?? "main"] = .launching
                    try await hosted.application.reset(scene: scene)
                }
            }
            let found = try await find(in: scratch)
            #expect(found.texts == Self.live)
            #expect(found.lastError?.contains("was restored to its state from before") == true)
            #expect(found.lastError?.contains("together with") == (scene == nil))
            #expect(try quarantine(scratch).isEmpty)
            #expect(try await find(in: scratch).texts == Self.live)
        }
    }

    @Test func `L8: a crash after a rollback of a stopped application restores the previous state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                let notes = Notes()
                try await withNotes(notes, in: ScratchDirectory(path: path), scenes: Self.scenes) {
                    hosted async throws in
                    for scene in Self.names { try await hosted.write("live", in: scene) }
                    try await hosted.application.quitUntilLaunch()
                    try await hosted.application.rollBack(to: "1")
                    notes.behavior.crashPoints["other"] = .launching
                    try await hosted.application.launch()
                }
            }
            #expect(try await find(in: scratch).texts == Self.live)
            #expect(try quarantine(scratch).count == 1)
        }
    }

    @Test func `L8: the previous state can be restored from a generation that already existed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await save("live", in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                let notes = Notes()
                try await withNotes(notes, in: ScratchDirectory(path: path), scenes: Self.scenes) {
                    hosted async throws in
                    notes.behavior.crashPoints["main"] = .launching
                    try await hosted.application.rollBack(to: "1")
                }
            }
            let found = try await find(in: scratch)
            #expect(found.texts == Self.live)
            #expect(found.lastError?.contains("/history/000002.archive") == true)
        }
    }
}

extension Application {
    /// Records that the scene must not be launched again (L8).
    fileprivate func noteStopped(_ scene: String) {
        let stop = LaunchRefusal(
            reason: "for the test",
            identity: launchSequence.sceneLaunchGuard.identity(of: definition))
        launchSequence.sceneLaunchGuard.record(
            { .refused(scene: $0, refusal: stop) }, of: [RestorationIdentifier(recorded: scene)])
    }
}
