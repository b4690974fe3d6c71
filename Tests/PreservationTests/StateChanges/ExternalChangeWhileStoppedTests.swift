import FoundationEssentials
import Glibc
import SavedState
import StateRestoration
import Testing

@testable import Preservation

/// Changes to the archive of a stopped application by other programs.
@Suite struct ExternalChangeWhileStoppedTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    /// Saves text in each scene. The orderly stop adds a generation.
    private func save(_ text: String, in scratch: ScratchDirectory) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            for scene in ["main", "other"] { try await hosted.write(text, in: scene) }
        }
    }

    private func archive(_ text: String) async throws -> [UInt8] {
        try await withScratchDirectory { scratch async throws in
            try await save(text, in: scratch)
            return try #require(scratch.archiveBytes())
        }
    }

    /// Change to the archive by another program.
    enum Change: CaseIterable {
        case writtenInPlace, renamed, removed

        func make(_ bytes: [UInt8], in scratch: ScratchDirectory) throws {
            switch self {
            case .writtenInPlace: try scratch.writeArchiveInPlace(bytes)
            case .renamed: try scratch.renameOverArchive(bytes)
            case .removed:
                #expect(unlink(scratch.archive) == 0)
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `L8: a rollback of a stopped application starts from the archive on disk`(
        change: Change
    ) async throws {
        let replacement = try await archive("theirs")
        let text = change == .removed ? "" : "theirs"
        try await withScratchDirectory { scratch async throws in
            try await save("first", in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("second", in: "other")
                try await hosted.application.quitUntilLaunch()
                try change.make(replacement, in: scratch)
                let differences = try await hosted.application.diff(from: "1").differences
                #expect(!differences.isEmpty)
                try await hosted.application.rollBack(to: "1", scene: "main")
                let kept = try #require(try scratch.allGenerations().last)
                #expect(kept.bytes.contains("theirs".utf8) == (change != .removed))
                try await hosted.application.launch()
                #expect(try await hosted.text(in: "main") == "first")
                #expect(try await hosted.text(in: "other") == text)
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `L8: the next launch of a stopped application restores the archive on disk`(
        change: Change
    ) async throws {
        let replacement = try await archive("theirs")
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("ours", in: "main")
                try await hosted.application.quitUntilLaunch()
                try change.make(replacement, in: scratch)
                await hosted.application.checkArchive()
                try await hosted.application.launch()
                let text = change == .removed ? "" : "theirs"
                #expect(try await hosted.text(in: "main") == text)
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `L8: state that a stop could not save is added to the history before a rollback`(
        change: Change
    ) async throws {
        let replacement = try await archive("theirs")
        try await withScratchDirectory { scratch async throws in
            try await save("first", in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("unsaved", in: "other")
                await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                try change.make(replacement, in: scratch)
                scratch.watch.failWriting("data.archive", with: nil)
                try await hosted.application.rollBack(to: "1", scene: "main")
                let kept = try scratch.allGenerations().map(\.bytes)
                #expect(kept.contains { $0.contains("unsaved".utf8) })
                try await hosted.application.launch()
                // If the archive was removed, the state is saved again, as in a launch.
                let text = change == .removed ? "unsaved" : "theirs"
                #expect(try await hosted.text(in: "main") == "first")
                #expect(try await hosted.text(in: "other") == text)
            }
        }
    }

    @Test func `after an unsaved stop, a rollback quarantines an unusable archive`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save("first", in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("unsaved", in: "other")
                await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                try Change.renamed.make(Array("no archive".utf8), in: scratch)
                scratch.watch.failWriting("data.archive", with: nil)
                try await hosted.application.rollBack(to: "1", scene: "main")
                #expect(try await hosted.application.quarantined().count == 1)
                try await hosted.application.launch()
                #expect(try await hosted.text(in: "other") == "unsaved")
            }
        }
    }

    @Test func `comparing a stopped application whose archive cannot be read fails with the cause`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save("first", in: scratch)
            let settings = HostedSettings(
                stateDirectory: try ApplicationStateDirectory(path: scratch.stateDirectory))
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.application.quitUntilLaunch()
                let moved = "\(scratch.applicationDirectory)/elsewhere"
                try ScratchDirectory.write(try #require(scratch.archiveBytes()), to: moved)
                #expect(unlink(scratch.archive) == 0)
                #expect(symlink(moved, scratch.archive) == 0)
                let refusal = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.diff(from: "1")
                }
                #expect(refusal?.description.contains("symbolic link") == true)
            }
        }
    }
}
