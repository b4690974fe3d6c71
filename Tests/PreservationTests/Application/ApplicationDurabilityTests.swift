import Glibc
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Durability of saved state, and the time at which it is reached.
@Suite struct ApplicationDurabilityTests {
    @Test
    func
        `written state becomes durable at the interval, and status reports it as written until then`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.write("one") == .written)
                #expect(try await hosted.write("two") == .written)
                let before = await hosted.application.status()
                #expect(before.saved == .written)
                #expect(before.notDurableWrites == 2)
                #expect(before.notDurableSince != nil)
                await hosted.passInterval()
                for await _ in scratch.watch.dataSyncs.stream { break }
                #expect(try await hosted.application.waitUntilDurable() == .durable)
                let after = await hosted.application.status()
                #expect(after.saved == .durable)
                #expect(after.notDurableWrites == 0)
                #expect(after.notDurableSince == nil)
            }
        }
    }

    @Test func `a stop without unsaved changes syncs once`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { _ = try await $0.write("one") }
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.application.preserve() == .durable)
                scratch.watch.clear()
            }
            #expect(scratch.watch.dataSyncCount == 1)
            #expect(scratch.watch.synchronized == [])
        }
    }

    @Test func `preserve replies once everything is durable`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.write("one") == .written)
                scratch.watch.clear()
                #expect(try await hosted.application.preserve() == .durable)
                #expect(scratch.watch.dataSyncCount == 1)
            }
        }
    }

    @Test func `with commit, every reply waits for its sync, and one sync serves many replies`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let settings = HostedSettings(durability: .commit)
            try await withNotes(in: scratch, settings) { hosted async throws in
                #expect(try await hosted.write("one") == .durable)
                scratch.watch.clear()
                let waiting = await hosted.application.queue(60) { number, scene in
                    scene.note.text = "text \(number)"
                }
                for task in waiting {
                    #expect(try await task.value.saved == .durable)
                }
                #expect(scratch.watch.events == ["data.archive"])
                #expect(scratch.watch.dataSyncCount == 1)
            }
        }
    }

    @Test(arguments: [PreservationSettings.Durability.written, .commit])
    func `after a failed sync, a new file is written and nothing is appended to the old file`(
        durability: PreservationSettings.Durability
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let settings = HostedSettings(durability: durability)
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("before")
                let old = try scratch.archiveInodeAndSize()[0]
                scratch.watch.fail("sync of data.archive", with: EIO)
                try await hosted.write("after")
                #expect(try await hosted.application.preserve() == .durable)
                #expect(try scratch.archiveInodeAndSize()[0] != old)
                let status = await hosted.application.status()
                #expect(status.saved == .durable)
                #expect(status.lastError?.contains("Input/output error") == true)
                let time = try #require(status.lastErrorTime)
                #expect(
                    hosted.log.entries.contains { $0.message.contains("can no longer be trusted") })
                scratch.watch.fail("sync of data.archive", with: nil)
                #expect(try await hosted.text() == "after")
                // The time of the error does not change, and later passes are newer.
                try await hosted.write("later")
                let later = await hosted.application.status()
                #expect(later.lastErrorTime == time)
                #expect(try #require(later.lastPass) > time)
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "later")
        }
    }

    @Test func `a write during a sync becomes durable only with the next sync`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, HostedSettings(durability: .commit)) { hosted in
                let watch = scratch.watch
                let application = hosted.application
                try await hosted.write("before")
                watch.clear()
                watch.setSyncing(.blocked)
                async let first = hosted.write("one")
                await watch.blockedSyncs.wait { $0 == 1 }
                async let second = { (try await hosted.write("two"), watch.dataSyncCount) }()
                try await waitUntil("two writes are not durable") {
                    await application.status().notDurableWrites == 2
                }
                let since = try #require(await application.status().notDurableSince)
                watch.permitSync()
                #expect(try await first == .durable)
                await watch.blockedSyncs.wait { $0 == 2 }
                let status = await application.status()
                #expect(status.notDurableWrites == 1)
                #expect(status.saved == .written)
                #expect(try #require(status.notDurableSince) >= since)
                watch.setSyncing(.real)
                watch.permitSync()
                let (saved, syncs) = try await second
                #expect(saved == .durable)
                #expect(syncs == 2)
                #expect(await application.status().notDurableSince == nil)
            }
        }
    }

    @Test func `P16: state that a rollback made durable is no longer counted as not durable`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("old") }
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let start = await application.status()
                #expect((start.notDurableWrites == 0) == (start.notDurableSince == nil))
                try await hosted.write("one")
                let since = try #require(await application.status().notDurableSince)
                try await application.rollBack(to: "1")
                #expect(await application.status().notDurableSince == nil)
                try await hosted.write("two")
                #expect(try #require(await application.status().notDurableSince) > since)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `the stream of changes sends an event when written state becomes durable`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                var changes = hosted.application.changes.makeAsyncIterator()
                _ = try await hosted.application.preserve()
                #expect(try await hosted.write("one") == .written)
                while await hosted.application.status().saved != .written {
                    _ = await changes.next()
                }
                _ = await changes.next()
                await hosted.passInterval()
                // Without an event, this loop would never end.
                while await hosted.application.status().saved != .durable {
                    _ = await changes.next()
                }
            }
        }
    }

    @Test func `quit replies to commands that wait for a sync`() async throws {
        try await withScratchDirectory { scratch async throws in
            let settings = HostedSettings(durability: .commit)
            try await withNotes(in: scratch, settings) { hosted async throws in
                let last = try await hosted.application.queueAndQuit(1) { _, scene in
                    scene.note.text = "last"
                }
                for task in last { #expect(try await task.value.saved == .durable) }
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "last")
        }
    }
}
