import Glibc
import LinuxIO
import SavedState
import StateRecords
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct QuarantineRestorationTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    private func archive(in scratch: ScratchDirectory) throws -> ApplicationArchive {
        let archive = try StateDirectory.open(scratch.stateDirectory)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        return archive
    }

    /// Saves text in each scene, and copies `main` to quarantine.
    private func quarantine(in scratch: ScratchDirectory) async throws -> String {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            try await hosted.write("quarantined", in: "main")
            try await hosted.write("other's", in: "other")
        }
        let archive = try archive(in: scratch)
        let scene = try #require(archive.scenes.first { $0.sceneName == "main" })
        let name = try archive.quarantineScenes([scene.header.number], reason: "For the test.")
        return try #require(name)
    }

    private func texts(in scratch: ScratchDirectory) async throws -> [String] {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            [try await hosted.text(in: "main"), try await hosted.text(in: "other")]
        }
    }

    @Test func `L8: putting back a scene replaces the saved scene, which stays in the history`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let name = try await quarantine(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("newer", in: "main")
            }
            do {
                let archive = try archive(in: scratch)
                let highest = archive.highestObjectNumber
                #expect(try archive.putBack(name) == ["main"])
                #expect(archive.isDurable)
                #expect(archive.scenes.map(\.sceneName.text).sorted() == ["main", "other"])
                let scene = try #require(archive.scenes.first { $0.sceneName == "main" })
                #expect(scene.header.number > highest)
            }
            #expect(try await texts(in: scratch) == ["quarantined", "other's"])
            // The state was already added to the history when the application stopped.
            let generations = try scratch.allGenerations().map(\.bytes)
            #expect(generations.count { $0.contains("newer".utf8) } == 1)
            // The file is still in quarantine and can be put back again.
            #expect(try archive(in: scratch).quarantinedFiles().map(\.name) == [name])
        }
    }

    @Test func `a scene is put back into a new archive with different numbers`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let name = try await quarantine(in: scratch)
            try await withNotes(in: scratch) { try await $0.application.forceQuit() }
            // Names and objects receive numbers that have other meanings in the quarantined file.
            try await withNotes(in: scratch, scenes: ["other", "third"]) { hosted async throws in
                try await hosted.write("other's newer", in: "other")
            }
            do {
                let archive = try archive(in: scratch)
                #expect(try archive.putBack(name) == ["main"])
            }
            #expect(try await texts(in: scratch) == ["quarantined", "other's newer"])
        }
    }

    @Test func `a closed scene is put back and launched while its application runs`() async throws {
        try await withScratchDirectory { scratch async throws in
            let name = try await quarantine(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("newer", in: "main")
                try await hosted.application.close(scene: "main")
                #expect(try await hosted.application.putBack(name).scenes == ["main"])
                #expect(try await hosted.text(in: "main") == "quarantined")
                // Numbers that were assigned to the restored scene are not assigned to other objects.
                try await hosted.application.open(scene: "third")
                #expect(try await hosted.write("third's", in: "third") == .written)
                #expect(try await hosted.write("goes on", in: "main") == .written)
            }
            let texts = try await withNotes(in: scratch, scenes: ["main", "third"]) {
                hosted async throws in
                [try await hosted.text(in: "main"), try await hosted.text(in: "third")]
            }
            #expect(texts == ["goes on", "third's"])
        }
    }

    @Test func `a scene with unreadable values is refused, and nothing changes`() async throws {
        try await withScratchDirectory { scratch async throws in
            _ = try await quarantine(in: scratch)
            let archive = try archive(in: scratch)
            var turn = TurnRecords()
            turn.addObject(
                ObjectHeader(number: 900, parent: 0, kind: 0, identifier: "broken"),
                values: [1, 99])
            turn.endPass(PassEnd(scene: 900, timestamp: 0))
            try archive.append(turn)
            let name = try #require(
                try archive.quarantineScenes([900], reason: "It is broken."))
            let bytes = scratch.archiveBytes()
            let failure = #expect(throws: StateChangeFailure.self) { try archive.putBack(name) }
            #expect(failure?.cause == .unreadableValues)
            #expect(failure?.reason.contains("broken") == true)
            #expect(scratch.archiveBytes() == bytes)
        }
    }

    @Test func `if not all scenes of a file fit into the archive, none is put back`() async throws {
        try await withScratchDirectory { scratch async throws in
            let archive = try archive(in: scratch)
            for number: UInt32 in [1, 2] {
                var turn = TurnRecords()
                turn.addObject(
                    ObjectHeader(number: number, parent: 0, kind: 0, identifier: "scene\(number)"),
                    values: [])
                turn.endPass(PassEnd(scene: number, timestamp: 0))
                try archive.append(turn)
            }
            try archive.synchronize()
            let directory = try #require(try Directory.open(scratch.applicationDirectory))
            let bytes = try #require(try directory.read("data.archive", limit: 1 << 20))
            try directory.openOrCreateSubdirectory("quarantine").createFile("000001-data.archive")
                .write(bytes)
            // Only one number is left, for the first of the two scenes.
            var turn = TurnRecords()
            turn.addRemoval((1 << 31) - 1)
            turn.endPass(PassEnd(scene: 0, timestamp: 0))
            try archive.append(turn)
            let before = try #require(archive.contents)
            let failure = #expect(throws: StateChangeFailure.self) {
                try archive.putBack("000001-data.archive")
            }
            #expect(failure?.cause == .damaged)
            #expect(archive.contents?.objects == before.objects)
            #expect(archive.contents?.highestObjectNumber == before.highestObjectNumber)
            #expect(try !directory.names().contains("history"))
        }
    }

    @Test func `saved state is not replaced if it cannot be added to the history`() async throws {
        try await withScratchDirectory { scratch async throws in
            let name = try await quarantine(in: scratch)
            let bytes = scratch.archiveBytes()
            try scratch.removeHistory()
            try ScratchDirectory.write([], to: scratch.history)
            let archive = try archive(in: scratch)
            let failure = #expect(throws: StateChangeFailure.self) { try archive.putBack(name) }
            #expect(failure?.cause == .notSaved)
            #expect(scratch.archiveBytes() == bytes)
        }
    }
}

extension ApplicationArchive {
    /// Puts back scenes of an application that has not been launched.
    @discardableResult
    func putBack(_ name: String) throws -> [RestorationIdentifier] {
        let kept = try contents(ofQuarantinedFile: name)
        let transfer = try StateTransfer(
            kept.contents, of: kept.sceneNamesToPutBack, into: self, names: NameTable(names),
            numbering: RecordNumberGenerator(after: highestObjectNumber))
        try transfer.replaceState(
            by: StateSaver(for: self), because: .putBack(path: kept.path))
        return transfer.transferredSceneNames
    }
}
