import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Work that the preservation interval does, and the reasons for which it keeps running.
@Suite(.timeLimit(.minutes(10))) struct PreservationIntervalTests {
    // MARK: Missed invalidations

    @Test func `P20: while a task is running, every interval searches for missed invalidations`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let (begun, changed, ended) = (Signal(), Signal(), Signal())
                _ = try await hosted.application.perform { scene in
                    let note = scene.note
                    scene.run {
                        await begun.wait()
                        note.changeWithoutInvalidating("by a task")
                        changed.send()
                        await ended.wait()
                    }
                }
                for _ in 0..<3 { await hosted.passInterval() }
                begun.send()
                await changed.wait()
                #expect(hosted.log.count(.notInvalidated) == 0)
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(hosted.log.count(.notInvalidated) == 1)
                ended.send()
            }
        }
    }

    @Test func `P20: while saving fails, the intervals do not encode the same objects again`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("one")
                for _ in 0..<3 { await hosted.passInterval() }
                _ = await hosted.application.status()
                let encodedCount = notes.record.encoded.count
                for _ in 0..<3 { await hosted.passInterval() }
                _ = await hosted.application.status()
                #expect(notes.record.encoded.count == encodedCount)
                scratch.watch.failWriting("data.archive", with: nil)
            }
        }
    }

    @Test func `P20: a change without an invalidation starts the interval`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.preservationIntervalStops())
                _ = try await hosted.application.perform {
                    $0.note.changeWithoutInvalidating("unseen")
                }
                _ = await hosted.application.status()
                #expect(await hosted.runningIntervals.contains(.preservation))
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try #require(scratch.archiveBytes()).contains("unseen".utf8))
            }
        }
    }

    @Test func `P20: the interval runs until every object of a large scene has been checked`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.registersExtra = true
            notes.behavior.extraCount = 5_000
            try await withNotes(notes, in: scratch) { hosted async throws in
                #expect(try await hosted.preservationIntervalStops())
                _ = try await hosted.application.perform { _ in }
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(await hosted.runningIntervals.contains(.preservation))
                #expect(try await hosted.preservationIntervalStops())
            }
        }
    }

    // MARK: Retries

    @Test func `P19: model data that cannot be written is retried at every interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let store = NotesModel.Store(scratch.watch)
            var settings = HostedSettings()
            settings.makeModel = { _ in store.make() }
            try await withNotes(in: scratch, settings) { hosted async throws in
                #expect(try await hosted.preservationIntervalStops())
                store.fails = true
                let saved = try await hosted.application.performEvenIfUnsaved { scene in
                    scene.model?.add("one")
                }.saved
                #expect(!saved.isSaved)
                #expect(try await hosted.preservationIntervalKeepsRunning())
                store.fails = false
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(store.saved == ["one"])
            }
        }
    }

    @Test func `L6: a generation that cannot be stored anywhere is retried at every interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, version: "1") { try await $0.write("old") }
            try scratch.removeHistory()
            let directories = ["history", "quarantine"]
            for name in directories { scratch.watch.fail(name, with: EACCES) }
            try await withNotes(in: scratch, version: "2") { hosted async throws in
                #expect(try await hosted.write("new") == .written)
                #expect(try await hosted.preservationIntervalKeepsRunning())
                for name in directories { scratch.watch.fail(name, with: nil) }
                await hosted.passInterval()
                _ = await hosted.application.status()
                let generations = try scratch.generations()
                #expect(generations.map { $0.contains("old".utf8) } == [true])
            }
        }
    }

    @Test func `L8: an archive that cannot be quarantined is retried at every interval`()
        async throws
    {
        let other = try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("earlier") }
            return try #require(scratch.archiveBytes())
        }
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                scratch.watch.fail("quarantine", with: EIO)
                notes.behavior.failingScenes = ["main"]
                try scratch.renameOverArchive(other)
                await hosted.application.checkArchive()
                notes.behavior.failingScenes = []
                #expect(try await hosted.text() == "live")
                #expect(try await hosted.preservationIntervalKeepsRunning())
                scratch.watch.fail("quarantine", with: nil)
                await hosted.passInterval()
                _ = await hosted.application.status()
                let entries = try await hosted.application.quarantined()
                #expect(try entries.map { try ScratchDirectory.bytes(of: $0.path) } == [other])
            }
        }
    }

    @Test func `while generations cannot be added, the history interval keeps running`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.history.interval = .seconds(60)
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("one")
                #expect(try await hosted.preservationIntervalStops())
                scratch.watch.fail("history", with: EACCES)
                let timer = try #require(
                    await hosted.application.intervalTimers?.timers[.history])
                hosted.clock.advance(by: .seconds(60))
                await timer.value
                await hosted.log.wait(for: 1, .generationFailed)
                #expect(try await hosted.preservationIntervalStops())
                #expect(await hosted.runningIntervals == [.history])
                scratch.watch.fail("history", with: nil)
            }
        }
    }

    // MARK: Grace period

    @Test func `L8: the interval keeps running while replaced state may still cause crashes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("first") }
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("second")
                try await hosted.application.rollBack(to: "1")
                #expect(try await hosted.preservationIntervalKeepsRunning())
            }
        }
    }

    @Test func `L8: replaced state is accepted at the first interval after the grace period`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("first") }
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try await hosted.write("second")
                try await application.rollBack(to: "1")
                await application.backdateLaunch(of: "main")
                _ = try await hosted.text()
                #expect(await application.known("main").replaced != nil)
                await hosted.passInterval()
                _ = await application.status()
                #expect(await application.known("main").replaced == nil)
            }
        }
    }

    // MARK: Settings

    @Test(arguments: [false, true])
    func `a changed interval applies to the timer that is already running`(isHistory: Bool)
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("one")
                let interval = isHistory ? Preservation.Interval.history : .preservation
                let timer = await hosted.application.intervalTimers?.timers[interval]
                var settings = await hosted.application.settings
                if isHistory {
                    settings.history.interval = .seconds(17)
                } else {
                    settings.interval = .seconds(17)
                }
                await hosted.application.apply(settings)
                let newTimer = await hosted.application.intervalTimers?.timers[interval]
                try #require(newTimer != timer)
                await hosted.clock.waitForSleeper(for: .seconds(17))
            }
        }
    }
}

extension HostedNotes {
    /// Intervals that are running.
    fileprivate var runningIntervals: Set<Preservation.Interval> {
        get async { Set((await application.intervalTimers?.timers ?? [:]).keys) }
    }

    /// Advances the clock until the preservation interval is not running, or returns `false` if this does not happen.
    fileprivate func preservationIntervalStops() async throws -> Bool {
        for _ in 0..<5 {
            await passInterval()
            _ = try await application.waitUntilDurable()
            if await !runningIntervals.contains(.preservation) { return true }
        }
        return false
    }

    /// Advances the clock several times, and returns whether the preservation interval is running each time.
    fileprivate func preservationIntervalKeepsRunning() async throws -> Bool {
        for _ in 0..<5 {
            await passInterval()
            _ = try await application.waitUntilDurable()
            if await !runningIntervals.contains(.preservation) { return false }
        }
        return true
    }
}

extension Application {
    /// Changes the launch record of a scene as if the scene had been launched soon after the machine started.
    fileprivate func backdateLaunch(of scene: String) {
        var launches = known(scene)
        launches.launchedAt = 1
        launchSequence.sceneLaunchGuard.reinstate([
            RestorationIdentifier(recorded: scene): launches
        ])
    }
}
