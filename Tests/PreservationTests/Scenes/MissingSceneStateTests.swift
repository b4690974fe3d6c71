import Glibc
import SavedState
import StateRecords
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Location of a scene's state if the scene has no saved state.
@Suite struct MissingSceneStateTests {
    @Test func `L4: lost state is located in the newer of a generation and a quarantined file`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("kept") }
            let archive = try StateDirectory.open(scratch.stateDirectory)
                .archive(of: Notes.bundleIdentifier)
            _ = try archive.load()
            let scene = try #require(archive.scenes.first)
            let name = try #require(
                try archive.quarantineScenes([scene.header.number], reason: "For the test."))
            func story(quarantinedAfter seconds: Int) throws -> String {
                // The modification times of the reason files determine which state is newer.
                for (path, time) in [
                    ("\(scratch.history)/000001.archive.reason", 1_000),
                    ("\(scratch.applicationDirectory)/quarantine/\(name).reason", 1_000 + seconds),
                ] {
                    let times = Array(repeating: timeval(tv_sec: time, tv_usec: 0), count: 2)
                    try #require(utimes(path, times) == 0)
                }
                return try #require(StateLoss(of: "main", in: archive)?.lossDescription)
            }
            let inHistory = "it is in the history, because the application was stopped: "
            #expect(try story(quarantinedAfter: -1).hasPrefix(inHistory))
            #expect(try story(quarantinedAfter: 0).hasPrefix(inHistory))
            #expect(try story(quarantinedAfter: 1).hasPrefix("it is in quarantine: "))
            #expect(StateLoss(of: "other", in: archive)?.lossDescription == nil)
            // A scene that is only in the quarantined file is found there, regardless of newer files.
            try scratch.removeHistory()
            #expect(
                try #require(StateLoss(of: "main", in: archive)?.lossDescription)
                    .hasPrefix("it is in quarantine: "))
        }
    }
}
