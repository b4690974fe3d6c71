import FoundationEssentials
import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Changes to the archive of a running application by other programs (L4, L8).
@Suite struct ExternalReplacementTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    /// Returns an archive in which the scenes contain the given text.
    private func archive(_ texts: [String: String]) async throws -> [UInt8] {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                for (scene, text) in texts { try await hosted.write(text, in: scene) }
            }
            return try #require(scratch.archiveBytes())
        }
    }

    /// Way in which a program replaces the contents of the archive.
    enum ReplacementMethod: CaseIterable {
        case inPlace
        case renamed
        case removedBefore

        func put(_ bytes: [UInt8], in scratch: ScratchDirectory) throws {
            switch self {
            case .inPlace: try scratch.writeArchiveInPlace(bytes)
            case .renamed: try scratch.renameOverArchive(bytes)
            case .removedBefore:
                #expect(unlink(scratch.archive) == 0)
                try ScratchDirectory.write(bytes, to: scratch.archive)
            }
        }
    }

    private func reasons(_ hosted: HostedNotes) async -> [String?] {
        await hosted.application.scenes().map { $0.report?.reason.rawValue }
    }

    @Test(arguments: ReplacementMethod.allCases, [false, true])
    func `L8: a replacement archive is restored live, and the live state is added to the history`(
        way: ReplacementMethod, isLogged: Bool
    ) async throws {
        let other = try await archive(["main": "earlier", "other": "earlier too"])
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("live", in: "main")
                try way.put(other, in: scratch)
                if isLogged {
                    await hosted.application.checkArchive()
                } else {
                    // Without a notification, the next write detects the change, and its reply waits until the change
                    // has been handled.
                    async let saved = hosted.write("last", in: "other")
                    await hosted.passDebounce()
                    #expect(try await saved == .durable)
                }
                #expect(try await hosted.text(in: "main") == "earlier")
                #expect(try await hosted.text(in: "other") == "earlier too")
                #expect(await reasons(hosted) == ["replace", "replace"])
                #expect(notes.record.terminated == ["main", "other"])
                let generation = try #require(try scratch.allGenerations().first)
                #expect(generation.reason == "another program replaced the archive")
                #expect(generation.bytes.contains("live".utf8))
                #expect(generation.bytes.contains("last".utf8) == !isLogged)
                #expect(try await hosted.application.quarantined() == [])
                #expect(try await hosted.write("goes on", in: "main") == .written)
                await hosted.application.checkArchive()
                #expect(try await hosted.text(in: "main") == "goes on")
            }
            let texts = try await withNotes(in: scratch, scenes: Self.scenes) {
                hosted async throws in
                [try await hosted.text(in: "main"), try await hosted.text(in: "other")]
            }
            #expect(texts == ["goes on", "earlier too"])
        }
    }

    @Test(arguments: ReplacementMethod.allCases)
    func `L8: an unusable replacement archive is quarantined without affecting live scenes`(
        way: ReplacementMethod
    ) async throws {
        let other = try await archive(["main": "earlier"])
        var edited = other
        edited[edited.count / 2] ^= 1
        for bytes in [Array(other.dropLast(5)), edited, Array("something else".utf8), []] {
            try await withScratchDirectory { scratch async throws in
                let notes = Notes()
                try await withNotes(notes, in: scratch) { hosted async throws in
                    try await hosted.write("live")
                    try way.put(bytes, in: scratch)
                    await hosted.application.checkArchive()
                    await hosted.passDebounce()
                    await hosted.log.wait(for: 1, .archiveReplaced)
                    #expect(try await hosted.text() == "live")
                    #expect(notes.record.launches == [.pristine])
                    let entries = try await hosted.application.quarantined()
                    #expect(entries.map(\.name) == ["000001-data.archive"])
                    #expect(try ScratchDirectory.bytes(of: entries[0].path) == bytes)
                    #expect(try await hosted.write("goes on") == .written)
                }
                let text = try await withNotes(in: scratch) { try await $0.text() }
                #expect(text == "goes on")
            }
        }
    }

    @Test
    func
        `L8: a scene missing from the new archive is closed, or starts without state if configured`()
        async throws
    {
        let other = try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: ["main"]) { try await $0.write("earlier") }
            return try #require(scratch.archiveBytes())
        }
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.open(scene: "third")
                for scene in ["main", "other", "third"] {
                    try await hosted.write("live", in: scene)
                }
                try ReplacementMethod.renamed.put(other, in: scratch)
                await hosted.application.checkArchive()
                #expect(try await hosted.text(in: "main") == "earlier")
                #expect(try await hosted.text(in: "other") == "")
                #expect(await hosted.application.scenes().map(\.name) == ["main", "other"])
            }
        }
    }

    @Test
    func
        `L8: if the new archive cannot be launched, it is quarantined and the scenes keep running`()
        async throws
    {
        let other = try await archive(["main": "earlier", "other": "earlier"])
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.write("live", in: "main")
                try await hosted.write("live too", in: "other")
                for isRefused in [false, true] {
                    if isRefused {
                        notes.behavior.restoresState = false
                    } else {
                        notes.behavior.failingScenes = ["other"]
                    }
                    try ReplacementMethod.inPlace.put(other, in: scratch)
                    await hosted.application.checkArchive()
                    notes.behavior.failingScenes = []
                    notes.behavior.restoresState = true
                    #expect(try await hosted.text(in: "main") == "live")
                    #expect(try await hosted.text(in: "other") == "live too")
                    #expect(await reasons(hosted) == ["pristine", "pristine"])
                    // The status contains the path of the file as well as the cause.
                    #expect(
                        await hosted.application.status().lastError?.contains(
                            "it is in quarantine as")
                            == true)
                }
                #expect(notes.record.terminated == [])
                let entries = try await hosted.application.quarantined()
                #expect(entries.count == 2)
                #expect(try entries.allSatisfy { try ScratchDirectory.bytes(of: $0.path) == other })
                #expect(entries[0].reason?.contains("no notes today") == true)
                #expect(entries[1].reason?.contains("refused") == true)
                #expect(try await hosted.write("goes on", in: "main") == .written)
            }
            let texts = try await withNotes(in: scratch, scenes: Self.scenes) {
                hosted async throws in
                [try await hosted.text(in: "main"), try await hosted.text(in: "other")]
            }
            #expect(texts == ["goes on", "live too"])
        }
    }

    @Test func `L8: a replacement archive waits until the live state can be added to the history`()
        async throws
    {
        let other = try await archive(["main": "earlier"])
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                scratch.watch.fail("archive.new", with: ENOSPC)
                try ReplacementMethod.renamed.put(other, in: scratch)
                await hosted.application.checkArchive()
                #expect(try await hosted.text() == "live")
                guard case .notSaved = try await hosted.write("newer") else {
                    Issue.record("it is said to be saved")
                    return
                }
                #expect(scratch.archiveBytes() == other)
                scratch.watch.fail("archive.new", with: nil)
                await hosted.application.checkArchive()
                #expect(try await hosted.text() == "earlier")
                #expect(await hosted.application.status().saved == .durable)
                let kept = try scratch.allGenerations().map(\.bytes)
                #expect(kept.contains { $0.contains("newer".utf8) })
            }
        }
    }

    @Test(arguments: ReplacementMethod.allCases, [false, true])
    func `L8: an archive that cannot be restored yet stays in place until it can`(
        way: ReplacementMethod, isOnce: Bool
    ) async throws {
        let other = try await archive(["main": "earlier"])
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                if isOnce {
                    scratch.watch.failOnce("data.archive.new", with: ENOSPC)
                } else {
                    scratch.watch.fail("data.archive.new", with: ENOSPC)
                }
                try way.put(other, in: scratch)
                await hosted.application.checkArchive()
                if !isOnce { await hosted.application.checkArchive() }
                guard case .notSaved(let reason) = await hosted.application.status().saved else {
                    Issue.record("it is said to be saved")
                    return
                }
                #expect(reason.contains("is not restored yet"))
                #expect(scratch.archiveBytes() == other)
                #expect(try await hosted.text() == "live")
                scratch.watch.fail("data.archive.new", with: nil)
                await hosted.application.checkArchive()
                #expect(try await hosted.text() == "earlier")
                #expect(try scratch.generations().contains { $0.contains("live".utf8) })
            }
        }
    }

    @Test func `touching the archive has no effect`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                #expect(utimes(scratch.archive, nil) == 0)
                await hosted.application.checkArchive()
                #expect(notes.record.launches == [.pristine])
                #expect(try await hosted.text() == "live")
                #expect(try scratch.generations().isEmpty)
            }
        }
    }

    @Test func `L8: different bytes of the same length are detected after a notification`()
        async throws
    {
        let other = try await archive(["main": "other"])
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("owned") }
            var edited = try #require(scratch.archiveBytes())
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("begun")
                let bytes = try #require(scratch.archiveBytes())
                edited = other + Array(repeating: 0, count: max(0, bytes.count - other.count))
                try ReplacementMethod.inPlace.put(Array(edited.prefix(bytes.count)), in: scratch)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 1, .archiveReplaced)
                #expect(try await hosted.text() == "begun")
                #expect(try await hosted.application.quarantined().count == 1)
            }
        }
    }

    @Test func `L8: a complete archive of the same length that was written in place is restored`()
        async throws
    {
        // The archive of a running application has the same turns and is not closed.
        let other = try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("other")
                return try #require(scratch.archiveBytes())
            }
        }
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("owned")
                let before = try scratch.archiveInodeAndSize()
                let descriptor = open(scratch.archive, O_WRONLY)
                #expect(write(descriptor, other, other.count) == other.count)
                close(descriptor)
                #expect(try scratch.archiveInodeAndSize() == before)
                await hosted.application.checkArchive()
                #expect(try await hosted.text() == "other")
                let kept = try scratch.generations()
                #expect(kept.count == 1 && kept[0].contains("owned".utf8))
            }
        }
    }

    @Test
    func `L8: an orderly stop leaves another archive in place, and the next start restores it`()
        async throws
    {
        let other = try await archive(["main": "earlier"])
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                try ReplacementMethod.renamed.put(other, in: scratch)
            }
            let kept = try scratch.allGenerations().map(\.bytes)
            #expect(kept.contains { $0.contains("live".utf8) })
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "earlier")
        }
    }

    @Test func `L8: an archive is restored only after another program has finished writing it`()
        async throws
    {
        let other = try await archive(["main": "earlier"])
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                // The file is truncated, then written in two parts.
                let descriptor = open(scratch.archive, O_WRONLY | O_TRUNC)
                async let saved = hosted.write("last")
                // At the end of each waiting period, the file has changed again.
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                #expect(write(descriptor, other, 100) == 100)
                await hosted.passDebounce()
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                let remainingBytes = Array(other.dropFirst(100))
                #expect(
                    write(descriptor, remainingBytes, remainingBytes.count) == remainingBytes.count)
                close(descriptor)
                await hosted.application.checkArchive()
                #expect(try await saved == .durable)
                #expect(try await hosted.text() == "earlier")
                #expect(try await hosted.application.quarantined() == [])
            }
        }
    }

    // MARK: Removal

    @Test(arguments: [false, true])
    func `L4: removing the archive resets the application, and nothing is written until a change`(
        isDirectory: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                try FileManager.default.removeItem(
                    atPath: isDirectory ? scratch.applicationDirectory : scratch.archive)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
                #expect(try await hosted.text() == "")
                #expect(notes.record.terminated == ["main"])
                await hosted.passInterval()
                #expect(scratch.archiveBytes() == nil)
                #expect(await hosted.application.status().saved == .durable)
                try await hosted.write("anew")
                #expect(scratch.archiveBytes()?.contains("anew".utf8) == true)
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "anew")
        }
    }

    @Test func `L4: a reset application without changes does not recreate its directory`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                try FileManager.default.removeItem(atPath: scratch.applicationDirectory)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
            }
            #expect(!FileManager.default.fileExists(atPath: scratch.applicationDirectory))
        }
    }

    @Test func `L4: an archive that reappears during the debounce does not count as removed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                let away = "\(scratch.path)/away"
                #expect(rename(scratch.archive, away) == 0)
                await hosted.application.checkArchive()
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                #expect(rename(away, scratch.archive) == 0)
                hosted.clock.advance(by: .milliseconds(100))
                #expect(try await hosted.write("goes on") == .written)
                #expect(notes.record.launches == [.pristine])
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "goes on")
        }
    }
}

extension HostedNotes {
    /// Advances the clock to the end of the waiting period for a change by another program.
    func passDebounce() async {
        await clock.waitForSleeper(for: ExternalChangeHandler.debounce)
        clock.advance(by: ExternalChangeHandler.debounce)
    }
}
