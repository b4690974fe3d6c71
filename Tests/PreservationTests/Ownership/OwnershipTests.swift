import ExactText
import FoundationEssentials
import Glibc
import RestorationTesting
import SavedState
import ServiceLifecycle
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Applications that only one host of a cluster runs at a time.
@Suite(.timeLimit(.minutes(10))) struct OwnershipTests {
    /// Replica that stores received state only when the test requests it.
    private final class Replica: StateReplica {
        private struct Content {
            var progress = ReplicaProgress()
            var wholes = 0
            var lineage: Lineage?
            var documents: [String: [UInt8]] = [:]
        }

        private let content = Mutex(Content())

        var progress: ReplicaProgress { content.withLock { $0.progress } }
        /// Number of times that the replica has received the whole state.
        var wholes: Int { content.withLock { $0.wholes } }
        var lineage: Lineage? { content.withLock { $0.lineage } }
        var documents: [String: [UInt8]] { content.withLock { $0.documents } }

        func setLineage(_ lineage: Lineage) { content.withLock { $0.lineage = lineage } }

        func append(_ records: RecordList, turn: UInt64) {
            content.withLock { $0.progress.acceptedCount += 1 }
        }

        func replace(with records: RecordList, turn: UInt64) {
            content.withLock {
                $0.progress.acceptedCount += 1
                $0.wholes += 1
            }
        }

        func replaceDocument(_ name: String, with bytes: [UInt8]) {
            content.withLock {
                $0.progress.acceptedCount += 1
                $0.documents[name] = bytes
            }
        }

        func replicateAll() {
            content.withLock { $0.progress.replicatedCount = $0.progress.acceptedCount }
        }
    }

    private static let timeout = PreservationSettings().replicationTimeout

    /// Runs the service of an application that is not launched until its host is the owner.
    private func withHost(
        in scratch: ScratchDirectory,
        durability: PreservationSettings.Durability = .replicated,
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        let settings = HostedSettings(durability: durability)
        try await withStoppedNotes(in: scratch, settings) { hosted in
            await hosted.application.markShared()
            let services = ServiceGroup(services: [hosted.application], logger: .quiet)
            async let running: Void = services.run()
            try await body(hosted)
            await services.triggerGracefulShutdown()
            try await running
        }
    }

    private func ownership(
        _ replica: Replica, writer: UInt64 = 1, isValid: @escaping @Sendable () -> Bool = { true }
    ) -> Ownership {
        Ownership(writerID: writer, replica: replica, isValid: isValid)
    }

    private func documents(in scratch: ScratchDirectory) throws -> DocumentsDirectory {
        try scratch.watched(by: scratch.watch).documents(of: Notes.bundleIdentifier)
    }

    private static func exact(_ documents: [String: [UInt8]]) -> [ExactString: [UInt8]] {
        Dictionary(uniqueKeysWithValues: documents.map { (ExactString($0.key), $0.value) })
    }

    // MARK: Replies

    @Test func `each reply waits until its change is replicated or the timeout expires`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch) { hosted async throws in
                let (replica, clock) = (Replica(), hosted.clock)
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                async let first = hosted.write("one")
                await clock.waitForSleeper(for: Self.timeout)
                replica.replicateAll()
                await hosted.application.replicaDidProgress()
                #expect(try await first == .replicated)
                let limit = await hosted.application.intervalTimers?.timers[.replication]
                #expect(limit == nil)
                // The second reply waits for the full timeout, regardless of the time left for the first reply.
                clock.advance(by: .seconds(6))
                async let second = hosted.write("two")
                await clock.waitForSleeper(for: Self.timeout)
                clock.advance(by: .seconds(4))
                _ = await hosted.application.status()
                replica.replicateAll()
                await hosted.application.replicaDidProgress()
                #expect(try await second == .replicated)
                async let third = hosted.write("three")
                await clock.waitForSleeper(for: Self.timeout)
                clock.advance(by: Self.timeout)
                guard case .notSaved(let reason) = try await third else {
                    Issue.record("what is on this host alone is called replicated")
                    return
                }
                #expect(reason.hasSuffix("within \(Self.timeout): etcd does not respond"))
                async let fourth = hosted.write("four")
                await clock.waitForSleeper(for: Self.timeout)
                replica.replicateAll()
                await hosted.application.replicaDidProgress()
                #expect(try await fourth == .replicated)
            }
        }
    }

    @Test func `preserve waits for the replica only if replies do`() async throws {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .commit) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                #expect(try await hosted.write("one") == .durable)
                #expect(try await hosted.application.preserve() == .durable)
                #expect(await hosted.application.status().notReplicated ?? 0 > 0)
                replica.replicateAll()
                #expect(try await hosted.application.preserve() == .replicated)
                #expect(await hosted.application.status().notReplicated == 0)
            }
        }
    }

    @Test func `a rollback and a reset wait for the replica`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("one") }
            try await withHost(in: scratch) { hosted async throws in
                let (replica, clock) = (Replica(), hosted.clock)
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                func saved(
                    _ change: @escaping @Sendable () async throws -> StateChangeResult
                ) async throws -> DurabilityLevel {
                    let changing = Task { try await change().saved }
                    await clock.waitForSleeper(for: Self.timeout)
                    replica.replicateAll()
                    await hosted.application.replicaDidProgress()
                    return try await changing.value
                }
                #expect(try await saved { try await hosted.application.reset() } == .replicated)
                _ = await hosted.application.status()
                #expect(
                    try await saved { try await hosted.application.rollBack(to: "1") }
                        == .replicated)
            }
        }
    }

    @Test func `the whole state is sent to the replica on request`() async throws {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                try await hosted.write("one")
                let before = replica.wholes
                await hosted.application.replicateFullState()
                #expect(replica.wholes == before + 1)
                await hosted.application.loseOwnership()
                let after = replica.wholes
                await hosted.application.replicateFullState()
                #expect(replica.wholes == after)
            }
        }
    }

    // MARK: Ownership

    @Test func `a host that is not the owner launches nothing and accepts no commands`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let application = hosted.application
                let isValid = Mutex(false)
                let owned = ownership(Replica()) { isValid.withLock { $0 } }
                let elsewhere = ApplicationError.ownedElsewhere(application: Notes.bundleIdentifier)
                await #expect(throws: elsewhere) {
                    try await application.launchAsOwner(owned, with: nil)
                }
                await #expect(throws: elsewhere) { try await application.launch() }
                #expect(await application.status().phase == .stopped)
                isValid.withLock { $0 = true }
                try await application.launchAsOwner(owned, with: nil)
                #expect(try await hosted.write("mine") == .written)
                await #expect(
                    throws: ApplicationError.alreadyRunning(application: Notes.bundleIdentifier)
                ) { try await application.launchAsOwner(owned, with: nil) }
                isValid.withLock { $0 = false }
                await #expect(throws: elsewhere) { try await hosted.write("theirs") }
            }
        }
    }

    @Test func `an owner cannot launch an application whose service has ended`() async throws {
        try await withScratchDirectory { scratch in
            try await withStoppedNotes(in: scratch) { hosted async throws in
                await hosted.application.markShared()
                let service = Task { try await hosted.application.run() }
                await hosted.application.waitUntilServiceStarted()
                service.cancel()
                try await service.value
                await #expect(
                    throws: ApplicationError.ending(application: Notes.bundleIdentifier)
                ) { try await hosted.application.launchAsOwner(ownership(Replica()), with: nil) }
                #expect(await hosted.application.status().phase == .stopped)
            }
        }
    }

    @Test func `losing the epoch before replication marks the state as unreplicated`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica, writer: 3), with: nil)
                #expect(
                    try await hosted.application.checkpoint()
                        == ReplicaCheckpoint(lineage: Lineage(writer: 3)))
                try await hosted.write("one")
                await hosted.application.loseOwnership()
                #expect(
                    try await hosted.application.checkpoint()
                        == ReplicaCheckpoint(lineage: Lineage(writer: 3), replicatedTurn: nil))
            }
        }
    }

    @Test func `losing the epoch after replication marks the state as replicated`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica, writer: 3), with: nil)
                try await hosted.write("one")
                replica.replicateAll()
                await hosted.application.loseOwnership()
                let checkpoint = try #require(try await hosted.application.checkpoint())
                #expect(checkpoint.lineage == Lineage(writer: 3))
                #expect((checkpoint.replicatedTurn ?? 0) > 0)
            }
        }
    }

    @Test func `an owner continues from its own state after a rollback`() async throws {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let application = hosted.application
                try await application.launchAsOwner(ownership(Replica()), with: nil)
                try await hosted.write("one")
                _ = try await application.quitUntilLaunch()
                try await application.launch()
                try await hosted.write("two")
                try await application.rollBack(to: "1")
                var replicated = ReplicatedContents(
                    archive: try #require(scratch.archiveBytes()), documents: [:], host: "a",
                    epoch: 0, turn: 1)
                replicated.lineage = Lineage(writer: 1)
                try await hosted.write("not replicated")
                await application.loseOwnership()
                try await application.launchAsOwner(
                    ownership(Replica(), writer: 2), with: replicated)
                #expect(try await hosted.text() == "not replicated")
            }
        }
    }

    // MARK: Documents

    @Test func `an owner that continues from its own state replicates all its documents`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let documents = try documents(in: scratch)
            for (name, byte) in [("a", 1), ("b", 2)] as [(String, UInt8)] {
                try documents.replace(name, with: [byte])
            }
            let all: [String: [UInt8]] = ["a": [1], "b": [2]]
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                try await hosted.write("mine")
                #expect(replica.documents == all)
            }
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let replica = Replica()
                // The cluster contains the documents of an earlier owner.
                var replicated = ReplicatedContents(
                    archive: [], documents: Self.exact(["a": [1], "b": [9]]), host: "b", epoch: 0,
                    turn: 1)
                replicated.lineage = Lineage(writer: 1)
                try await hosted.application.launchAsOwner(
                    ownership(replica, writer: 2), with: replicated)
                #expect(replica.documents == all)
                #expect(try await hosted.text() == "mine")
            }
        }
    }

    @Test func `a takeover changes nothing if a document cannot be replaced`() async throws {
        try await withScratchDirectory { scratch in
            let theirs = try await withScratchDirectory { other async throws in
                try await withNotes(in: other) { try await $0.write("theirs") }
                return try #require(other.archiveBytes())
            }
            try await withHost(in: scratch) { hosted async throws in
                let tooLong = [UInt8](
                    repeating: 0, count: DocumentsDirectory.maximumDocumentSize + 1)
                var replicated = ReplicatedContents(
                    archive: theirs, documents: Self.exact(["a": tooLong]), host: "b", epoch: 4,
                    turn: 1)
                replicated.lineage = Lineage(writer: 4)
                let replica = Replica()
                await #expect(throws: DocumentError.self) {
                    try await hosted.application.launchAsOwner(ownership(replica), with: replicated)
                }
                #expect(scratch.archiveBytes() == nil)
                #expect(replica.lineage == nil)
            }
        }
    }

    @Test func `an application does not run if its lineage cannot be stored`() async throws {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                try await hosted.application.launchAsOwner(ownership(Replica()), with: nil)
                try await hosted.write("mine")
            }
            // A directory blocks the path of the new file.
            #expect(mkdir("\(scratch.applicationDirectory)/replica.new", 0o700) == 0)
            #expect(mkdir("\(scratch.applicationDirectory)/replica.new/x", 0o700) == 0)
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let replica = Replica()
                await #expect(throws: SaveError.self) {
                    try await hosted.application.launchAsOwner(
                        ownership(replica, writer: 2), with: nil)
                }
                #expect(replica.lineage == nil)
            }
        }
    }

    @Test func `an owner that continues from another host's state keeps the superseded state`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let documents = try documents(in: scratch)
            for name in ["a", "b", "c"] { try documents.replace(name, with: [1]) }
            let theirs = try await withScratchDirectory { other async throws in
                try await withNotes(in: other) { try await $0.write("theirs") }
                return try #require(other.archiveBytes())
            }
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                try await hosted.application.launchAsOwner(ownership(Replica()), with: nil)
                try await hosted.write("mine")
            }
            try await withHost(in: scratch, durability: .written) { hosted async throws in
                let replica = Replica()
                var replicated = ReplicatedContents(
                    archive: theirs, documents: Self.exact(["a": [2], "b": [1]]), host: "b",
                    epoch: 4,
                    turn: 1)
                replicated.outdatedDocumentNames = [ExactString("b")]
                replicated.lineage = Lineage(writer: 4)
                try await hosted.application.launchAsOwner(
                    ownership(replica, writer: 5), with: replicated)
                #expect(try await hosted.text() == "theirs")
                #expect(try documents.read("a") == [2])
                // Only documents that are missing or encrypted differently in the cluster are replicated.
                #expect(replica.documents == ["b": [1], "c": [1]])
                #expect(hosted.log.count(.stateSuperseded) == 1)
                let kept = try scratch.allGenerations()
                #expect(kept.contains { $0.bytes.contains("mine".utf8) })
                let entries = try await hosted.application.quarantined()
                #expect(entries.map { $0.name.hasSuffix("-a") } == [true])
                #expect(try entries.map { try ScratchDirectory.bytes(of: $0.path) } == [[1]])
            }
        }
    }
}

extension Application {
    fileprivate func checkpoint() throws -> ReplicaCheckpoint? {
        try saver.archive.replicaCheckpoint()
    }

    /// Number of the last saved record.
    fileprivate var turn: UInt64 { saver.archive.lastSequenceNumber }
}
