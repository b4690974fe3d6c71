import CoreMetrics
import Glibc
import SavedState
import SimulatedDisk
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

@Suite struct StateSaverTests {
    private func withSaver(
        _ body: (StateSaver, ApplicationArchive) throws -> Void
    ) async throws {
        try await withScratchDirectory { scratch in
            let archive = try StateDirectory.open(scratch.stateDirectory)
                .archive(of: Notes.bundleIdentifier)
            _ = try archive.load()
            try body(StateSaver(for: archive), archive)
        }
    }

    private func turn(_ number: UInt32, below parent: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addObject(
            ObjectHeader(number: number, parent: parent, kind: 0, identifier: "main"), values: [])
        turn.endPass(PassEnd(scene: 0, timestamp: 1))
        return turn
    }

    @Test func `the saved state is durable if there is nothing to write`() async throws {
        try await withSaver { saver, _ in
            saver.write(TurnRecords())
            #expect(saver.durabilityLevel == .durable)
            try saver.close()
        }
    }

    @Test func `state that is written and made durable in one step is reported as durable`()
        async throws
    {
        try await withSaver { saver, _ in
            saver.write(turn(1, below: 0))
            typealias Change = StateSaver.DurabilityChange
            #expect(
                saver.consumeDurabilityChange()
                    == Change(hasLevelChanged: true, becameDurable: true))
            #expect(saver.consumeDurabilityChange() == Change())
            #expect(saver.writeDurably(turn(2, below: 1)))
            #expect(saver.consumeDurabilityChange() == Change(becameDurable: true))
            saver.write(turn(3, below: 1))
            #expect(saver.consumeDurabilityChange() == Change(hasLevelChanged: true))
            #expect(saver.consumeDurabilityChange() == Change())
        }
    }

    @Test func `state that is missing from the archive is not reported as written`() async throws {
        try await withSaver { saver, archive in
            saver.write(turn(1, below: 0))
            #expect(saver.durabilityLevel == .durable)
            try archive.requireNewFile()
            guard case .notSaved(let reason) = saver.durabilityLevel else {
                Issue.record("it is said to be saved")
                return
            }
            #expect(reason.contains("data.archive lacks"))
            saver.write(TurnRecords())
            #expect(saver.durabilityLevel == .durable)
        }
    }

    @Test func `P16: a pass that the archive refuses is reported until the next launch`()
        async throws
    {
        try await withSaver { saver, archive in
            saver.write(turn(1, below: 0))
            #expect(saver.durabilityLevel == .durable)

            saver.write(turn(3, below: 2))
            let refused = saver.durabilityLevel
            guard case .notSaved(let reason) = refused else {
                Issue.record("a pass without its parent was taken")
                return
            }
            #expect(reason == saver.log.lastProblem)
            // Later writes succeed and do not contain the rejected records.
            saver.write(turn(4, below: 1))
            saver.write(TurnRecords())
            #expect(saver.durabilityLevel == refused)
            #expect(throws: UnsavedStop.self) { try saver.close() }

            _ = try archive.load()
            saver.prepareForLaunch()
            #expect(saver.durabilityLevel == .durable)
        }
    }

    /// Returns a launched scene with its own tree, which has not been saved.
    private func scene() throws -> Scene {
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: EditedTree(), classes: ClassRegistry(),
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        return scene
    }

    private func passMetadata(_ time: Int64) -> PassMetadata {
        PassMetadata(bundleVersion: "1", timestamp: time, systemVersion: "")
    }

    @Test func `the last pass is the archive's last pass after a load, and nil after a removal`()
        async throws
    {
        try await withSaver { saver, archive in
            saver.save([try scene()], .demand) { passMetadata(7) }
            #expect(saver.lastPassTime == 7)
            var other = TurnRecords()
            other.addObject(
                ObjectHeader(number: 900, parent: 0, kind: 0, identifier: "other"), values: [])
            other.endPass(PassEnd(scene: 900, timestamp: 9))
            try archive.append(other)
            saver.updateLastPassTime()
            #expect(saver.lastPassTime == 9)
            // No pass has been made since.
            saver.markWritten()
            #expect(saver.lastPassTime == 9)
            saver.markRemoved()
            #expect(saver.lastPassTime == nil)
        }
    }

    @Test func `L4: after a removal, launches write nothing, but the first change does`()
        async throws
    {
        for reason in [TurnReason.launch, .laterLaunch, .commands, .demand] {
            try await withSaver { saver, _ in
                saver.markRemoved()
                saver.save([try scene()], reason) { passMetadata(7) }
                let isOfLaunch = reason == .launch || reason == .laterLaunch
                #expect(saver.isStateRemoved == isOfLaunch, "\(reason)")
                #expect(saver.lastPassTime == (isOfLaunch ? nil : 7), "\(reason)")
            }
        }
    }

    @Test func `P16: suspended saving resumes even if there is nothing to write`()
        async throws
    {
        try await withSaver { saver, _ in
            saver.write(turn(1, below: 0))
            saver.suspendSaving("the archive is elsewhere")
            #expect(saver.failureReason == "the archive is elsewhere")
            saver.write(TurnRecords())
            #expect(saver.failureReason == nil)
        }
    }

    @Test func `unwritten model data stays in memory until other state replaces it`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let documents = try ApplicationStateDirectory(path: scratch.stateDirectory)
                .documents(of: Notes.bundleIdentifier)
            let store = NotesModel.Store(DirectoryWatch())
            var saver = ModelSaver(documents: documents)
            let first = try saver.loadModel { _ in store.make() } as? NotesModel
            first?.add("one")
            store.fails = true
            saver.saveChanges()
            saver.release()
            let hasFailed = saver.failureReason != nil && saver.hasChanges
            #expect(hasFailed)
            let again = try saver.loadModel { _ in store.make() } as? NotesModel
            #expect(again === first)
            saver.discard()
            let isForgotten = saver.failureReason == nil && !saver.hasChanges
            #expect(isForgotten)
            let second = try saver.loadModel { _ in store.make() } as? NotesModel
            #expect(second !== first)
            #expect(store.made == 2)
        }
    }

    @Test func `an unwritten pass does not count as saved after other state has replaced it`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try StateDirectory(locked: disk.root, pid: 1)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let saver = StateSaver(for: archive)
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: EditedTree(), classes: ClassRegistry(),
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true))
        saver.save([scene], .demand) {
            PassMetadata(bundleVersion: "1", timestamp: 7, systemVersion: "")
        }
        #expect(saver.failureReason != nil && saver.lastPassTime == nil)
        saver.discardUnsavedChanges()
        saver.markWritten()
        #expect(saver.lastPassTime == nil)
    }

    /// Returns a saver on a simulated disk, and its log.
    private func simulated() throws -> (saver: StateSaver, disk: SimulatedDisk, log: LogRecorder) {
        let disk = SimulatedDisk()
        let archive = try StateDirectory(locked: disk.root, pid: 1)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let log = LogRecorder()
        return (StateSaver(for: archive, log), disk, log)
    }

    @Test func `P16: a save failure is logged once, and the latest reason is the last problem`()
        throws
    {
        let (saver, disk, log) = try simulated()
        for reason in ["first", "first", "second"] {
            saver.suspendSaving(reason)
            #expect(saver.failureReason == reason)
            #expect(saver.log.lastProblem == reason)
            #expect(log.count(.saveFailed) == 1)
        }
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true))
        saver.write(turn(1, below: 0))
        #expect(saver.failureReason?.contains("error") == true)
        #expect(log.count(.saveFailed) == 1)
        #expect(log.count(.saveResumed) == 0)
        disk.inject(nil)
        saver.write(TurnRecords())
        #expect(saver.failureReason == nil)
        #expect(log.count(.saveResumed) == 1)
        saver.suspendSaving("third")
        #expect(log.count(.saveFailed) == 2)
    }

    @Test func `the saved state is reported as changed after a failure, even without a write`()
        throws
    {
        let (saver, _, _) = try simulated()
        saver.write(turn(1, below: 0))
        #expect(
            saver.consumeDurabilityChange()
                == StateSaver.DurabilityChange(hasLevelChanged: true, becameDurable: true))
        saver.suspendSaving("the archive is elsewhere")
        #expect(
            saver.consumeDurabilityChange()
                == StateSaver.DurabilityChange(hasLevelChanged: true, hasFailureChanged: true))
        #expect(saver.consumeDurabilityChange() == StateSaver.DurabilityChange())
        saver.write(TurnRecords())
        #expect(
            saver.consumeDurabilityChange()
                == StateSaver.DurabilityChange(
                    hasLevelChanged: true, hasFailureChanged: true, becameDurable: true))
        #expect(saver.consumeDurabilityChange() == StateSaver.DurabilityChange())
    }

    @Test(arguments: 0..<4)
    func `an unwritten pass is discarded together with its state`(way: Int) throws {
        let (saver, disk, _) = try simulated()
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true))
        saver.save([try scene()], .demand) { passMetadata(7) }
        #expect(saver.failureReason != nil && saver.lastPassTime == nil)
        disk.inject(nil)
        switch way {
        case 0: saver.abandonFile()
        case 1: saver.markRemoved()
        case 2: saver.discardUnsavedChanges()
        default: _ = try saver.removeState()
        }
        #expect(saver.failureReason == nil)
        saver.markWritten()
        #expect(saver.lastPassTime == nil)
    }

    @Test func `a rewritten archive is closed only if it was closed before`() throws {
        for isClosed in [false, true] {
            let (saver, disk, _) = try simulated()
            saver.write(turn(1, below: 0))
            if isClosed { saver.closeArchive() }
            let path = saver.archive.path.replacing("/state/", with: "")
            let before = disk.file(path)
            disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
            #expect(saver.rewrite()?.contains("No space") == true)
            #expect(disk.file(path) == before)
            #expect(saver.failureReason != nil)
            disk.inject(nil)
            #expect(saver.rewrite() == nil)
            #expect(saver.failureReason == nil)
            #expect(disk.file(path) != before)
            let reader = try StateDirectory(locked: disk.root, pid: 1)
                .archive(of: Notes.bundleIdentifier)
            #expect(try reader.load() == .loaded(isClosed: isClosed, tornTail: nil))
        }
    }

    @Test func `a write whose sync fails does not count as durable`() throws {
        let (saver, disk, _) = try simulated()
        saver.write(turn(1, below: 0))
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeData]))
        #expect(!saver.writeDurably(turn(2, below: 1)))
        #expect(saver.failureReason != nil)
        disk.inject(nil)
        #expect(saver.writeDurably(TurnRecords()))
        #expect(saver.durabilityLevel == .durable)
    }

    @Test
    func
        `R16: nothing is saved if the previous state must go to the history first and cannot be read`()
        throws
    {
        let (saver, disk, log) = try simulated()
        saver.write(turn(1, below: 0))
        saver.requireGeneration(.reset)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true))
        saver.write(turn(2, below: 1))
        #expect(
            saver.failureReason?.contains("must be added to the history, but cannot be read")
                == true)
        #expect(log.count(.generationFailed) > 0)
        disk.inject(nil)
        saver.write(TurnRecords())
        #expect(saver.failureReason == nil)
        #expect(
            disk.names(
                in: saver.archive.path.replacing("/state/", with: "")
                    .replacing("data.archive", with: "history")
            ).contains("000001.archive"))
    }

    /// Returns a scene whose delegate does not opt in to saving.
    private func unwillingScene(_ name: RestorationIdentifier) throws -> Scene {
        let notes = Notes()
        notes.behavior.savesState = false
        let context = SceneContext(
            name: name, classes: ClassRegistry(), storyboards: nil, model: nil)
        let scene = Scene(
            name: name, launchReason: .pristine,
            delegate: try notes.definition().makeDelegate(context), classes: context.classes,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        return scene
    }

    @Test func `scenes that refuse to be saved are recorded until the next launch`() throws {
        let (saver, _, _) = try simulated()
        let scenes = try ["first", "second"].map { try unwillingScene($0) }
        saver.save(scenes, .demand) { passMetadata(1) }
        let names: [RestorationIdentifier] = ["first", "second"]
        #expect(names.allSatisfy { saver.isOptedOut($0) })
        #expect(!saver.isOptedOut("other"))
        #expect(saver.isUnsavedByOptOut)
        #expect(saver.durabilityLevel != .durable)
        saver.prepareForLaunch()
        #expect(!names.contains { saver.isOptedOut($0) })
        #expect(!saver.isUnsavedByOptOut)
        #expect(saver.durabilityLevel == .durable)
        saver.save(scenes, .demand) { passMetadata(2) }
        saver.save([scenes[1]], .demand) { passMetadata(3) }
        #expect(!saver.isOptedOut("first") && saver.isOptedOut("second"))
    }
}

extension StateSaver {
    /// Creates a saver without model data.
    convenience init(for archive: ApplicationArchive, _ recorder: LogRecorder = LogRecorder()) {
        let log = ApplicationLog(
            recorder.logger(), bundleIdentifier: "a", usesJournalFields: true, now: { 0 },
            metrics: ApplicationMetrics(
                NOOPMetricsHandler.instance, bundleIdentifier: "a", launchReasons: []),
            tracing: ApplicationTracing(nil, bundleIdentifier: "a"))
        self.init(
            archive: archive, log: log,
            generations: GenerationWriter(archive, log: log, settings: PreservationSettings()),
            documents: nil)
    }
}
