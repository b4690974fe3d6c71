import FoundationEssentials
import Glibc
import SavedState
import StateRecords
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Contents of an application's quarantine, and restoration from it.
@Suite struct ApplicationQuarantineTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    /// Saves text in each scene. If requested, damages the archive at the beginning of the second scene's text.
    private func save(in scratch: ScratchDirectory, damaged: Bool = false) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            try await hosted.write("kept", in: "main")
            try await hosted.write("lost", in: "other")
        }
        guard damaged else { return }
        var bytes = try #require(scratch.archiveBytes())
        let range = try #require(bytes.firstRange(of: Array("lost".utf8)))
        bytes[range.lowerBound] ^= 1
        try ScratchDirectory.write(bytes, to: scratch.archive)
    }

    /// Copies the scene `main` to quarantine.
    private func quarantine(in scratch: ScratchDirectory) throws -> String {
        let archive = try StateDirectory.open(scratch.stateDirectory)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let scene = try #require(archive.scenes.first { $0.sceneName == "main" })
        let name = try archive.quarantineScenes([scene.header.number], reason: "It was refused.")
        return try #require(name)
    }

    private func put(_ bytes: [UInt8], named name: String, in scratch: ScratchDirectory) throws {
        try ScratchDirectory.write(bytes, to: "\(scratch.applicationDirectory)/quarantine/\(name)")
    }

    private func reasons(_ hosted: HostedNotes) async -> [String?] {
        await hosted.application.scenes().map { $0.report?.reason.rawValue }
    }

    private func refusal(_ name: String, _ hosted: HostedNotes) async -> ApplicationError? {
        do {
            let result = try await hosted.application.putBack(name)
            Issue.record("put back: \(result)")
            return nil
        } catch {
            return error as? ApplicationError
        }
    }

    private func cause(_ error: ApplicationError?) -> ReplacementObstacle? {
        if case .notPutBack(_, _, let cause, _) = error { cause } else { nil }
    }

    @Test
    func `quarantined files above the limits are removed, oldest first, and the removal is logged`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let names = try (0..<5).map { _ in try quarantine(in: scratch) }
            var settings = HostedSettings(scenes: Self.scenes)
            settings.quarantine.count = 3
            try await withNotes(in: scratch, settings) { hosted async throws in
                #expect(
                    try await hosted.application.quarantined().map(\.name) == Array(names[2...]))
                let logged = hosted.log.entries.filter {
                    $0.message.contains("removed from the quarantine: \(names[0]), \(names[1])")
                }
                #expect(logged.count == 1)
                var new = await hosted.application.settings
                new.quarantine.count = 2
                await hosted.application.apply(new)
                #expect(
                    try await hosted.application.quarantined().map(\.name) == Array(names[3...]))
                new.quarantine.bytes = 1
                await hosted.application.apply(new)
                #expect(try await hosted.application.quarantined().map(\.name) == [names[4]])
            }
        }
    }

    @Test(arguments: [false, true])
    func `quarantined files and generations are deleted by name, but none if one name is unknown`(
        isRunning: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let names = try (0..<3).map { _ in try quarantine(in: scratch) }
            let check = { (hosted: HostedNotes) async throws in
                let application = hosted.application
                await #expect(
                    throws: ApplicationError.notInQuarantine(
                        application: Notes.bundleIdentifier, name: "none")
                ) { try await application.deleteQuarantined([names[0], "none"]) }
                #expect(try await application.quarantined().map(\.name) == names)
                try await application.deleteQuarantined([names[0], names[2]])
                #expect(try await application.quarantined().map(\.name) == [names[1]])
                let directory = "\(scratch.applicationDirectory)/quarantine"
                #expect(
                    try ScratchDirectory.names(in: directory) == [names[1], "\(names[1]).reason"])

                let generations = try await application.history().map(\.name)
                #expect(!generations.isEmpty)
                await #expect(
                    throws: ApplicationError.noSuchGeneration(
                        application: Notes.bundleIdentifier, generation: "99",
                        generations: generations)
                ) { try await application.deleteGenerations(["1", "99"]) }
                #expect(try await application.history().map(\.name) == generations)
                try await application.deleteGenerations(["1"])
                #expect(try await application.history().map(\.name) == Array(generations[1...]))
            }
            if isRunning {
                try await withNotes(in: scratch, scenes: Self.scenes) { try await check($0) }
            } else {
                try await withStoppedNotes(in: scratch) { try await check($0) }
            }
        }
    }

    @Test func `a failed deletion names the file, and files before it remain deleted`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let names = try (0..<3).map { _ in try quarantine(in: scratch) }
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                let application = hosted.application
                for name in [names[1], "000001.archive"] {
                    scratch.watch.failRemoving(name, with: EPERM)
                }
                func undeleted(_ error: ApplicationError?) -> String? {
                    guard case .notDeleted(_, let name, let reason) = error else { return nil }
                    #expect(reason.contains(name))
                    return name
                }
                let file = await #expect(throws: ApplicationError.self) {
                    try await application.deleteQuarantined(names)
                }
                #expect(undeleted(file) == names[1])
                #expect(try await application.quarantined().map(\.name) == Array(names[1...]))
                let generation = await #expect(throws: ApplicationError.self) {
                    try await application.deleteGenerations(["000001"])
                }
                #expect(undeleted(generation) == "000001")
                #expect(try await application.history().first?.name == "000001")
            }
        }
    }

    @Test func `a quarantined file is new until it is put back or acknowledged`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                let names = try (0..<3).map { _ in try quarantine(in: scratch) }
                func new() async throws -> [String] {
                    try await hosted.application.newQuarantineEntries().map(\.name)
                }
                #expect(try await new() == names)
                try await hosted.application.putBack(names[1])
                #expect(try await new() == [names[0], names[2]])
                try await hosted.application.acknowledgeQuarantine()
                #expect(try await new() == [])
                let later = try quarantine(in: scratch)
                #expect(try await new() == [later])
            }
        }
    }

    @Test
    func
        `L2: quarantined files are listed with their reasons, whether or not the application runs`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withStoppedNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.application.quarantined() == [])
            }
            try await save(in: scratch)
            let name = try quarantine(in: scratch)
            let path = "\(scratch.applicationDirectory)/quarantine/\(name)"
            let size = try ScratchDirectory.bytes(of: path).count
            let check = { (hosted: HostedNotes) async throws in
                let entries = try await hosted.application.quarantined()
                #expect(entries.map(\.name) == ["000001-main.archive"])
                #expect(entries.map(\.path) == [path])
                #expect(entries.map(\.reason) == ["It was refused."])
                #expect(entries.map(\.byteCount) == [size])
                #expect(
                    entries.allSatisfy { ($0.time?.timeIntervalSince1970 ?? 0) > 1_000_000_000 })
            }
            try await withStoppedNotes(in: scratch) { try await check($0) }
            try await withNotes(in: scratch) { try await check($0) }
        }
    }

    @Test func `L2: a running scene is replaced by its quarantined state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let name = try quarantine(in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("newer", in: "main")
                try await hosted.write("others", in: "other")
                let before = notes.record.launches.count
                let result = try await hosted.application.putBack(name)
                #expect(result.scenes == ["main"])
                #expect(result.shortfall == nil)
                #expect([.written, .durable].contains(result.saved))
                #expect(try await hosted.text(in: "main") == "kept")
                #expect(try await hosted.text(in: "other") == "others")
                #expect(await reasons(hosted) == ["replace", "restore"])
                #expect(notes.record.launches.count == before + 1)
                let generation = try #require(result.generation)
                let bytes = try ScratchDirectory.bytes(of: generation)
                #expect(bytes.contains("newer".utf8) && bytes.contains("others".utf8))
                #expect(try await hosted.write("goes on", in: "main") == .written)
                // After it is closed, the scene is opened like any other scene.
                try await hosted.application.close(scene: "main")
                try await hosted.application.open(scene: "main")
                #expect(await reasons(hosted).first == "restore")
            }
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                #expect(try await hosted.text(in: "main") == "goes on")
                #expect(try await hosted.text(in: "other") == "others")
            }
        }
    }

    @Test
    func `L5: putting back a damaged archive restores the passes before the damage and says so`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch, damaged: true)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                let name = "000001-data.archive"
                #expect(try await hosted.application.quarantined().map(\.name) == [name])
                try await hosted.write("newer", in: "main")
                try await hosted.write("newer", in: "other")
                let result = try await hosted.application.putBack(name)
                #expect(result.shortfall?.hasPrefix("it is damaged at byte ") == true)
                #expect(result.scenes.contains("main"))
                #expect(try await hosted.text(in: "main") == "kept")
            }
        }
    }

    @Test func `L5: putting back a torn archive restores it up to its last complete pass`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            _ = try quarantine(in: scratch)
            let bytes = try #require(scratch.archiveBytes())
            try put(bytes + [1, 2, 3], named: "000002-data.archive", in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("newer", in: "other")
                let result = try await hosted.application.putBack("000002-data.archive")
                #expect(result.shortfall?.hasPrefix("it is torn at byte ") == true)
                #expect(result.scenes == ["main", "other"])
                #expect(try await hosted.text(in: "other") == "lost")
            }
        }
    }

    @Test func `unknown or unusable files cannot be put back, and nothing changes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let name = try quarantine(in: scratch)
            let whole = try ScratchDirectory.bytes(
                of: "\(scratch.applicationDirectory)/quarantine/\(name)")
            try put([], named: "empty", in: scratch)
            try put(ArchiveBytes(whole).newer(), named: "newer", in: scratch)
            let other = HostedSettings(bundleIdentifier: "org.example.Other")
            try await withNotes(in: scratch, other) { _ in }
            let otherDirectory = "\(scratch.savedStates)/org.example.Other.savedState"
            try put(
                ScratchDirectory.bytes(of: "\(otherDirectory)/data.archive"), named: "foreign",
                in: scratch)
            #expect(mkdir("\(scratch.applicationDirectory)/quarantine/folder", 0o700) == 0)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("live", in: "main")
                for unknown in ["nothing", "\(name).reason", "../data.archive", "", "."] {
                    let expected = ApplicationError.notInQuarantine(
                        application: Notes.bundleIdentifier, name: unknown)
                    #expect(await refusal(unknown, hosted) == expected)
                }
                #expect(cause(await refusal("empty", hosted)) == .damaged)
                #expect(cause(await refusal("folder", hosted)) == .notAFile)
                #expect(cause(await refusal("newer", hosted)) == .newerFormat)
                let foreign = await refusal("foreign", hosted)
                #expect(cause(foreign) == .foreign)
                #expect(foreign?.description.contains("org.example.Other") == true)
                #expect(try await hosted.text(in: "main") == "live")
                #expect(await reasons(hosted) == ["restore", "restore"])
            }
            #expect(try scratch.generations().isEmpty)
        }
    }

    @Test
    func `a scene keeps running if its state cannot be added to the history before a put-back`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let name = try quarantine(in: scratch)
            // Blocks the path of the next generation with a directory.
            try FileManager.default.createDirectory(
                atPath: "\(scratch.applicationDirectory)/history/archive.new",
                withIntermediateDirectories: true)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("live", in: "main")
                #expect(cause(await refusal(name, hosted)) == .notSaved)
                #expect(try await hosted.text(in: "main") == "live")
                #expect(notes.record.launches.count == 2)
                try await hosted.write("goes on", in: "main")
            }
            let text = try await withNotes(in: scratch) { try await $0.text(in: "main") }
            #expect(text == "goes on")
        }
    }

    @Test func `a put-back that cannot be saved changes nothing`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let name = try quarantine(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("newer", in: "main")
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                #expect(cause(await refusal(name, hosted)) == .notSaved)
                #expect(try await hosted.text(in: "main") == "newer")
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(try await hosted.write("others", in: "other") == .durable)
            }
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                #expect(try await hosted.text(in: "main") == "newer")
                #expect(try await hosted.text(in: "other") == "others")
            }
        }
    }

    @Test
    func `L2: state put back while the application is stopped is restored at the next launch`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let name = try quarantine(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("newer", in: "main")
                try await hosted.application.quitUntilLaunch()
                let result = try await hosted.application.putBack(name)
                #expect(result.scenes == ["main"])
                #expect(result.saved == .durable)
                #expect(result.generation != nil)
                try await hosted.application.launch()
                #expect(try await hosted.text(in: "main") == "kept")
                #expect(await reasons(hosted) == ["replace", "restore"])
            }
        }
    }

    @Test func `L1: a scene can be put back from quarantine after a forced quit`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let name = try quarantine(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.forceQuit()
                let result = try await hosted.application.putBack(name)
                #expect(result.scenes == ["main"])
                #expect(result.generation == nil)
                try await hosted.application.launch()
                #expect(try await hosted.text(in: "main") == "kept")
                #expect(try await hosted.text(in: "other") == "")
            }
        }
    }
}
