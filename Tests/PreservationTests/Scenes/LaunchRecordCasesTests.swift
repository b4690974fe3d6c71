import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Launch records after stops, kills and crashes that involve several scenes or applications.
@Suite(.timeLimit(.minutes(10))) struct LaunchRecordCasesTests {
    static let scenes: [RestorationIdentifier] = ["main", "other"]
    static let names = scenes.map(\.text)

    /// Saves text in two scenes, and adds it to the history.
    private func save(_ text: String = "first", in scratch: ScratchDirectory) async throws {
        try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
            for name in Self.names { try await hosted.write(text, in: name) }
        }
    }

    @Test func `L2: a kill counts against the launching scene even if another application quit`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let directory = try scratch.watched(by: scratch.watch)
            var settings = HostedSettings()
            settings.stateDirectory = directory
            settings.bundleIdentifier = "org.example.Others"
            try await withScratchDirectory { killed async throws in
                try await withNotes(in: scratch, settings) { other async throws in
                    let notes = Notes()
                    notes.behavior.extendingScenes = ["main"]
                    var settings = HostedSettings()
                    settings.stateDirectory = directory
                    settings.waitsForLaunch = false
                    try await withNotes(notes, in: scratch, settings) { hosted async throws in
                        await hosted.log.wait(for: 1, .restorationExtended)
                        try await other.application.quitUntilLaunch()
                        try scratch.copy(to: killed)
                        await hosted.application.completeRestoration()
                        try await hosted.application.waitUntilLaunched()
                    }
                }
                try await withStoppedNotes(in: killed) { hosted async throws in
                    #expect(await hosted.application.known("main").kills == 1)
                }
            }
        }
    }

    @Test func `L2: a rollback that a stop interrupts does not count as a kill`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: Self.scenes) { hosted async throws in
                let application = hosted.application
                try await hosted.write("second", in: "main")
                notes.behavior.extendingScenes = ["main"]
                let rollingBack = Task { try await application.rollBack(to: "1") }
                await hosted.log.wait(for: 1, .restorationExtended)
                try await application.quitUntilLaunch()
                await #expect(throws: ApplicationError.self) { try await rollingBack.value }
            }
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                #expect(hosted.log.count(.launchedAgain) == 0)
                #expect(try await hosted.application.report(scene: "main").precedingDeath == nil)
                #expect(try await hosted.text(in: "main") == "second")
            }
        }
    }

    @Test func `R16: relaunches from the saved state never make unrestored records expire`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.registersExtra = true
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.application.open(scene: "other")
                try await hosted.application.close(scene: "other")
            }
            notes.behavior.registersExtra = false
            for _ in 0..<SceneRecords.maximumRestorationAttempts + 2 {
                try await withNotes(notes, in: scratch) { hosted async throws in
                    try await hosted.application.resetToSaved(scene: "other")
                    let report = try await hosted.application.report(scene: "other")
                    #expect(report.unrestored.map(\.path) == ["extra"])
                    #expect(report.expiring == [])
                    #expect(report.expired == [])
                    try await hosted.application.close(scene: "other")
                }
            }
        }
    }

    @Test func `L8: a crash restores only the scenes that the same operation replaced`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                let notes = Notes()
                try await withNotes(notes, in: ScratchDirectory(path: path), scenes: Self.scenes) {
                    hosted async throws in
                    for name in Self.names { try await hosted.write("live", in: name) }
                    try await hosted.application.rollBack(to: "1", scene: "other")
                    notes.behavior.crashPoints["main"] = .launching
                    try await hosted.application.rollBack(to: "1", scene: "main")
                }
            }
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                let problem = try #require(await hosted.application.status().lastError)
                #expect(problem.contains("was restored to its state from before"))
                #expect(!problem.contains("together with"))
                #expect(try await hosted.text(in: "main") == "live")
                #expect(try await hosted.text(in: "other") == "first")
                #expect(await hosted.application.known("other").replaced != nil)
            }
        }
    }

    @Test func `L8: a scene is launched only after the state before its replacement can be read`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                let notes = Notes()
                try await withNotes(notes, in: ScratchDirectory(path: path), scenes: Self.scenes) {
                    hosted async throws in
                    for name in Self.names { try await hosted.write("live", in: name) }
                    notes.behavior.crashPoints["main"] = .launching
                    try await hosted.application.rollBack(to: "1", scene: "main")
                }
            }
            scratch.watch.fail("000002.archive", with: EIO)
            try await withNotes(in: scratch, scenes: Self.scenes) { hosted async throws in
                let main = try #require(await hosted.application.scenes().first)
                guard case .failed(let reason) = main.phase else {
                    Issue.record("\(main.phase)")
                    return
                }
                #expect(
                    reason.contains("its state from before the replacement could not be restored"))
                scratch.watch.fail("000002.archive", with: nil)
                try await hosted.application.open(scene: "main")
                #expect(try await hosted.text(in: "main") == "live")
            }
        }
    }
}
