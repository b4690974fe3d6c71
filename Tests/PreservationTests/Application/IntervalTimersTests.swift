import FoundationEssentials
import Glibc
import RestorationTesting
import TestSupport
import Testing

@testable import Preservation

/// Intervals of an application, and the times at which no interval runs.
@Suite struct IntervalTimersTests {
    @Test func `P14: the interval timers run only while there is something to do`() async throws {
        try await withScratchDirectory { scratch async throws in
            let passed = try await withNotes(in: scratch) { hosted async throws in
                #expect(await hosted.timers == [.preservation, .history])
                #expect(try await hosted.comesToRest())
                #expect(await hosted.timers == [.history])
                let history = await hosted.application.settings.history.interval
                hosted.clock.advance(by: history)
                try await waitUntil("no interval passes") { await hosted.timers == [] }
                #expect(hosted.clock.sleeperCount == 0)

                // A read-only turn changes nothing, but application code may change any object.
                _ = try await hosted.application.inspect { _ in }
                #expect(await hosted.timers == [])
                try await hosted.write("one")
                #expect(await hosted.timers == [.preservation, .history])
                #expect(try await hosted.comesToRest())
                let passes = hosted.log.count(.passFinished)
                await hosted.application.changeNotes("two")
                let status = await hosted.status(afterPasses: passes + 1)
                #expect(status.saved == .written)
                #expect(await hosted.timers == [.preservation, .history])
                return hosted.clock
            }
            #expect(passed.sleeperCount == 0)
        }
    }

    @Test func `P20: applying settings at rest does not start the preservation interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("one")
                #expect(try await hosted.comesToRest())
                var settings = await hosted.application.settings
                settings.interval = .seconds(7)
                await hosted.application.apply(settings)
                #expect(await hosted.timers == [.history])
            }
        }
    }

    @Test func `L4: the preservation interval stops after a reset without further changes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                try FileManager.default.removeItem(atPath: scratch.archive)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
                #expect(try await hosted.comesToRest())
            }
        }
    }

    @Test func `P1: the preservation interval stops even if the application does not save`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var behavior = Notes.Behavior()
            behavior.savesState = false
            try await withNotes(Notes(behavior), in: scratch) { hosted async throws in
                try await hosted.write("one")
                #expect(try await hosted.comesToRest())
            }
        }
    }

    @Test func `P14: a failed write is retried at the next interval and not earlier`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.application.preserve() == .durable)
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("one")
                let tries = scratch.watch.refusalCount
                #expect(tries > 0)
                // The sync finds nothing to synchronize, and does not retry the write.
                await hosted.application.syncNow()
                #expect(scratch.watch.refusalCount == tries)
                await hosted.passInterval()
                #expect(scratch.watch.refusalCount == tries + 1)
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(try await hosted.comesToRest())
            }
        }
    }

    @Test func `the preservation interval keeps running while saving fails`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.comesToRest())
                scratch.blockSaving()
                try await hosted.write("one")
                for _ in 0..<3 {
                    await hosted.passInterval()
                    _ = await hosted.application.status()
                    #expect(await hosted.timers.contains(.preservation))
                }
                scratch.allowSaving()
                #expect(try await hosted.comesToRest())
                #expect(await hosted.application.status().saved == .durable)
            }
        }
    }
}

extension HostedNotes {
    /// Intervals that are running.
    fileprivate var timers: Set<Preservation.Interval> {
        get async { Set((await application.intervalTimers?.timers ?? [:]).keys) }
    }

    /// Advances the clock until only the history interval is running, or returns `false` if this does not happen.
    fileprivate func comesToRest() async throws -> Bool {
        for _ in 0..<5 {
            await passInterval()
            _ = try await application.waitUntilDurable()
            if await !timers.contains(.preservation) { return true }
        }
        return false
    }
}
