import FoundationEssentials
import Glibc
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// State changes that affect several scenes.
@Suite(.timeLimit(.minutes(5))) struct SeveralSceneChangesTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other", "third"]
    private static let names = scenes.map(\.text)

    /// Saves text in all scenes, and closes some of them. The stop adds the generation 000001.
    private func save(closing closed: [String] = [], in scratch: ScratchDirectory) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            for name in Self.names { try await hosted.write("first", in: name) }
            for name in closed { try await hosted.application.close(scene: name) }
        }
    }

    /// Reads the second and the third scene while a rollback is in progress.
    ///
    /// - Returns: The text that each command read.
    private func readDuringRollback(
        _ notes: Notes, _ hosted: HostedNotes, extending scene: String
    ) async throws -> [String] {
        let application = hosted.application
        notes.behavior.extendingScenes = [scene]
        let rollingBack = Task { try await application.rollBack(to: "1") }
        await hosted.log.wait(for: 1, .restorationExtended)
        let reading = await application.queue(2, on: ["other", "third"]) { $1.note.text }
        // This command is refused after the other commands have been postponed.
        await #expect(throws: ApplicationError.self) { try await hosted.text(in: "unknown") }
        await application.completeRestoration()
        _ = try await rollingBack.value
        // A command that has no reply by then fails when the application stops.
        for _ in 0..<3 { _ = try await hosted.text(in: "main") }
        try await application.quitUntilLaunch()
        var texts: [String] = []
        for task in reading { texts.append(try await task.value.result) }
        return texts
    }

    @Test func `commands to scenes that a rollback closes run after the rollback`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(closing: ["other", "third"], in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                for name in Self.names { try await hosted.write("second", in: name) }
                let texts = try await readDuringRollback(notes, hosted, extending: "main")
                #expect(texts == ["first", "first"])
            }
        }
    }

    @Test func `commands to scenes that a rollback launches run after the rollback`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                for name in Self.names { try await hosted.write("second", in: name) }
                for name in ["other", "third"] { try await hosted.application.close(scene: name) }
                let texts = try await readDuringRollback(notes, hosted, extending: "third")
                #expect(texts == ["first", "first"])
            }
        }
    }

    @Test func `L3: after a rollback, the launch of each scene is recorded`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                for name in Self.names { try await hosted.write("second", in: name) }
                try await hosted.application.rollBack(to: "1")
                for name in Self.names {
                    let known = await hosted.application.known(name)
                    #expect(known.launchedAt != nil && known.replaced != nil, "\(name)")
                }
            }
        }
    }

    @Test func `L8: a rollback keeps the launch records of scenes that it leaves closed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(closing: ["other", "third"], in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("second", in: "main")
                try await hosted.application.rollBack(to: "1")
                for name in Self.names {
                    let replaced = await hosted.application.known(name).replaced
                    #expect(replaced?.hasSuffix("/000002.archive") == true, "\(name)")
                }
            }
        }
    }

    @Test func `several generations are deleted at once, and no scene is restored from them`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                for name in Self.names { try await hosted.write("second", in: name) }
                try await hosted.application.rollBack(to: "1")
                try await hosted.application.deleteGenerations(["1", "2"])
                #expect(try await hosted.application.history() == [])
                for name in Self.names {
                    #expect(await hosted.application.known(name).replaced == nil, "\(name)")
                }
            }
        }
    }

    @Test func `a failed rollback of a scene lists the scenes of the generation`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.open(scene: "fourth")
                let failure = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "1", scene: "fourth")
                }
                #expect(failure?.description.contains("it has main, other, third") == true)
            }
        }
    }

    @Test func `a put-back of a file with several scenes is logged for each scene`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let quarantine = "\(scratch.applicationDirectory)/quarantine"
            #expect(mkdir(quarantine, 0o700) == 0)
            let name = "000001-data.archive"
            try ScratchDirectory.write(
                try #require(scratch.archiveBytes()), to: "\(quarantine)/\(name)")
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                #expect(try await hosted.application.putBack(name).scenes == Self.names)
                let logged = hosted.log.entries.filter {
                    $0.metadata["MESSAGE_ID"] == LogEvent.putBack.rawValue
                }
                #expect(logged.compactMap { $0.metadata["REPRISE_SCENE"] } == Self.names)
            }
        }
    }

    @Test func `L4: the removal of the archive is reported for each scene`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("live", in: "main")
                #expect(unlink(scratch.archive) == 0)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2 * Self.scenes.count, .launched)
                for name in Self.names {
                    let report = try await hosted.application.report(scene: name)
                    #expect(report.displaced?.contains("was removed") == true, "\(name)")
                }
            }
        }
    }

    @Test func `a stopped application can reset any of its configured scenes`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.unsavedScenes = ["other", "third"]
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("saved", in: "main")
                try await hosted.application.quitUntilLaunch()
                for name in ["other", "third"] {
                    #expect(try await hosted.application.reset(scene: name).scenes == [])
                }
            }
        }
    }

    @Test func `a reset launches every configured scene that could not be launched before`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.failingScenes = ["other", "third"]
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                #expect(await hosted.application.status().failedSceneCount == 2)
                notes.behavior.failingScenes = []
                #expect(try await hosted.application.reset().scenes == Self.names)
                #expect(await hosted.application.status().launchedSceneCount == 3)
            }
        }
    }
}
