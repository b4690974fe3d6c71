import FoundationEssentials
import Glibc
import LinuxIO
import ServiceLifecycle
import SimulatedDisk
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Results of saving and of reading the quarantine that change from one attempt to the next.
@Suite(.timeLimit(.minutes(5))) struct SavingOutcomeTests {
    @Test func `a released model is freed unless it has unwritten changes`() async throws {
        try await withScratchDirectory { scratch async throws in
            let documents = try ApplicationStateDirectory(path: scratch.stateDirectory)
                .documents(of: Notes.bundleIdentifier)
            let store = NotesModel.Store(DirectoryWatch())
            var saver = ModelSaver(documents: documents)
            weak var model: NotesModel?
            model = try saver.loadModel { _ in store.make() } as? NotesModel
            model?.add("one")
            store.fails = true
            saver.saveChanges()
            saver.release()
            #expect(model != nil)
            store.fails = false
            saver.saveChanges()
            saver.release()
            #expect(model == nil)
        }
    }

    @Test func `a closed archive that cannot be rewritten is logged as a single failure`() throws {
        let bench = try TurnBench()
        bench.saver.closeArchive()
        bench.disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        for _ in 0..<2 { #expect(bench.saver.rewrite()?.contains("No space") == true) }
        #expect(bench.log.count(.saveFailed) == 1)
        #expect(bench.log.count(.saveResumed) == 0)
        bench.disk.inject(nil)
        #expect(bench.saver.rewrite() == nil)
        #expect(bench.log.count(.saveResumed) == 1)
    }

    @Test func `an unreadable quarantine is logged again after it was readable`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                for expectedCount in 1...2 {
                    scratch.watch.fail("quarantine", with: EIO)
                    for _ in 0..<2 {
                        await #expect(throws: ApplicationError.self) {
                            try await hosted.application.newQuarantineEntries()
                        }
                    }
                    #expect(hosted.log.count(.quarantineUnreadable) == expectedCount)
                    scratch.watch.fail("quarantine", with: nil)
                    #expect(try await hosted.application.newQuarantineEntries() == [])
                }
            }
        }
    }

    private final class Sheet: StateRestoring {
        let restoration = RestorationNode()

        var restorationKind: RestorationKind { .viewController }
    }

    @Test func `only the removal of an unsaved controller is reported as a deletion`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let sheets: ObjectKey<Sheet> = "sheets"
            let log = LogRecorder()
            var settings = PreservationSettings()
            settings.usesJournalFields = true
            let application = try Application(
                bundleIdentifier: Notes.bundleIdentifier, bundleVersion: "1",
                stateDirectory: scratch.watched(by: scratch.watch), settings: settings,
                logger: log.logger(), register: { try $0.list(sheets) { _ in Sheet() } })
            let services = ServiceGroup(services: [application], logger: .quiet)
            async let running: Void = services.run()
            try await application.waitUntilLaunched()
            try await application.perform { scene in
                for name in ["draft", "saved"] { try scene.list(sheets)?.add(name) }
            }
            try await application.perform { scene in
                scene.list(sheets)?.remove("draft")
                scene.hasRemovedUnsavedController = true
            }
            try await application.perform { scene in
                _ = scene.list(sheets)?.remove("saved")
            }
            let vanished = try await application.report().vanished
            #expect(vanished.count == 1)
            #expect(vanished.first?.hasPrefix("sheets/draft: ") == true)
            #expect(log.count(.controllersVanished) == 1)
            await services.triggerGracefulShutdown()
            try await running
        }
    }
}
