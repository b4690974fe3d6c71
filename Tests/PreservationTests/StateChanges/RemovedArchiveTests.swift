import FoundationEssentials
import Glibc
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Live state of an application whose archive another program removes (L4).
@Suite struct RemovedArchiveTests {
    private func remove(_ path: String, under hosted: HostedNotes) async throws {
        try FileManager.default.removeItem(atPath: path)
        await hosted.application.checkArchive()
        await hosted.passDebounce()
        await hosted.log.wait(for: 2, .launched)
    }

    @Test
    func `L4: when the archive is removed, the live state is kept in the history and reported`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                try await remove(scratch.archive, under: hosted)
                #expect(try await hosted.text() == "")
                let kept = try #require(try scratch.allGenerations().last)
                #expect(kept.reason == "\(GenerationReason.archiveRemoved)")
                #expect(kept.bytes.contains("live".utf8))

                let command = "`reprisectl --app \(Notes.bundleIdentifier) rollback 1`"
                let status = await hosted.application.status()
                #expect(status.lastError?.contains(command) == true)
                let report = try await hosted.application.report()
                #expect(report.reason == .pristine)
                #expect(report.displaced?.contains(command) == true)
                let told = try await hosted.application.perform { scene in
                    ObjectExplainer(scene).explanation(of: "note", passMetadata: scene.testStamp)
                        .sentences
                }.result
                #expect(told.contains { $0.contains(command) })

                try await hosted.application.rollBack(to: "1")
                #expect(try await hosted.text() == "live")
                #expect(try await hosted.application.report().displaced == nil)
            }
        }
    }

    @Test
    func `L4: removing the archive adds no generation if the newest generation has the state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("saved") }
            try await withNotes(in: scratch) { hosted async throws in
                try await remove(scratch.archive, under: hosted)
                #expect(try scratch.allGenerations().count == 1)
                let report = try await hosted.application.report()
                #expect(report.displaced?.contains("rollback 1") == true)
            }
        }
    }

    @Test(arguments: [false, true])
    func `L4: the live state is not kept if the history was removed as well`(
        isDirectory: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("saved") }
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                if !isDirectory { try scratch.removeHistory() }
                try await remove(
                    isDirectory ? scratch.applicationDirectory : scratch.archive, under: hosted)
                #expect(try scratch.allGenerations().isEmpty)
                let report = try await hosted.application.report()
                #expect(report.displaced?.contains("together with its history") == true)
                await hosted.passInterval()
                #expect(try scratch.allGenerations().isEmpty)
            }
        }
    }

    @Test
    func `L4: scenes whose state was removed keep running until it can be added to the history`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                scratch.watch.fail("history", with: ENOSPC)
                try FileManager.default.removeItem(atPath: scratch.archive)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                #expect(try await hosted.text() == "live")
                guard case .notSaved(let reason) = try await hosted.write("newer") else {
                    Issue.record("it is said to be saved")
                    return
                }
                #expect(reason.contains("history"))
                scratch.watch.fail("history", with: nil)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
                #expect(try await hosted.text() == "")
                #expect(try #require(scratch.generations().last).contains("newer".utf8))
            }
        }
    }

    @Test func `L4: a command that waits while its archive is removed is not reported as saved`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                #expect(unlink(scratch.archive) == 0)
                await hosted.application.checkArchive()
                let passes = hosted.log.count(.passFinished)
                async let saved = hosted.write("last")
                await hosted.log.wait(for: passes + 1, .passFinished)
                await hosted.passDebounce()
                guard case .notSaved(let reason) = try await saved else {
                    Issue.record("it is reported as saved")
                    return
                }
                #expect(reason.contains("was removed"))
                #expect(try #require(scratch.generations().last).contains("last".utf8))
            }
        }
    }

    @Test func `L4: a stop after the archive was removed adds the live state to the history`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                #expect(unlink(scratch.archive) == 0)
                await hosted.application.checkArchive()
                try await hosted.application.quitUntilLaunch()
                #expect(scratch.archiveBytes() == nil)
                #expect(try #require(scratch.generations().last).contains("live".utf8))
                let status = await hosted.application.status()
                #expect(status.lastError?.contains("rollback 1") == true)
            }
        }
    }
}

extension Scene {
    /// Reserved values of a pass in a test.
    fileprivate var testStamp: PassMetadata {
        PassMetadata(bundleVersion: "1", timestamp: 1, systemVersion: "")
    }
}
