import Glibc
import SavedState
import StateRecords
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Files in which the state of a scene without saved state is found, and files that are ignored.
@Suite struct LostScenePlacesTests {
    /// Calls a closure with the loaded archive of an application that has stopped, and the path of its quarantine.
    private func withArchive(
        of scenes: [RestorationIdentifier],
        _ body: (ScratchDirectory, ApplicationArchive, _ quarantine: String) throws -> Void
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: scenes) { hosted async throws in
                for scene in scenes { try await hosted.write("kept", in: scene.text) }
            }
            let archive = try StateDirectory.open(scratch.stateDirectory)
                .archive(of: Notes.bundleIdentifier)
            _ = try archive.load()
            try body(scratch, archive, "\(scratch.applicationDirectory)/quarantine")
        }
    }

    private func setTime(_ seconds: Int, of path: String) {
        let times = Array(repeating: timeval(tv_sec: seconds, tv_usec: 0), count: 2)
        #expect(utimes("\(path).reason", times) == 0)
    }

    @Test func `state that is not in the newest generation is found in an older quarantined file`()
        async throws
    {
        try await withArchive(of: ["main", "other"]) { scratch, archive, quarantine in
            let number = try #require(archive.scene(named: "other")).header.number
            let name = try #require(try archive.quarantineScenes([number], reason: "For the test."))
            try archive.append(archive.removalTurn(ofScene: number))
            let generation = try #require(try archive.makeGeneration(because: "it is newer"))
            setTime(1_000, of: "\(quarantine)/\(name)")
            setTime(2_000, of: generation)
            let description = StateLoss(of: "other", in: archive)?.lossDescription
            #expect(description?.contains("putBack(\"\(name)\")`") == true)
        }
    }

    @Test func `a quarantined archive without the scene is not named as the place of its state`()
        async throws
    {
        try await withArchive(of: ["main"]) { scratch, archive, quarantine in
            try scratch.removeHistory()
            #expect(mkdir(quarantine, 0o700) == 0)
            let name = "000001-data.archive"
            try ScratchDirectory.write(
                try #require(scratch.archiveBytes()), to: "\(quarantine)/\(name)")
            #expect(StateLoss(of: "other", in: archive) == nil)
            let description = StateLoss(of: "main", in: archive)?.lossDescription
            #expect(description?.contains("putBack(\"\(name)\")`") == true)
        }
    }

    @Test func `a directory in quarantine is not named as the place of a scene's state`()
        async throws
    {
        try await withArchive(of: ["main"]) { scratch, archive, quarantine in
            try scratch.removeHistory()
            let number = try #require(archive.scene(named: "main")).header.number
            let name = try #require(try archive.quarantineScenes([number], reason: "For the test."))
            #expect(mkdir("\(quarantine)/000003-main.archive", 0o700) == 0)
            let description = StateLoss(of: "main", in: archive)?.lossDescription
            #expect(description?.contains("putBack(\"\(name)\")`") == true)
        }
    }
}
