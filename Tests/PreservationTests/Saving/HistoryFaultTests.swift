import FoundationEssentials
import Glibc
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Saving continues if the history is unusable.
@Suite struct HistoryFaultTests {
    /// Cause of an unusable history.
    enum Fault: CaseIterable {
        case file, linkToNowhere, linkToItself, forbidden, full

        func put(in scratch: ScratchDirectory) throws {
            try? FileManager.default.removeItem(atPath: scratch.history)
            switch self {
            case .file: try ScratchDirectory.write([1], to: scratch.history)
            case .linkToNowhere: #expect(symlink("nowhere", scratch.history) == 0)
            case .linkToItself: #expect(symlink("history", scratch.history) == 0)
            case .forbidden: scratch.watch.fail("history", with: EACCES)
            case .full: scratch.watch.fail("archive.new", with: ENOSPC)
            }
        }
    }

    private func registering() -> Notes {
        var behavior = Notes.Behavior()
        behavior.registersExtra = true
        return Notes(behavior)
    }

    /// Saves state as if the process had been killed. The next launch cannot restore all of it.
    private func killed(in scratch: ScratchDirectory) async throws {
        try await withNotes(registering(), in: scratch) { hosted async throws in
            try await hosted.write("old")
            _ = try await hosted.application.preserve()
            try await withScratchDirectory { copy in
                try scratch.copy(to: copy)
                try await hosted.application.forceQuit()
                try FileManager.default.removeItem(atPath: scratch.stateDirectory)
                try copy.copy(to: scratch)
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `R16, L6: an unusable history does not prevent saving after a crash`(
        fault: Fault
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await killed(in: scratch)
            let bytes = try #require(scratch.archiveBytes())
            try fault.put(in: scratch)
            try await withNotes(in: scratch) { hosted async throws in
                // A stop throws an error if the previous state is still only in memory.
                defer { scratch.watch.fail("archive.new", with: nil) }
                #expect(try await hosted.write("new") == .written)
                #expect(try await hosted.application.preserve() == .durable)
                let status = await hosted.application.status()
                #expect(status.saved == .durable)
                #expect(status.historyFailure != nil)
                // If the quarantine is full as well, the previous state is only in memory.
                #expect(hosted.log.count(.generationFailed) == (fault == .full ? 2 : 1))
                if fault == .full { return }
                // The previous state is in quarantine.
                let kept = try await hosted.application.quarantined()
                #expect(kept.count == 1)
                #expect(kept.first?.reason?.contains("not all objects of the scene") == true)
                let path = try #require(kept.first?.path)
                #expect(try ScratchDirectory.bytes(of: path).starts(with: bytes))
            }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == "new")
        }
    }

    @Test
    func
        `R16: a generation that cannot be stored stays in memory until it can, and saving continues`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await killed(in: scratch)
            let bytes = try #require(scratch.archiveBytes())
            let watch = scratch.watch
            for name in ["history", "quarantine"] { watch.fail(name, with: EACCES) }
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.write("new") == .written)
                await hosted.passInterval()
                let logged = hosted.log.entries.filter { $0.message.contains("only in memory") }
                #expect(logged.count == 1)
                #expect(try #require(scratch.archiveBytes()).contains("new".utf8))
                for name in ["history", "quarantine"] { watch.fail(name, with: nil) }
                await hosted.passInterval()
                await hosted.log.wait(for: 2, .generationMade)
                #expect(try scratch.generations().map { $0.starts(with: bytes) } == [true])
                #expect(await hosted.application.status().historyFailure == nil)
            }
        }
    }

    @Test func `R16: a stop reports a previous state that is lost with the program`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await killed(in: scratch)
            let watch = scratch.watch
            for name in ["history", "quarantine"] { watch.fail(name, with: EACCES) }
            var lastStop: UnsavedStop?
            do throws(any Error) {
                try await withNotes(in: scratch) { hosted async throws in
                    #expect(try await hosted.write("new") == .written)
                    let stop = await #expect(throws: UnsavedStop.self) {
                        try await hosted.application.quitUntilLaunch()
                    }
                    #expect(stop?.reason.contains("is only in memory") == true)
                    #expect(await hosted.application.status().saved == .durable)
                }
            } catch let error as UnsavedStop {
                lastStop = error
            }
            #expect(lastStop?.reason.contains("is only in memory") == true)
            for name in ["history", "quarantine"] { watch.fail(name, with: nil) }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == "new")
        }
    }

    @Test(arguments: ["history", "quarantine"])
    func `R16: a stop stores a previous state that was only in memory`(
        usableDirectory: String
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await killed(in: scratch)
            let bytes = try #require(scratch.archiveBytes())
            let watch = scratch.watch
            for name in ["history", "quarantine"] { watch.fail(name, with: EACCES) }
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.write("new") == .written)
                watch.fail(usableDirectory, with: nil)
                try await hosted.application.quitUntilLaunch()
                watch.fail("history", with: nil)
                watch.fail("quarantine", with: nil)
                if usableDirectory == "history" {
                    #expect(try scratch.generations().contains { $0.starts(with: bytes) })
                } else {
                    let paths = try await hosted.application.quarantined().map(\.path)
                    #expect(
                        try paths.contains {
                            try ScratchDirectory.bytes(of: $0).starts(with: bytes)
                        })
                }
            }
        }
    }

    @Test func `a generation that is added after a failure is counted once`() async throws {
        try await withScratchDirectory { scratch async throws in
            let metrics = CounterRecorder()
            var settings = HostedSettings()
            settings.metrics = metrics
            settings.history.interval = HostedNotes.interval
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("one")
                scratch.watch.fail("history", with: EACCES)
                try await hosted.application.quitUntilLaunch()
                scratch.watch.fail("history", with: nil)
                await hosted.passInterval()
                #expect(await hosted.application.status().historyFailure == nil)
                #expect(metrics.count(of: "reprise_generations") == 1)
            }
        }
    }

    @Test
    func `a generation that one stop cannot add is added by the next stop, even without changes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("one") }
            let movedPath = "\(scratch.applicationDirectory)/aside"
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("two")
                #expect(rename(scratch.history, movedPath) == 0)
                try ScratchDirectory.write([1], to: scratch.history)
            }
            try FileManager.default.removeItem(atPath: scratch.history)
            #expect(rename(movedPath, scratch.history) == 0)
            #expect(try scratch.allGenerations().count == 1)
            try await withNotes(in: scratch) { _ in }
            let newest = try #require(try scratch.allGenerations().last)
            #expect(newest.bytes.contains("two".utf8))
        }
    }

    @Test func `a generation that a stop cannot add is added after the history interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.history.interval = HostedNotes.interval
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("one")
                scratch.watch.fail("history", with: EACCES)
                try await hosted.application.quitUntilLaunch()
                #expect(await hosted.application.status().historyFailure != nil)
                scratch.watch.fail("history", with: nil)
                await hosted.passInterval()
                #expect(await hosted.application.status().historyFailure == nil)
                let generations = try scratch.allGenerations()
                #expect(generations.map(\.reason) == ["the application was stopped"])
                #expect(generations.first?.bytes.contains("one".utf8) == true)
                #expect(await hosted.application.intervalTimers?.timers.isEmpty == true)
            }
        }
    }

    @Test func `a failure to add generations is logged once until it is over`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.history.interval = .seconds(10)
            try await withNotes(in: scratch, settings) { hosted async throws in
                scratch.watch.fail("history", with: EACCES)
                for text in ["one", "two", "three"] {
                    try await hosted.write(text)
                    await hosted.passInterval()
                    await hosted.passInterval()
                }
                #expect(hosted.log.count(.generationFailed) == 1)
                #expect(await hosted.application.status().historyFailure != nil)
                scratch.watch.fail("history", with: nil)
                await hosted.passInterval()
                await hosted.passInterval()
                await hosted.log.wait(for: 2, .generationMade)
                #expect(await hosted.application.status().historyFailure == nil)
            }
        }
    }
}
