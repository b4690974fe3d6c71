import Dispatch
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Times at which generations are added, the limits of the history, and the contents of generations.
@Suite struct HistoryTests {
    private static let stopped = "the application was stopped"
    private static let passed = "the history interval elapsed"

    private func reasons(_ scratch: ScratchDirectory) throws -> [String] {
        try scratch.allGenerations().map(\.reason)
    }

    @discardableResult
    private func withHistory<Result>(
        _ history: HistorySettings, in scratch: ScratchDirectory, watch: DirectoryWatch? = nil,
        _ body: (HostedNotes) async throws -> Result
    ) async throws -> Result {
        var settings = HostedSettings()
        settings.history = history
        if let watch { settings.stateDirectory = try scratch.watched(by: watch) }
        return try await withNotes(in: scratch, settings, body)
    }

    // MARK: Adding

    @Test
    func `an orderly stop adds a generation if state has changed since the newest generation`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("one") }
            #expect(try reasons(scratch) == [Self.stopped])
            // The next run recognizes that nothing has changed.
            try await withNotes(in: scratch) { _ in }
            #expect(try reasons(scratch) == [Self.stopped])
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("two")
                try await hosted.application.quitUntilLaunch()
                #expect(try reasons(scratch) == [Self.stopped, Self.stopped])
                try await hosted.application.launch()
            }
            #expect(try reasons(scratch) == [Self.stopped, Self.stopped])
            let newest = try #require(try scratch.allGenerations().last)
            #expect(newest.bytes.contains("two".utf8))
        }
    }

    @Test func `changes of a killed program are added to the history by the next orderly stop`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withScratchDirectory { killed async throws in
                try await withNotes(in: scratch) { hosted async throws in
                    try await hosted.write("one")
                    try await hosted.application.quitUntilLaunch()
                    try await hosted.application.launch()
                    try await hosted.write("two")
                    try scratch.copy(to: killed)
                }
                #expect(try reasons(killed) == [Self.stopped])
                try await withNotes(in: killed) { _ in }
                #expect(try reasons(killed) == [Self.stopped, Self.stopped])
                let newest = try #require(try killed.allGenerations().last)
                #expect(newest.bytes.contains("two".utf8))
            }
        }
    }

    @Test
    func `P18: at the history interval, changed state is added to the history after a full pass`()
        async throws
    {
        try await withScratchDirectory { scratch in
            // The history interval has the same length as the preservation interval.
            let history = HistorySettings(interval: HostedNotes.interval)
            try await withHistory(history, in: scratch) { hosted async throws in
                try await hosted.write("one")
                await hosted.passInterval()
                #expect(await hosted.application.status().lastError == nil)
                #expect(try reasons(scratch) == [Self.passed])
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try reasons(scratch) == [Self.passed])

                _ = try await hosted.application.perform {
                    $0.note.changeWithoutInvalidating("unseen")
                }
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try reasons(scratch) == [Self.passed, Self.passed])
                let newest = try #require(try scratch.allGenerations().last)
                #expect(newest.bytes.contains("unseen".utf8))
            }
            #expect(try reasons(scratch) == [Self.passed, Self.passed])
        }
    }

    @Test func `records that a launch adds are no reason for a generation`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("one") }
            #expect(try reasons(scratch) == [Self.stopped])
            var behavior = Notes.Behavior()
            behavior.registersExtra = true
            try await withNotes(Notes(behavior), in: scratch) { _ in }
            #expect(try #require(scratch.archiveBytes()).contains("extra".utf8))
            #expect(try reasons(scratch) == [Self.stopped])
        }
    }

    @Test func `the preservation interval alone adds no generation`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("one")
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try reasons(scratch) == [])
            }
        }
    }

    @Test func `a generation that cannot be added is reported, and saving continues`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            let history = HistorySettings(interval: HostedNotes.interval)
            try await withHistory(history, in: scratch, watch: watch) { hosted async throws in
                try await hosted.write("one")
                watch.fail("history", with: ENOSPC)
                await hosted.passInterval()
                let status = await hosted.application.status()
                #expect(status.lastError?.contains("could not be added to the history") == true)
                #expect(hosted.log.entries.count { $0.level == .error } == 1)
                #expect(try await hosted.write("two") == .written)
                #expect(try #require(scratch.archiveBytes()).contains("two".utf8))
                watch.fail("history", with: nil)
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try reasons(scratch) == [Self.passed])
                watch.fail("history", with: ENOSPC)
                try await hosted.write("three")
                // The second attempt also fails, but the stop succeeds.
            }
            #expect(try reasons(scratch) == [Self.passed])
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "three")
        }
    }

    @Test func `an interval adds no generation while saving fails, and logs no second error`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let history = HistorySettings(interval: HostedNotes.interval)
            try await withHistory(history, in: scratch) { hosted async throws in
                scratch.blockSaving()
                try await hosted.write("one")
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(hosted.log.entries.count { $0.level == .error } == 1)
                scratch.allowSaving()
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try reasons(scratch) == [Self.passed])
            }
        }
    }

    @Test func `each generation is stored with its reason`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, version: "1") { try await $0.write("old") }
            #expect(try reasons(scratch) == [Self.stopped])
            try scratch.removeHistory()
            try await withNotes(in: scratch, version: "2") { hosted async throws in
                try await hosted.write("new")
                try await hosted.application.forceQuit()
            }
            #expect(
                try reasons(scratch) == [
                    "the scene main was saved by version 1 of the program",
                    "it was removed by a forced quit",
                ])
        }
    }

    // MARK: Limits

    @Test func `the oldest generations are removed when there are too many`() async throws {
        try await withScratchDirectory { scratch in
            let history = HistorySettings(count: 2)
            for text in ["one", "two", "three", "four"] {
                try await withHistory(history, in: scratch) { try await $0.write(text) }
            }
            #expect(
                try ScratchDirectory.names(in: scratch.history) == [
                    "000003.archive", "000003.archive.reason", "000004.archive",
                    "000004.archive.reason",
                ])
        }
    }

    @Test func `a generation that cannot be removed is reported and removed later`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("one") }
            let history = HistorySettings(count: 1, interval: HostedNotes.interval)
            let watch = DirectoryWatch()
            watch.failRemoving("000001.archive", with: EPERM)
            try await withHistory(history, in: scratch, watch: watch) { hosted async throws in
                try await hosted.write("two")
                await hosted.passInterval()
                let status = await hosted.application.status()
                #expect(
                    status.lastError?.hasPrefix("old files could not be removed from the history")
                        == true)
                #expect(try reasons(scratch).count == 2)
                watch.failRemoving("000001.archive", with: nil)
                try await hosted.write("three")
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(try reasons(scratch) == [Self.passed])
            }
        }
    }

    // MARK: Listing

    @Test func `the history describes what each generation contains or why it cannot be read`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, version: "1") { try await $0.write("one") }
            try await withNotes(in: scratch, version: "2") { try await $0.write("two") }
            try await withNotes(in: scratch, version: "2") { hosted async throws in
                try await hosted.write("three")
                try await hosted.application.quitUntilLaunch()
                try ScratchDirectory.write([1, 2, 3], to: "\(scratch.history)/000002.archive")
                let history = try await hosted.application.history()
                #expect(history.map(\.name) == ["000001", "000002", "000003"])
                #expect(history.map(\.bundleVersions) == [["1"], [], ["2"]])
                #expect(history.map(\.objectCount) == [1, 0, 1])
                #expect(history.map { $0.problem == nil } == [true, false, true])
                #expect(history[1].problem?.contains("000002.archive") == true)
                #expect(history[0].reason == Self.stopped)
                #expect(history[0].path == "\(scratch.history)/000001.archive")
                let bytes = try scratch.allGenerations().map(\.bytes.count)
                #expect(history.map(\.byteCount) == bytes)
                #expect(history.allSatisfy { $0.time.timeIntervalSince1970 > 1_600_000_000 })
                let older = try await hosted.application.history(before: "3", limit: 1)
                #expect(older.generations == [history[1]])
                #expect(older.omittedCount == 1)
                await #expect(throws: unknown("x", history.map(\.name))) {
                    try await hosted.application.history(before: "x", limit: 1)
                }
            }
        }
    }

    @Test func `a rollback waits for the disk without occupying the executor`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("first") }
            try await withNotes(in: scratch) { hosted async throws in
                let isDiskBusy = AwaitableState(false)
                let end = DispatchSemaphore(value: 0)
                async let busy: Void = hosted.application.historyQueue.run {
                    isDiskBusy.change { $0 = true }
                    end.wait()
                }
                await isDiskBusy.wait { $0 }
                defer { end.signal() }
                let rollback = Task { try await hosted.application.rollBack(to: "1") }
                try await hosted.write("second")
                rollback.cancel()
                await #expect(
                    throws: ApplicationError.historyUnreadable(
                        application: Notes.bundleIdentifier, reason: "the call was cancelled")
                ) {
                    try await rollback.value
                }
                #expect(try await hosted.text() == "second")
                end.signal()
                await busy
            }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a stop or a cancellation ends a call that waits for the history or quarantine`(
        isStop: Bool, isQuarantine: Bool
    ) async throws {
        /// Service that reads the history or the quarantine.
        struct Reader: Service {
            let application: Application
            let begun: AwaitableState<Bool>
            let isQuarantine: Bool

            func run() async throws {
                begun.change { $0 = true }
                if isQuarantine {
                    _ = try await application.newQuarantineEntries()
                } else {
                    _ = try await application.history()
                }
            }
        }
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                let isDiskBusy = AwaitableState(false)
                let end = DispatchSemaphore(value: 0)
                async let busy: Void = hosted.application.historyQueue.run {
                    isDiskBusy.change { $0 = true }
                    end.wait()
                }
                await isDiskBusy.wait { $0 }
                defer { end.signal() }
                let begun = AwaitableState(false)
                let reader = Reader(
                    application: hosted.application, begun: begun, isQuarantine: isQuarantine)
                let services = ServiceGroup(services: [reader], logger: .quiet)
                let running = Task { try await services.run() }
                await begun.wait { $0 }
                if isStop { await services.triggerGracefulShutdown() } else { running.cancel() }
                do {
                    try await running.value
                    Issue.record("the read returned")
                } catch ApplicationError.ending {
                    #expect(isStop)
                } catch ApplicationError.historyUnreadable(_, let reason) {
                    #expect(!isStop && !isQuarantine)
                    #expect(reason == "the call was cancelled")
                } catch ApplicationError.quarantineUnreadable(_, let reason) {
                    #expect(!isStop && isQuarantine)
                    #expect(reason == "the call was cancelled")
                }
                #expect(!hosted.log.entries.contains { $0.level >= .warning })
                end.signal()
                await busy
            }
        }
    }

    @Test func `two generations, or a generation and the saved state, are compared by value`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("one") }
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try await hosted.write("two")
                try await application.quitUntilLaunch()
                #expect(
                    try await application.diff(from: "1", to: "000002").differences
                        .listedDifferences
                        == [change("one", "two")])
                #expect(try await application.diff(from: "2").differences.isEmpty)
                try await application.launch()
                #expect(try await application.diff(from: "2", to: nil).differences.isEmpty)
                // A pass saves changes that were not invalidated.
                _ = try await application.perform { $0.note.changeWithoutInvalidating("three") }
                let comparison = try await application.diff(from: "02")
                #expect(comparison.differences.listedDifferences == [change("two", "three")])
                #expect(comparison.from == "000002")
                #expect(comparison.to == nil)
                #expect(comparison.problems == [])
            }
        }
    }

    @Test func `an unknown or unusable generation is refused by name`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("one")
                let application = hosted.application
                #expect(try await application.history() == [])
                await #expect(throws: unknown("1", [])) { try await application.diff(from: "1") }
                try await application.quitUntilLaunch()
                await #expect(throws: unknown("x", ["000001"])) {
                    try await application.diff(from: "1", to: "x")
                }
                try ScratchDirectory.write([], to: "\(scratch.history)/000001.archive")
                do {
                    _ = try await application.diff(from: "1")
                    Issue.record("it can be used")
                } catch ApplicationError.generationUnreadable(_, let name, let reason) {
                    #expect(name == "1")
                    #expect(reason.contains("000001.archive"))
                }
                try scratch.removeHistory()
                try ScratchDirectory.write([], to: scratch.history)
                do {
                    _ = try await application.history()
                    Issue.record("it can be read")
                } catch ApplicationError.historyUnreadable(_, let reason) {
                    #expect(reason.contains("history"))
                }
            }
        }
    }

    private func unknown(_ name: String, _ there: [String]) -> ApplicationError {
        .noSuchGeneration(
            application: Notes.bundleIdentifier, generation: name, generations: there)
    }

    private func change(_ from: String, _ to: String) -> StateDifference {
        StateDifference(
            scene: "main", path: "note",
            change: .value(
                key: "text", from: .value(.string(from)), to: .value(.string(to))))
    }

    @Test func `an error about an unknown scene lists the existing scenes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let scenes: [RestorationIdentifier] = ["main", "other"]
            try await withNotes(in: scratch, scenes: scenes) { hosted async throws in
                for scene in scenes { try await hosted.write("text", in: scene.text) }
                try await hosted.application.reset(scene: "other")
                let application = hosted.application
                await #expect(
                    throws: ApplicationError.noSuchScene(
                        application: Notes.bundleIdentifier, scene: "none",
                        scenes: ["main", "other"])
                ) { try await application.snapshot(of: "none", in: .saved) }
                await #expect(
                    throws: ApplicationError.generationUnreadable(
                        application: Notes.bundleIdentifier, generation: "000001",
                        reason: "it has no scene none, but main, other")
                ) { try await application.snapshot(of: "none", in: .generation("000001")) }
                await #expect(
                    throws: ApplicationError.notInQuarantine(
                        application: Notes.bundleIdentifier, name: "none")
                ) { try await application.snapshot(of: "main", in: .quarantined("none")) }
            }
        }
    }

    @Test func `P16: state is not replaced while the live state cannot be saved`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("first")
                try await hosted.application.reset()
                try await hosted.write("second")
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                guard case .notSaved = try await hosted.write("third") else {
                    Issue.record("it is said to be saved")
                    return
                }
                for way in 0..<3 {
                    let error = await #expect(throws: ApplicationError.self) {
                        switch way {
                        case 0: try await hosted.application.rollBack(to: "1")
                        case 1: try await hosted.application.reset()
                        default: try await hosted.application.resetToSaved()
                        }
                    }
                    switch error {
                    case .notRolledBack(_, _, cause: .notSaved, _),
                        .notReset(_, cause: .notSaved, _):
                        break
                    default: Issue.record("\(String(describing: error))")
                    }
                }
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(try await hosted.text() == "third")
            }
        }
    }

    @Test func `the newest readable generation that contains an object is named`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                for text in ["one", "two", "three"] {
                    try await hosted.write(text)
                    try await application.quitUntilLaunch()
                    try await application.launch()
                }
                func copy(of path: String = "note", in scene: RestorationIdentifier = "main")
                    async throws -> String?
                {
                    try await application.findNewestGeneration(of: path, in: scene)
                }
                for generation in try await application.history().sorted(by: { $0.path > $1.path })
                {
                    let sentence = try #require(try await copy())
                    #expect(
                        sentence.hasPrefix("Generation \(generation.name) contains it as Note: "))
                    #expect(try await copy(of: "other") == nil)
                    #expect(try await copy(in: "other") == nil)
                    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: generation.path))
                }
                #expect(try await copy() == nil)
            }
        }
    }
}

extension Application {
    /// Queue on which the history is read.
    fileprivate var historyQueue: DiskQueue { savedHistory.queue }
}
