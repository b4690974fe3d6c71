import ExactText
import FoundationEssentials
import Glibc
import Logging
import RestorationTesting
import SavedState
import ServiceLifecycle
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Records of what has been replicated, and state that a host replaces when it becomes the owner again.
@Suite(.timeLimit(.minutes(10))) struct OwnershipTransferTests {
    /// Replica that stores received state at once, or when a test requests it.
    private final class Replica: StateReplica {
        private struct Content {
            var progress = ReplicaProgress()
            var calls: [String] = []
            var lineage: Lineage?
        }

        private let content = Mutex(Content())
        private let isImmediate: Bool

        init(isImmediate: Bool = false) { self.isImmediate = isImmediate }

        var progress: ReplicaProgress { content.withLock { $0.progress } }
        /// Kinds of the received data, in order.
        var calls: [String] { content.withLock { $0.calls } }
        var lineage: Lineage? { content.withLock { $0.lineage } }

        func setLineage(_ lineage: Lineage) { content.withLock { $0.lineage = lineage } }
        func append(_ records: RecordList, turn: UInt64) { receive("records") }
        func replace(with records: RecordList, turn: UInt64) { receive("state") }
        func replaceDocument(_ name: String, with bytes: [UInt8]) { receive("document") }

        func replicateAll() {
            content.withLock { $0.progress.replicatedCount = $0.progress.acceptedCount }
        }

        private func receive(_ kind: String) {
            content.withLock {
                $0.calls.append(kind)
                $0.progress.acceptedCount += 1
            }
            if isImmediate { replicateAll() }
        }
    }

    /// Runs the service of an application that is not launched until its host is the owner.
    private func withHost(
        _ notes: Notes = Notes(), in scratch: ScratchDirectory,
        _ settings: HostedSettings = HostedSettings(),
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        try await withStoppedNotes(notes, in: scratch, settings) { hosted async throws in
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

    /// Returns the state of another host, with the document `a`.
    private func otherHostsState(_ lineage: Lineage?, turn: UInt64) async throws
        -> ReplicatedContents
    {
        let archive = try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withNotes(in: scratch) { try await $0.write("theirs") }
            return try #require(scratch.archiveBytes())
        }
        var contents = ReplicatedContents(
            archive: archive, documents: [ExactString("a"): [2]], host: "b", epoch: 4, turn: turn)
        contents.lineage = lineage
        return contents
    }

    /// Runs an application with the document `a` as the writer 1 until the host is no longer the owner.
    ///
    /// - Parameter isReplicated: Whether the last state is replicated.
    private func loseOwnership(
        of hosted: HostedNotes, in scratch: ScratchDirectory, isReplicated: Bool
    ) async throws {
        try scratch.watched(by: scratch.watch).documents(of: Notes.bundleIdentifier)
            .replace("a", with: [1])
        let replica = Replica()
        try await hosted.application.launchAsOwner(ownership(replica), with: nil)
        try await hosted.write("mine")
        if isReplicated { replica.replicateAll() }
        await hosted.application.loseOwnership()
    }

    // MARK: Replicating

    @Test func `preserve does not report unsaved state as replicated`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withHost(in: scratch, HostedSettings(durability: .replicated)) {
                hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                replica.replicateAll()
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                #expect(try await !hosted.write("one").isSaved)
                #expect(try await !hosted.application.preserve().isSaved)
                scratch.watch.failWriting("data.archive", with: nil)
            }
        }
    }

    @Test(arguments: [false, true])
    func `after a launch, the replica has received the whole state once`(savesState: Bool)
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.savesState = savesState
            try await withHost(notes, in: scratch) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                #expect(replica.calls == ["state"])
            }
        }
    }

    @Test func `documents are sent to the replica again only on request`() async throws {
        try await withScratchDirectory { scratch async throws in
            try scratch.watched(by: scratch.watch).documents(of: Notes.bundleIdentifier)
                .replace("a", with: [1])
            try await withHost(in: scratch) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                let count = replica.calls.count
                await hosted.application.replicateFullState()
                #expect(replica.calls.dropFirst(count) == ["state"])
                await hosted.application.replicateFullState(includesDocuments: true)
                #expect(replica.calls.dropFirst(count) == ["state", "document", "state"])
            }
        }
    }

    @Test func `a stop whose last state is replicated is logged as saved`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withHost(in: scratch) { hosted async throws in
                let application = hosted.application
                try await application.launchAsOwner(
                    ownership(Replica(isImmediate: true)), with: nil)
                #expect(try await hosted.write("one") == .replicated)
                try await application.quitUntilLaunch()
                #expect(await application.status().saved == .replicated)
                #expect(
                    hosted.log.messages(from: .notice).last == "stopped, everything is saved")
            }
        }
    }

    // MARK: Becoming the owner

    @Test(arguments: [false, true])
    func `a host cannot become the owner of an application that it already runs`(isShared: Bool)
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let running = ApplicationError.alreadyRunning(application: Notes.bundleIdentifier)
            if isShared {
                try await withHost(in: scratch) { hosted async throws in
                    let application = hosted.application
                    try await application.launchAsOwner(ownership(Replica()), with: nil)
                    // The host stays the owner of the stopped application.
                    try await application.quitUntilLaunch()
                    await #expect(throws: running) {
                        try await application.launchAsOwner(
                            ownership(Replica(), writer: 2), with: nil)
                    }
                }
            } else {
                try await withNotes(in: scratch) { hosted async throws in
                    await #expect(throws: running) {
                        try await hosted.application.launchAsOwner(ownership(Replica()), with: nil)
                    }
                }
            }
        }
    }

    @Test func `L5: without a replica, an owner continues from the rest of its damaged archive`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withHost(in: scratch) { hosted async throws in
                try await hosted.application.launchAsOwner(ownership(Replica()), with: nil)
                try await hosted.write("mine")
            }
            var bytes = try #require(scratch.archiveBytes())
            bytes[bytes.count / 2] ^= 1
            try scratch.writeArchiveInPlace(bytes)
            try await withHost(in: scratch) { hosted async throws in
                let replica = Replica()
                try await hosted.application.launchAsOwner(ownership(replica, writer: 2), with: nil)
                #expect(hosted.log.count(.quarantined) == 1)
                #expect(replica.lineage?.ancestors.map(\.writer) == [1])
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `superseded state is logged as lost by the replica only if the replica contained it`(
        wasReplicated: Bool, hasLineage: Bool
    ) async throws {
        let replicated = try await otherHostsState(
            hasLineage ? Lineage(writer: 4) : nil, turn: 1)
        try await withScratchDirectory { scratch async throws in
            try await withHost(in: scratch) { hosted async throws in
                try await loseOwnership(of: hosted, in: scratch, isReplicated: wasReplicated)
                try await hosted.application.launchAsOwner(
                    ownership(Replica(), writer: 5), with: replicated)
                let entry = hosted.log.entries.first {
                    $0.metadata["MESSAGE_ID"] == Preservation.LogEvent.stateSuperseded.rawValue
                }
                let isCalledLost = try #require(entry).message.hasPrefix("etcd no longer contains")
                #expect(isCalledLost == (wasReplicated && hasLineage))
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a replaced document is quarantined unless the other host has continued from it`(
        wasReplicated: Bool, isSuperseded: Bool
    ) async throws {
        let unrelated = try await otherHostsState(Lineage(writer: 4), turn: 1)
        try await withScratchDirectory { scratch async throws in
            try await withHost(in: scratch) { hosted async throws in
                let application = hosted.application
                try await loseOwnership(of: hosted, in: scratch, isReplicated: wasReplicated)
                var replicated = unrelated
                if !isSuperseded {
                    let turn = await application.turn
                    replicated.turn = turn + 1
                    replicated.lineage = Lineage(writer: 1).continued(by: 4, after: turn)
                }
                try await application.launchAsOwner(
                    ownership(Replica(), writer: 5), with: replicated)
                #expect(hosted.log.count(.stateSuperseded) == (isSuperseded ? 1 : 0))
                let names = try await application.quarantined().map { $0.name.suffix(2) }
                #expect(names == (isSuperseded || !wasReplicated ? ["-a"] : []))
                let document = "\(application.documentsPath)/a"
                #expect(try ScratchDirectory.bytes(of: document) == [2])
            }
        }
    }

    // MARK: Losing and releasing the ownership

    /// Last change that a host makes before it loses the ownership.
    enum LastChange: CaseIterable {
        case nothing, missedInvalidation, document
    }

    @Test(arguments: LastChange.allCases)
    func `state that changed after its replication is not recorded as replicated`(
        change: LastChange
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.makeModel = { try DocumentModel($0) }
            try await withHost(in: scratch, settings) { hosted async throws in
                let (application, replica) = (hosted.application, Replica())
                try await application.launchAsOwner(ownership(replica), with: nil)
                try await hosted.write("one")
                replica.replicateAll()
                await application.loseOwnership(after: change)
                let checkpoint = try #require(try await application.checkpoint())
                #expect((checkpoint.replicatedTurn != nil) == (change == .nothing))
            }
        }
    }

    @Test func `the release of the ownership stops the application`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withHost(in: scratch) { hosted async throws in
                try await hosted.application.launchAsOwner(ownership(Replica()), with: nil)
                try await hosted.write("one")
                await hosted.application.releaseOwnership()
                #expect(await hosted.application.status().phase == .stopped)
            }
            #expect(try #require(scratch.archiveBytes()).contains("one".utf8))
        }
    }

    @Test func `a stopped application whose state is replicated is recorded as replicated`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withHost(in: scratch) { hosted async throws in
                let (application, replica) = (hosted.application, Replica())
                try await application.launchAsOwner(ownership(replica), with: nil)
                try await hosted.write("one")
                try await application.quitUntilLaunch()
                replica.replicateAll()
                await application.releaseOwnership()
                let checkpoint = try #require(try await application.checkpoint())
                #expect(checkpoint.replicatedTurn != nil)
            }
        }
    }

    private struct Session: Codable, Identifiable {
        var id: Int
        var deadline: Date?
    }

    @Test func `no element expires after the host has lost the ownership`() async throws {
        try await withScratchDirectory { scratch async throws in
            var settings = PreservationSettings()
            settings.clock = TestClock()
            let application = try Application(
                definition: Notes().definition(),
                stateDirectory: scratch.watched(by: scratch.watch), settings: settings,
                logger: .quiet)
            let sessions = try await application.collection(
                "sessions", of: Session.self, expires: \.deadline)
            await application.markShared()
            let services = ServiceGroup(services: [application], logger: .quiet)
            async let running: Void = services.run()
            let isValid = Mutex(true)
            let owned = ownership(Replica()) { isValid.withLock { $0 } }
            try await application.launchAsOwner(owned, with: nil)
            try await sessions.update { $0.append(Session(id: 1, deadline: Date() + 3_600)) }
            _ = await application.status()
            #expect(await application.intervalTimers?.timers[.expiration] != nil)
            isValid.withLock { $0 = false }
            await #expect(
                throws: ApplicationError.ownedElsewhere(application: Notes.bundleIdentifier)
            ) {
                try await sessions.update { $0.append(Session(id: 2, deadline: Date() + 60)) }
            }
            _ = await application.status()
            #expect(await application.intervalTimers?.timers[.expiration] == nil)
            await services.triggerGracefulShutdown()
            try await running
        }
    }
}

extension Application {
    fileprivate func checkpoint() throws -> ReplicaCheckpoint? {
        try saver.archive.replicaCheckpoint()
    }

    /// Number of the last saved record.
    fileprivate var turn: UInt64 { saver.archive.lastSequenceNumber }

    /// Makes a change and loses the ownership before any other work of the application.
    fileprivate func loseOwnership(after change: OwnershipTransferTests.LastChange) {
        let scene = hostedScenes?.table.launchedScenes.first?.scene
        switch change {
        case .nothing: break
        case .missedInvalidation: scene?.note.changeWithoutInvalidating("two")
        case .document: scene?.documentModel?.count = 7
        }
        loseOwnership()
    }
}
