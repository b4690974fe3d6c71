import FoundationEssentials
import Glibc
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Replacement of the state of an application that is not running, and unusable states.
@Suite struct ReplacementBeforeLaunchTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    /// Saves text twice. The orderly stops add the generations 000001 and 000002.
    private func save(in scratch: ScratchDirectory) async throws {
        for text in ["first", "second"] {
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                for scene in ["main", "other"] { try await hosted.write(text, in: scene) }
            }
        }
    }

    private func reasons(_ hosted: HostedNotes) async -> [LaunchReason?] {
        await hosted.application.scenes().map { $0.report?.reason }
    }

    @Test func `L8: a rollback launches a failed application from an earlier generation`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            var behavior = Notes.Behavior()
            behavior.failsWillFinishLaunching = true
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                // While the application cannot be launched, nothing changes.
                let error = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.rollBack(to: "1")
                }
                guard case .notRolledBack(_, _, .notLaunched, "no notes today") = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                guard case .failed = await hosted.application.status().phase else {
                    Issue.record("it runs")
                    return
                }
                #expect(try #require(scratch.archiveBytes()).contains("second".utf8))
                #expect(try #require(scratch.archiveBytes()).contains("first".utf8) == false)
                notes.behavior.failsWillFinishLaunching = false
                let replaced = try await hosted.application.rollBack(to: "1")
                #expect(replaced.scenes == ["main", "other"])
                #expect(replaced.generation?.hasSuffix("/000002.archive") == true)
                #expect(await reasons(hosted) == [.replace, .replace])
                #expect(try await hosted.text(in: "main") == "first")
            }
        }
    }

    @Test func `opening a scene launches a failed application`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            var behavior = Notes.Behavior()
            behavior.failsWillFinishLaunching = true
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.open(scene: "other")
                }
                notes.behavior.failsWillFinishLaunching = false
                try await hosted.application.open(scene: "other")
                #expect(try await hosted.text(in: "other") == "second")
                try await hosted.application.open(scene: "third")
                #expect(try await hosted.text(in: "third") == "")
            }
        }
    }

    @Test func `L8: a rollback whose launch failed is not undone if another launch has begun`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            var behavior = Notes.Behavior()
            behavior.failsWillFinishLaunching = true
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                let ticket = await hosted.application.makeTicket()
                #expect(ticket.acquire {})
                let rollBack = Task.immediate { try await hosted.application.rollBack(to: "1") }
                try await hosted.application.waitForLaunchToWait()
                await hosted.application.failAndLaunchAgain(ticket) {
                    notes.behavior.failsWillFinishLaunching = false
                }
                let error = await #expect(throws: ApplicationError.self) {
                    try await rollBack.value
                }
                guard case .notRolledBack(_, _, .notLaunched, let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("launched again before the change was undone, so"))
                #expect(try await hosted.text(in: "main") == "first")
                #expect(try await hosted.write("goes on", in: "main") == .written)
            }
        }
    }

    @Test func `a reset launches a failed application without state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            var behavior = Notes.Behavior()
            behavior.failsWillFinishLaunching = true
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                notes.behavior.failsWillFinishLaunching = false
                let replaced = try await hosted.application.reset()
                #expect(replaced.scenes == ["main", "other"])
                #expect(await reasons(hosted) == [.pristine, .pristine])
            }
        }
    }

    @Test(arguments: [false, true])
    func `R2: the first launch after a rollback of a stopped application has the reason replace`(
        isOtherProcess: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.quitUntilLaunch()
                try await hosted.application.rollBack(to: "1", scene: "main")
                if !isOtherProcess {
                    try await hosted.application.launch()
                    #expect(await reasons(hosted) == [.replace, .restore])
                }
            }
            for reason in [isOtherProcess ? LaunchReason.replace : .restore, .restore] {
                try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                    #expect(await reasons(hosted) == [reason, .restore])
                }
            }
        }
    }

    @Test func `a reset of a stopped application does not launch the application`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                try await hosted.application.quitUntilLaunch()
                #expect(try await hosted.application.reset().scenes == [])
                guard case .stopped = await hosted.application.status().phase else {
                    Issue.record("it runs")
                    return
                }
                try await hosted.application.launch()
                #expect(await reasons(hosted) == [.pristine, .pristine])
            }
        }
    }

    @Test func `a rollback to unreadable state or of an unknown scene fails with the cause`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            try await withNotes(in: scratch, scenes: Self.scenes + ["third"]) {
                hosted async throws in
                func error(_ generation: String, _ scene: String? = nil) async -> ApplicationError?
                {
                    await #expect(throws: ApplicationError.self) {
                        try await hosted.application.rollBack(to: generation, scene: scene)
                    }
                }
                scratch.watch.fail("000001.archive", with: EIO)
                guard case .notRolledBack(_, _, .unreadable, let reason) = await error("1") else {
                    Issue.record("it is another cause")
                    return
                }
                #expect(reason.contains("000001.archive"))
                scratch.watch.fail("000001.archive", with: nil)
                guard case .notRolledBack(_, _, .unknown, _) = await error("1", "third"),
                    case .noSuchScene(_, "fourth", _) = await error("1", "fourth")
                else {
                    Issue.record("it is another cause")
                    return
                }
                try await hosted.write("third", in: "main")
                try await hosted.application.rollBack(to: "1")
                let reasons = try scratch.allGenerations().map(\.reason)
                #expect(reasons.last == "the application was rolled back to 000001")
            }
        }
    }

    @Test
    func `the history of a failed application can be listed and compared with the saved state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let definition: @Sendable (DocumentsDirectory) throws -> any ApplicationModel = { _ in
                throw Refusal()
            }
            var settings = HostedSettings(version: "1", scenes: Self.scenes)
            settings.makeModel = definition
            try await withNotes(in: scratch, settings) { hosted async throws in
                guard case .failed = await hosted.application.status().phase else {
                    Issue.record("it runs")
                    return
                }
                #expect(try await hosted.application.history().map(\.name) == ["000001", "000002"])
                let same = try await hosted.application.diff(from: "2")
                #expect(same.differences.isEmpty)
                #expect(try await !hosted.application.diff(from: "1").differences.isEmpty)
            }
            let newer = ArchiveBytes(try #require(scratch.archiveBytes())).newer()
            try ScratchDirectory.write(newer, to: scratch.archive)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                let error = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.diff(from: "1")
                }
                guard case .failed = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test func `an application that has not been launched yet can be compared and reset`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            var settings = HostedSettings(version: "1", scenes: Self.scenes)
            settings.waitsForLaunch = false
            try await withStoppedNotes(in: scratch, settings) { hosted async throws in
                #expect(try await hosted.application.diff(from: "2").differences.isEmpty)
            }
            try await withStoppedNotes(in: scratch, settings) { hosted async throws in
                try await hosted.application.reset(scene: "other")
                #expect(await hosted.application.scenes().map(\.name) == ["main"])
            }
        }
    }
}

extension Application {
    /// Waits until the application is waiting to launch its scenes.
    fileprivate func waitForLaunchToWait() async throws {
        try await waitUntil("scenes wait to be launched") { isLaunching }
    }

    /// Makes the waiting launch fail, and begins another launch before any caller is resumed.
    fileprivate func failAndLaunchAgain(
        _ ticket: LaunchGate.Ticket, mend: @Sendable () -> Void
    ) {
        ticket.release()
        advanceLaunches()
        mend()
        beginLaunch()
    }
}
