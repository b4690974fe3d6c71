import ExactText
import Glibc
import RestorationTesting
import SavedState
import ServiceLifecycle
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Order of the steps when a host becomes or ceases to be an owner, and failures in these steps.
@Suite(.timeLimit(.minutes(10))) struct OwnershipStepsTests {
    /// Runs the service of an application that is not launched until its host is the owner.
    private func withHost(
        _ notes: Notes = Notes(), in scratch: ScratchDirectory,
        durability: PreservationSettings.Durability = .written,
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        let settings = HostedSettings(durability: durability)
        try await withStoppedNotes(notes, in: scratch, settings) { hosted in
            await hosted.application.markShared()
            let services = ServiceGroup(services: [hosted.application], logger: .quiet)
            async let running: Void = services.run()
            try await body(hosted)
            await services.triggerGracefulShutdown()
            try await running
        }
    }

    private func ownership(_ replica: ManualReplica, writer: UInt64 = 1) -> Ownership {
        Ownership(writerID: writer, replica: replica, isValid: { true })
    }

    private func documents(in scratch: ScratchDirectory) throws -> DocumentsDirectory {
        try scratch.watched(by: scratch.watch).documents(of: Notes.bundleIdentifier)
    }

    /// Returns the state of another host that has not continued from this host's state.
    private func otherHostsState(
        documents: [String: [UInt8]] = [:]
    ) async throws -> ReplicatedContents {
        let archive = try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("theirs") }
            return try #require(scratch.archiveBytes())
        }
        var contents = ReplicatedContents(
            archive: archive,
            documents: Dictionary(
                uniqueKeysWithValues: documents.map { (ExactString($0.key), $0.value) }),
            host: "b", epoch: 4, turn: 1)
        contents.lineage = Lineage(writer: 4)
        return contents
    }

    // MARK: Becoming the owner

    @Test func `an owner accepts commands before it launches its scenes`() async throws {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withHost(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                let found = Mutex<[Bool]>([])
                try await application.launchAsOwner(ownership(ManualReplica()), with: nil) {
                    found.withLock {
                        $0.append(!application.refusesCommands && notes.record.launches.isEmpty)
                    }
                }
                #expect(found.withLock { $0 } == [true])
            }
        }
    }

    @Test func `a replica receives the lineage before the documents and the state`() async throws {
        try await withScratchDirectory { scratch in
            try documents(in: scratch).replace("a", with: [1])
            try await withHost(in: scratch) { hosted async throws in
                let replica = ManualReplica()
                try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                #expect(replica.calls.prefix(3) == ["lineage", "document", "state"])
            }
        }
    }

    @Test func `an application does not run if one of its documents cannot be replicated`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try documents(in: scratch).replace("a", with: [1])
            try await withHost(in: scratch) { hosted async throws in
                let replica = ManualReplica()
                scratch.watch.fail("a", with: EIO)
                await #expect(throws: DocumentError.self) {
                    try await hosted.application.launchAsOwner(ownership(replica), with: nil)
                }
                #expect(await hosted.application.status().phase == .stopped)
                // The replica does not receive what this host saves from now on.
                try await hosted.application.reset()
                #expect(replica.calls == ["lineage"])
                scratch.watch.fail("a", with: nil)
            }
        }
    }

    @Test func `unsaved state stays unsaved if another host's state cannot be stored`()
        async throws
    {
        let replicated = try await otherHostsState()
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch) { hosted async throws in
                let application = hosted.application
                try await application.launchAsOwner(ownership(ManualReplica()), with: nil)
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("mine")
                await application.loseOwnership()
                let saved = await application.status().saved
                #expect(!saved.isSaved)
                await #expect(throws: SaveError.self) {
                    try await application.launchAsOwner(
                        ownership(ManualReplica(), writer: 5), with: replicated)
                }
                #expect(await application.status().saved == saved)
                scratch.watch.failWriting("data.archive", with: nil)
                try await application.launchAsOwner(
                    ownership(ManualReplica(), writer: 6), with: replicated)
                #expect(try await hosted.text() == "theirs")
                #expect(
                    try scratch.allGenerations().contains { $0.bytes.contains("mine".utf8) })
            }
        }
    }

    @Test func `a takeover quarantines and replaces every document that differs`()
        async throws
    {
        var replicated = try await otherHostsState(
            documents: ["a": [2], "b": [2], "c": [2], "d": [1], "e": [1]])
        replicated.outdatedDocumentNames = [ExactString("d"), ExactString("e")]
        try await withScratchDirectory { [replicated] scratch in
            let documents = try documents(in: scratch)
            for name in ["a", "b", "c", "d", "e"] { try documents.replace(name, with: [1]) }
            try await withHost(in: scratch) { hosted async throws in
                let application = hosted.application
                try await application.launchAsOwner(ownership(ManualReplica()), with: nil)
                try await hosted.write("mine")
                await application.loseOwnership()
                let replica = ManualReplica()
                try await application.launchAsOwner(ownership(replica, writer: 5), with: replicated)
                for name in ["a", "b", "c"] { #expect(try documents.read(name) == [2], "\(name)") }
                let names = try await application.quarantined().map { $0.name.suffix(2) }
                #expect(names.sorted() == ["-a", "-b", "-c"])
                #expect(replica.documents == ["d": [1], "e": [1]])
            }
        }
    }

    @Test func `a takeover does not replace a document that cannot be quarantined`() async throws {
        let replicated = try await otherHostsState(documents: ["a": [2]])
        try await withScratchDirectory { scratch in
            let documents = try documents(in: scratch)
            try documents.replace("a", with: [1])
            try await withHost(in: scratch) { hosted async throws in
                let application = hosted.application
                try await application.launchAsOwner(ownership(ManualReplica()), with: nil)
                try await hosted.write("mine")
                await application.loseOwnership()
                scratch.watch.fail("quarantine", with: EIO)
                await #expect(throws: SaveError.self) {
                    try await application.launchAsOwner(
                        ownership(ManualReplica(), writer: 5), with: replicated)
                }
                scratch.watch.fail("quarantine", with: nil)
                #expect(try documents.read("a") == [1])
                #expect(try #require(scratch.archiveBytes()).contains("mine".utf8))
            }
        }
    }

    // MARK: Waiting and losing the ownership

    @Test func `preserve waits for the replica, up to the timeout`() async throws {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .replicated) { hosted async throws in
                let (application, replica) = (hosted.application, ManualReplica())
                try await application.launchAsOwner(ownership(replica), with: nil)
                replica.replicateAll()
                // No other work of the application follows this command.
                #expect(try await hosted.text() == "")
                replica.replaceDocument("a", with: [1])
                let preserving = Task { try await application.preserve() }
                try await waitUntil("the call waits for the replica") {
                    await application.isWaitingForReplica
                }
                #expect(await application.intervalTimers?.timers[.replication] != nil)
                replica.replicateAll()
                await application.replicaDidProgress()
                #expect(try await preserving.value == .replicated)
            }
        }
    }

    @Test func `a host that is no longer the owner does not wait for its replica`() async throws {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch, durability: .replicated) { hosted async throws in
                let application = hosted.application
                try await application.launchAsOwner(ownership(ManualReplica()), with: nil)
                async let saved = hosted.write("one")
                await hosted.clock.waitForSleeper(for: application.settings.replicationTimeout)
                await application.loseOwnership()
                let timer = await application.intervalTimers?.timers[.replication]
                #expect(timer == nil)
                #expect(try await !saved.isSaved)
            }
        }
    }

    @Test func `a former owner saves the state that its stop could not save`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch) { hosted async throws in
                let application = hosted.application
                var settings = await application.settings
                settings.history.interval = HostedNotes.interval
                await application.apply(settings)
                try await application.launchAsOwner(ownership(ManualReplica()), with: nil)
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                scratch.watch.fail("history", with: EACCES)
                try await hosted.write("mine")
                await application.loseOwnership()
                #expect(await !application.status().saved.isSaved)
                scratch.watch.failWriting("data.archive", with: nil)
                await hosted.passInterval()
                #expect(await application.status().saved.isSaved)
                #expect(try #require(scratch.archiveBytes()).contains("mine".utf8))
            }
        }
    }

    @Test func `a former owner adds the generation that its stop could not add`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch) { hosted async throws in
                let application = hosted.application
                var settings = await application.settings
                settings.history.interval = HostedNotes.interval
                await application.apply(settings)
                try await application.launchAsOwner(ownership(ManualReplica()), with: nil)
                try await hosted.write("mine")
                scratch.watch.fail("history", with: EACCES)
                await application.loseOwnership()
                #expect(await application.status().historyFailure != nil)
                scratch.watch.fail("history", with: nil)
                await hosted.passInterval()
                #expect(await application.status().historyFailure == nil)
                #expect(
                    try scratch.allGenerations().contains { $0.bytes.contains("mine".utf8) })
                #expect(await application.intervalTimers?.timers.isEmpty == true)
            }
        }
    }

    @Test func `an owner reports that it could not record which state is replicated`() async throws
    {
        try await withScratchDirectory { scratch in
            try await withHost(in: scratch) { hosted async throws in
                let (application, replica) = (hosted.application, ManualReplica())
                try await application.launchAsOwner(ownership(replica), with: nil)
                try await hosted.write("one")
                replica.replicateAll()
                scratch.watch.fail("replica.new", with: ENOSPC)
                await application.loseOwnership()
                let problem = await application.status().lastError
                #expect(problem?.contains("No space left on device") == true)
                scratch.watch.fail("replica.new", with: nil)
            }
        }
    }
}

extension Application {
    fileprivate var isWaitingForReplica: Bool { turnExecutor.newestAwaitedRecordNumber != nil }
}
