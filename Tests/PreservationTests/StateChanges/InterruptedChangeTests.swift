import Glibc
import LinuxIO
import SavedState
import SimulatedDisk
import StateRecords
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// State changes, and changes by other programs, that fail or are interrupted.
@Suite(.timeLimit(.minutes(5))) struct InterruptedChangeTests {
    private static let ending = ApplicationError.ending(application: Notes.bundleIdentifier)

    // MARK: The application

    @Test func `after an unsaved stop, the state is saved to history before a rollback`()
        async throws
    {
        let other = try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withNotes(in: scratch) { try await $0.write("theirs") }
            return try #require(scratch.archiveBytes())
        }
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("first") }
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("unsaved")
                await #expect(throws: UnsavedStop.self) { try await application.quitUntilLaunch() }
                scratch.watch.failWriting("data.archive", with: nil)
                let saved = await application.status().saved
                try scratch.renameOverArchive(other)
                scratch.watch.fail("archive.new", with: ENOSPC)
                await #expect(throws: ApplicationError.self) {
                    try await application.rollBack(to: "1")
                }
                #expect(await application.status().saved == saved)
                scratch.watch.fail("archive.new", with: nil)
                try await application.rollBack(to: "1")
                let kept = try scratch.allGenerations().map(\.bytes)
                #expect(kept.contains { $0.contains("unsaved".utf8) })
            }
        }
    }

    @Test func `an application that has stopped for good cannot be reset`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let running = Task { try await application.run() }
                try await application.waitUntilLaunched()
                try await application.quit()
                try await running.value
                await #expect(throws: Self.ending) { try await application.reset(scene: "unknown") }
            }
        }
    }

    @Test func `a reload that a quit interrupts reports that the application has stopped`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withStoppedNotes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                let running = Task { try await application.run() }
                try await application.waitUntilLaunched()
                notes.behavior.extendingScenes = ["main"]
                let reloading = Task {
                    try await application.reload(notes.definition(resources: 7))
                }
                await hosted.log.wait(for: 1, .restorationExtended)
                try await application.quit()
                await #expect(throws: Self.ending) { try await reloading.value }
                try await running.value
            }
        }
    }

    // MARK: The turn executor

    @Test func `L4: the generation added after a removal includes missed invalidations (P20)`()
        throws
    {
        let bench = try TurnBench()
        bench.perform { $0.note.changeWithoutInvalidating("missed") }
        bench.runTurn()
        #expect(try bench.openDirectory().remove("data.archive"))
        #expect(bench.executor.checkArchive() == .unchanged)
        let number = try #require(bench.executor.externalChange.pendingChangeNumber)
        let isCheckDue = bench.executor.externalChange.debounceDidElapse(for: number)
        #expect(isCheckDue)
        #expect(bench.executor.checkArchive() == .removed)
        _ = try #require(bench.executor.removeState(of: bench.scenes))
        let kept = try #require(bench.bytes(of: "history/000001.archive"))
        #expect(kept.contains("missed".utf8))
    }

    /// Returns the archive of another program, which has the same length if the texts have.
    private func archive(_ text: String) throws -> [UInt8] {
        let bench = try TurnBench()
        bench.write(text)
        bench.runTurn()
        return try #require(bench.bytes())
    }

    @Test func `the status contains the reason why a replacement archive was refused`() throws {
        let other = try archive("other")
        let bench = try TurnBench()
        bench.write("owned")
        bench.runTurn()
        _ = try bench.openDirectory().replace("data.archive", with: other, temporaryName: "copy")
        guard case .replaced(let replacement)? = bench.executor.checkArchive() else {
            Issue.record("the replacement was not found")
            return
        }
        bench.executor.didAdopt(
            replacement, .failure(StateChangeFailure(cause: .damaged, reason: "a test refuses it")))
        #expect(
            bench.saver.log.lastProblem
                == "another program replaced the archive: a test refuses it")
    }

    @Test func `L8: a stop finds an archive of the same length that was written in place`() throws {
        let other = try archive("other")
        let bench = try TurnBench()
        bench.write("owned")
        bench.runTurn()
        try #require(bench.bytes()?.count == other.count)
        bench.overwriteArchive(other)
        bench.executor.externalChange.requireCheck()
        #expect(try !bench.executor.closeOrAbandonArchive())
        #expect(bench.bytes() == other)
        let kept = try #require(bench.bytes(of: "history/000001.archive"))
        #expect(kept.contains("owned".utf8))
    }

    @Test func `L8: a stop with another archive in place fails if the history cannot be written`()
        throws
    {
        let other = try archive("other")
        let bench = try TurnBench()
        bench.write("owned")
        bench.runTurn()
        _ = try bench.openDirectory().replace("data.archive", with: other, temporaryName: "copy")
        bench.executor.externalChange.requireCheck()
        bench.disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: ENOSPC, isPermanent: true, kinds: .refusedWhenFull))
        #expect(throws: UnsavedStop.self) { try bench.executor.closeOrAbandonArchive() }
        bench.disk.inject(nil)
        #expect(bench.bytes() == other)
        #expect(try !bench.executor.closeOrAbandonArchive())
        let kept = try #require(bench.bytes(of: "history/000001.archive"))
        #expect(kept.contains("owned".utf8))
    }

    // MARK: State machines and transfers

    @Test func `L4: a finding that changes is confirmed only after another debounce`() throws {
        func unusable(_ size: Int) -> ExternalCheckResult {
            .unusable(reason: "it is torn", FileFingerprint(FileStatus(size: size, inode: 2)))
        }
        var handler = ExternalChangeHandler()
        var findings = [handler.recordFinding(unusable(1))]
        let number = try #require(handler.pendingChangeNumber)
        let isCheckDue = handler.debounceDidElapse(for: number)
        #expect(isCheckDue)
        for _ in 0..<2 { findings.append(handler.recordFinding(unusable(2))) }
        #expect(findings == [nil, nil, nil])
        #expect(handler.pendingChangeNumber == number)
    }

    @Test func `a put-back that adds a generation removes surplus generations`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("first") }
            let archive = try scratch.watched(by: scratch.watch).archive(of: Notes.bundleIdentifier)
            _ = try archive.load()
            let scene = try #require(archive.scenes.first)
            let name = try #require(
                try archive.quarantineScenes([scene.header.number], reason: "For the test."))
            // The saved state differs from the generation that the stop added.
            var turn = TurnRecords()
            turn.addObject(
                ObjectHeader(number: 900, parent: 0, kind: 0, identifier: "new"), values: [])
            turn.endPass(PassEnd(scene: 900, timestamp: 1))
            try archive.append(turn)
            var settings = PreservationSettings()
            settings.history.count = 1
            let log = StateSaver(for: archive).log
            let saver = StateSaver(
                archive: archive, log: log,
                generations: GenerationWriter(archive, log: log, settings: settings),
                documents: nil)
            let stored = try archive.contents(ofQuarantinedFile: name)
            let transfer = try StateTransfer(
                stored.contents, of: stored.sceneNamesToPutBack, into: archive,
                names: NameTable(archive.names),
                numbering: RecordNumberGenerator(after: archive.highestObjectNumber))
            try transfer.replaceState(by: saver, because: .putBack(path: stored.path))
            #expect(try archive.generations().map(\.name) == ["000002"])
        }
    }
}
