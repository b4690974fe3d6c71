import FoundationEssentials
import Glibc
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Generations and quarantined files that contain several scenes.
@Suite(.timeLimit(.minutes(5))) struct SceneGenerationsTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other", "third"]

    private func save(_ text: String, in scratch: ScratchDirectory) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            for name in Self.scenes { try await hosted.write(text, in: name.text) }
        }
    }

    // MARK: Adding generations

    @Test func `a stop adds a generation if the launch has created a scene`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("one") }
            try await withNotes(in: scratch, scenes: ["main", "new"]) { _ in }
            #expect(try scratch.allGenerations().count == 2)
        }
    }

    @Test func `S3: records that deferred launches add are no reason for a generation`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("first")
                for number in 1...3 { try await hosted.application.open(scene: "scene\(number)") }
            }
            #expect(try scratch.allGenerations().count == 1)
            var behavior = Notes.Behavior()
            behavior.registersExtra = true
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            settings.isLaunchEager = false
            try await withNotes(Notes(behavior), in: scratch, settings) { hosted async throws in
                while await hosted.application.hasLaunchesLeft {
                    hosted.clock.advance(by: .microseconds(250))
                    await Task.yield()
                }
            }
            let bytes = try #require(scratch.archiveBytes())
            #expect(bytes.ranges(of: Array("extra".utf8)).count >= 4)
            #expect(try scratch.allGenerations().count == 1)
        }
    }

    // MARK: Describing generations

    @Test func `a generation lists each version that saved one of its scenes once`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, version: "1", scenes: Self.scenes) {
                hosted async throws in
                for name in ["other", "third"] { try await hosted.application.close(scene: name) }
            }
            try await withNotes(in: scratch, version: "2", scenes: Self.scenes) {
                hosted async throws in
                try await hosted.write("two", in: "main")
                try await hosted.application.quitUntilLaunch()
                let newest = try #require(try await hosted.application.history().last)
                #expect(newest.bundleVersions == ["2", "1"])
            }
        }
    }

    @Test func `a comparison reports the unusable part of either generation`() async throws {
        try await withScratchDirectory { scratch async throws in
            for text in ["one", "two"] { try await save(text, in: scratch) }
            let path = "\(scratch.history)/000002.archive"
            try ScratchDirectory.write(
                Array(try ScratchDirectory.bytes(of: path).dropLast(5)), to: path)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                let comparison = try await hosted.application.diff(from: "1", to: "2")
                #expect(comparison.problems.count == 1)
                #expect(comparison.problems.first?.contains("000002.archive") == true)
            }
        }
    }

    // MARK: Finding earlier state

    @Test func `the report of each scene says which generation contains its earlier state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("kept")
                try await hosted.application.forceQuit()
                try await hosted.application.launch()
                for name in Self.scenes {
                    let report = try await hosted.application.report(scene: name.text)
                    #expect(
                        report.displaced?.contains("rollback 000001 --scene \(name)`") == true,
                        "\(name)")
                }
            }
        }
    }

    @Test func `the report of a scene names a quarantined archive that contains its earlier state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("kept") }
            try scratch.removeHistory()
            let quarantine = "\(scratch.applicationDirectory)/quarantine"
            #expect(mkdir(quarantine, 0o700) == 0)
            #expect(rename(scratch.archive, "\(quarantine)/000001-data.archive") == 0)
            try await withNotes(in: scratch) { hosted async throws in
                let report = try await hosted.application.report()
                #expect(report.displaced?.contains("put-back 000001-data.archive`") == true)
            }
        }
    }
}

extension Application {
    /// Whether any scene has not been launched yet.
    fileprivate var hasLaunchesLeft: Bool { hostedScenes?.areLaunchesFinished != true }
}
