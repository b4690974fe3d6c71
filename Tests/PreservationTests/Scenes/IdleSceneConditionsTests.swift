import FoundationEssentials
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Conditions under which an unused scene stays open.
@Suite(.timeLimit(.minutes(10))) struct IdleSceneConditionsTests {
    private static let idle = Duration.seconds(60)

    private func settings(_ scenes: [RestorationIdentifier]) -> HostedSettings {
        var settings = HostedSettings()
        settings.scenes = scenes
        settings.idleTimeout = Self.idle
        return settings
    }

    /// Advances the clock by the idle time, and waits until the commands that close idle scenes have been queued.
    private func passIdleTime(of hosted: HostedNotes) async throws {
        let timer = try #require(await hosted.application.intervalTimers?.timers[.idleness])
        hosted.clock.advance(by: Self.idle)
        await timer.value
    }

    @Test func `S4: a scene stays open while one of its tasks is running`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, settings(["main", "other"])) { hosted async throws in
                let application = hosted.application
                let ended = Signal()
                _ = try await application.perform(on: "other") { scene in
                    scene.run { await ended.wait() }
                }
                for _ in 0..<3 { try await passIdleTime(of: hosted) }
                await hosted.log.wait(for: 1, .closed)
                #expect(await application.scenes().map(\.phase) == [.saved, .running])
                ended.send()
                try await waitUntil("the task has returned") { await !application.isRunningTasks }
                try await passIdleTime(of: hosted)
                await hosted.log.wait(for: 2, .closed)
                #expect(await application.status().launchedSceneCount == 0)
            }
        }
    }

    @Test func `no idle time passes after all scenes have been closed`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, settings(["main"])) { hosted async throws in
                for _ in 0..<2 { try await passIdleTime(of: hosted) }
                await hosted.log.wait(for: 1, .closed)
                // This timer was started before the turn that closed the scene.
                try await passIdleTime(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 0)
                #expect(await hosted.application.intervalTimers?.timers[.idleness] == nil)
                #expect(try await hosted.text() == "")
                #expect(await hosted.application.intervalTimers?.timers[.idleness] != nil)
            }
        }
    }

    @Test func `L4: an unused scene stays open while its state is not saved after a reset`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, settings(["main"])) { hosted async throws in
                try await hosted.write("live")
                try FileManager.default.removeItem(atPath: scratch.archive)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
                for _ in 0..<3 { try await passIdleTime(of: hosted) }
                #expect(try await hosted.text() == "")
                #expect(hosted.log.count(.closed) == 0)
                #expect(scratch.archiveBytes() == nil)
            }
        }
    }
}

extension Application {
    /// Whether any task of a scene is running.
    fileprivate var isRunningTasks: Bool { launchSequence.tasks.hasRunningTasks }
}
