import FoundationEssentials
import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Generations that a stop adds after a launch has added records.
@Suite(.timeLimit(.minutes(5))) struct LaunchAdditionsTests {
    private static let stopped = "the application was stopped"
    private static let passed = "the history interval elapsed"
    /// Time between the launches of two scenes.
    private static let pause = Duration.microseconds(250)

    private func reasons(_ scratch: ScratchDirectory) throws -> [String] {
        try scratch.allGenerations().map(\.reason)
    }

    /// Returns notes whose launch adds records to each scene.
    private func notesAddingRecords(_ count: Int = 1) -> Notes {
        let notes = Notes()
        notes.behavior.registersExtra = true
        notes.behavior.extraCount = count
        return notes
    }

    @Test func `a change that was undone after a generation is in the next generation`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("one") }
            var settings = HostedSettings()
            settings.history.interval = HostedNotes.interval
            try await withNotes(notesAddingRecords(), in: scratch, settings) {
                hosted async throws in
                try await hosted.write("two")
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try reasons(scratch) == [Self.stopped, Self.passed])
                try await hosted.write("one")
            }
            #expect(try reasons(scratch) == [Self.stopped, Self.passed, Self.stopped])
        }
    }

    @Test func `after a kill, records of the killed program are in the next generation`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("one") }
            try await withScratchDirectory { killed async throws in
                try await withNotes(notesAddingRecords(), in: scratch) { _ in
                    try scratch.copy(to: killed)
                }
                try await withNotes(notesAddingRecords(2), in: killed) { hosted async throws in
                    #expect(try await hosted.application.report().reason == .recover)
                }
                #expect(try reasons(killed) == [Self.stopped, Self.stopped])
            }
        }
    }

    @Test func `records that one stop cannot add to the history are added by the next stop`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("one") }
            try await withNotes(in: scratch) { hosted async throws in
                _ = try await hosted.application.perform { scene in
                    try (scene.delegate as? NotesDelegate)?.registerExtras(in: scene)
                }
                scratch.watch.fail("history", with: EACCES)
            }
            scratch.watch.fail("history", with: nil)
            #expect(try reasons(scratch) == [Self.stopped])
            // This launch adds no records.
            try await withNotes(notesAddingRecords(), in: scratch) { _ in }
            #expect(try reasons(scratch) == [Self.stopped, Self.stopped])
        }
    }

    @Test func `a change that is not written yet is in the generation of the history interval`()
        throws
    {
        let bench = try TurnBench()
        bench.saver.saveChangesToHistory(because: .historyInterval)
        bench.saver.generations.saveLaunchAdditions {}
        // The archive cannot be written until the change by another program has been handled.
        bench.overwriteArchive([1])
        bench.write("two")
        bench.runTurn()
        #expect(bench.saver.archive.hasPendingChanges)
        bench.saver.saveChangesToHistory(because: .historyInterval)
        #expect(bench.bytes(of: "history/000002.archive")?.contains("two".utf8) == true)
    }

    // MARK: Deferred launches

    /// Runs an application, and calls a closure while the launch of the last of three scenes is deferred.
    private func withDeferredLaunch(
        in scratch: ScratchDirectory, _ body: (HostedNotes) async throws -> Void
    ) async throws {
        try await withNotes(in: scratch) { hosted async throws in
            for scene in ["last", "next"] {
                try await hosted.application.open(scene: scene)
                try await hosted.write("one", in: scene)
            }
        }
        #expect(try reasons(scratch) == [Self.stopped])
        var settings = HostedSettings()
        settings.waitsForLaunch = false
        settings.isLaunchEager = false
        try await withNotes(notesAddingRecords(), in: scratch, settings) { hosted async throws in
            await hosted.clock.waitForSleeper(for: Self.pause)
            #expect(await hosted.application.status().launchedSceneCount == 2)
            try await body(hosted)
        }
    }

    @Test func `S3: records that a deferred launch has added are not in a generation at once`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withDeferredLaunch(in: scratch) { hosted async throws in
                await hosted.application.runTurn(.history)
                #expect(try reasons(scratch) == [Self.stopped])
            }
        }
    }

    @Test(arguments: [false, true])
    func `S3: a change whose write failed before a deferred launch is in the next generation`(
        isWrittenWithLaunch: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await withDeferredLaunch(in: scratch) { hosted async throws in
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                #expect(try await !hosted.write("two").isSaved)
                if isWrittenWithLaunch { scratch.watch.failWriting("data.archive", with: nil) }
                hosted.clock.advance(by: Self.pause)
                try await hosted.application.waitUntilLaunched()
                scratch.watch.failWriting("data.archive", with: nil)
            }
            #expect(try reasons(scratch) == [Self.stopped, Self.stopped])
            let newest = try #require(try scratch.allGenerations().last)
            #expect(newest.bytes.contains("two".utf8))
        }
    }

    @Test func `S3: a change in a scene with a deferred launch is in the next generation`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withDeferredLaunch(in: scratch) { hosted async throws in
                try await hosted.write("two", in: "last")
                hosted.clock.advance(by: Self.pause)
                try await hosted.application.waitUntilLaunched()
            }
            #expect(try reasons(scratch) == [Self.stopped, Self.stopped])
            let newest = try #require(try scratch.allGenerations().last)
            #expect(newest.bytes.contains("two".utf8))
        }
    }
}
