import Glibc
import Logging
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct GenerationTests {
    private func refusing() -> Notes {
        var behavior = Notes.Behavior()
        behavior.restoresState = false
        return Notes(behavior)
    }

    private func registering() -> Notes {
        var behavior = Notes.Behavior()
        behavior.registersExtra = true
        return Notes(behavior)
    }

    @Test
    func `L6: the delegate sees the saving version, and refused state is added to the history`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("old") }
            try scratch.removeHistory()
            let bytes = try #require(scratch.archiveBytes())
            let notes = refusing()
            try await withNotes(notes, in: scratch) { hosted async throws in
                #expect(notes.record.offered.map(\.bundleVersion) == ["1"])
                #expect(try kept(in: scratch) == bytes.dropOpening)
                let logged = hosted.log.entries.filter {
                    $0.message.hasPrefix("a copy of the saved state")
                }
                #expect(logged.count == 1)
                #expect(
                    logged.first?.message.contains(
                        "main the application refused the state that version 1 of the program "
                            + "saved") == true)
                try await hosted.write("new")
            }
            #expect(try scratch.generations().count == 1)
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "new")
        }
    }

    @Test func `L6: state saved by another version is added to the history before the first pass`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, version: "1") { try await $0.write("old") }
            try scratch.removeHistory()
            let bytes = try #require(scratch.archiveBytes())
            try await withNotes(in: scratch, version: "2") { hosted async throws in
                #expect(try kept(in: scratch) == bytes.dropOpening)
                let logged = hosted.log.entries.filter {
                    $0.message.hasPrefix("a copy of the saved state")
                }
                #expect(logged.count == 1)
                #expect(logged.first?.message.contains("version 1 of the program") == true)
                #expect(logged.first?.message.contains("/history/000001.archive") == true)
            }
            // The second start of version 2 has no changes to add to the history.
            try await withNotes(in: scratch, version: "2") { try await $0.write("new") }
            #expect(try scratch.generations().count == 1)
        }
    }

    @Test func `R16: a launch with an unclaimed record adds a generation before its first pass`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(registering(), in: scratch) { try await $0.write("old") }
            try scratch.removeHistory()
            let bytes = try #require(scratch.archiveBytes())
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.application.report().unrestored.map(\.path) == ["extra"])
                #expect(try kept(in: scratch) == bytes.dropOpening)
            }
        }
    }

    @Test func `R16: a launch adds a single generation, however many scenes require it`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let scenes: [RestorationIdentifier] = ["main", "other"]
            try await withNotes(registering(), in: scratch, scenes: scenes) { hosted async throws in
                try await hosted.write("old", in: "other")
                try await hosted.application.open(scene: "third")
                try await hosted.application.close(scene: "third")
            }
            try scratch.removeHistory()
            try await withNotes(in: scratch, version: "2", scenes: scenes) { hosted async throws in
                #expect(try scratch.generations().count == 1)
                try await hosted.write("new")
                // A scene that is launched later causes another generation.
                try await hosted.application.open(scene: "third")
                #expect(try scratch.generations().count == 2)
            }
        }
    }

    @Test func `a launch that restores everything adds no generation`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("old") }
            try await withNotes(in: scratch) { try await $0.write("new") }
            #expect(try scratch.generations().isEmpty)
        }
    }

    @Test
    func `R16: state that cannot be added to the history is quarantined, and saving continues`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("old") }
            try scratch.removeHistory()
            let watch = DirectoryWatch()
            watch.fail("history", with: EACCES)
            var settings = HostedSettings()
            settings.stateDirectory = try scratch.watched(by: watch)
            let bytes = try #require(scratch.archiveBytes()).dropOpening
            try await withNotes(refusing(), in: scratch, settings) { hosted async throws in
                let status = await hosted.application.status()
                #expect(status.historyFailure?.contains("history") == true)
                #expect(hosted.log.count(.generationFailed) == 1)

                #expect(try await hosted.write("new 1") == .written)
                let kept = try await hosted.application.quarantined()
                #expect(
                    try kept.map { try ScratchDirectory.bytes(of: $0.path).dropOpening } == [bytes])
                #expect(status.lastError?.contains(kept[0].path) == true)
                await hosted.passInterval()
                #expect(hosted.log.count(.generationFailed) == 1)

                watch.fail("history", with: nil)
                #expect(try await hosted.write("new 2") == .written)
                #expect(try #require(scratch.archiveBytes()).contains("2".utf8))
                // The state is already in quarantine.
                #expect(try scratch.generations().isEmpty)
            }
        }
    }

    @Test func `R16, L6: state that the newest generation already contains is not added again`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(registering(), in: scratch) { try await $0.write("old") }
            let made = try scratch.allGenerations().map(\.bytes)
            #expect(made.count == 1)
            // The state is partly unrestored, saved by another version, or refused.
            for (notes, version) in [(Notes(), "1"), (Notes(), "2"), (refusing(), "2")] {
                try await withScratchDirectory { copy in
                    try scratch.copy(to: copy)
                    try await withNotes(notes, in: copy, version: version) { hosted async throws in
                        #expect(try copy.allGenerations().map(\.bytes) == made)
                        try await hosted.write("new")
                    }
                    #expect(try copy.generations().isEmpty)
                }
            }
        }
    }

    @Test func `L7: restoring does not consume the archive`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("kept") }
            for _ in 0..<2 {
                try await withScratchDirectory { copy in
                    try scratch.copy(to: copy)
                    let text = try await withNotes(in: copy) { try await $0.text() }
                    #expect(text == "kept")
                }
                let bytes = try #require(scratch.archiveBytes())
                let restored = try await withNotes(in: scratch) { hosted async throws in
                    #expect(try #require(scratch.archiveBytes()).starts(with: bytes))
                    return try await hosted.text()
                }
                #expect(restored == "kept")
            }
        }
    }

    /// Returns the only generation, without the record that its archive was opened.
    private func kept(in scratch: ScratchDirectory) throws -> [UInt8] {
        let generations = try scratch.generations()
        #expect(generations.count == 1)
        return try #require(generations.first).dropOpening
    }
}

extension [UInt8] {
    /// Contents of an archive without a final record that it was opened.
    fileprivate var dropOpening: [UInt8] {
        let isOpened = count > 24 && self[count - 24] == 24 && self[count - 20] == 6
        return isOpened ? Array(dropLast(24)) : self
    }
}
