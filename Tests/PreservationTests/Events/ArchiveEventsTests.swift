import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Events about the archive file of an application.
@Suite struct ArchiveEventsTests {
    /// Follower that stores the kinds of the events it receives.
    private final class Follower: ApplicationEventFollower {
        private let received = Mutex<[ApplicationEvent.Kind]>([])

        var isFollowing: Bool { true }
        var kinds: [ApplicationEvent.Kind] { received.withLock { $0 } }

        func receive(_ events: [ApplicationEvent], of application: String) {
            received.withLock { $0 += events.map(\.kind) }
        }
    }

    @Test(arguments: [false, true])
    func `L5: a damaged archive causes an event only if intact objects are salvaged`(
        isSalvaged: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            var behavior = Notes.Behavior()
            behavior.registersExtra = true
            try await withNotes(Notes(behavior), in: scratch) { try await $0.write("precious") }
            // A generation is a complete file that consists of a single pass.
            var bytes = try #require(try scratch.allGenerations().last?.bytes)
            try scratch.removeHistory()
            let text = try #require(bytes.firstRange(of: Array("precious".utf8)))
            let damaged = isSalvaged ? text.lowerBound..<text.lowerBound + 1 : 80..<bytes.count
            for index in damaged { bytes[index] ^= 1 }
            try ScratchDirectory.write(bytes, to: scratch.archive)
            let follower = Follower()
            var settings = HostedSettings()
            settings.follower = follower
            try await withNotes(Notes(behavior), in: scratch, settings) { hosted async throws in
                #expect(hosted.log.count(.quarantined) == 1)
                #expect(follower.kinds.count { $0 == .salvaged } == (isSalvaged ? 1 : 0))
            }
        }
    }

    @Test func `L4: a check causes an event only if another program has changed the archive`()
        async throws
    {
        let other = try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("theirs") }
            return try #require(scratch.archiveBytes())
        }
        try await withScratchDirectory { scratch async throws in
            let follower = Follower()
            var settings = HostedSettings()
            settings.follower = follower
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("live")
                await hosted.application.checkArchive()
                #expect(!follower.kinds.contains(.fileChanged))
                try scratch.renameOverArchive(other)
                await hosted.application.checkArchive()
                #expect(follower.kinds.count { $0 == .fileChanged } == 1)
            }
        }
    }
}
