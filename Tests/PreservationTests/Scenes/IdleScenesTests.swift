import Logging
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Scenes that are closed because they are not used.
@Suite struct IdleScenesTests {
    private static let idle = Duration.seconds(60)

    private var settings: HostedSettings {
        var settings = HostedSettings()
        settings.scenes = ["main", "other"]
        settings.idleTimeout = Self.idle
        return settings
    }

    /// Advances the clock by the idle time, and waits until idle scenes have been closed.
    private func passIdleTime(of hosted: HostedNotes) async throws {
        let timers = try #require(await hosted.application.intervalTimers?.timers[.idleness])
        hosted.clock.advance(by: Self.idle)
        await timers.value
    }

    @Test func `S3: an idle scene is closed and is launched again when a command addresses it`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("first", in: "main")
                try await hosted.write("second", in: "other")
                try await passIdleTime(of: hosted)
                #expect(try await hosted.text(in: "main") == "first")
                try await passIdleTime(of: hosted)
                await hosted.log.wait(for: 1, .closed)
                let scenes = await hosted.application.scenes()
                #expect(scenes.map(\.phase) == [.running, .saved])
                #expect(
                    hosted.log.messages(from: .notice).last
                        == "closed because it was idle; its state stays saved")
                #expect(try await hosted.text(in: "other") == "second")
            }
        }
    }

    @Test func `S3: a scene that changes without a command is not idle`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await passIdleTime(of: hosted)
                await hosted.application.changeNotes("changed")
                try await passIdleTime(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 2)
                try await passIdleTime(of: hosted)
                await hosted.log.wait(for: 2, .closed)
                #expect(await hosted.application.status().launchedSceneCount == 0)
            }
        }
    }

    @Test func `P1: an idle scene stays open if its delegate does not save`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.unsavedScenes = ["other"]
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                try await hosted.write("in memory alone", in: "other")
                for _ in 0..<3 { try await passIdleTime(of: hosted) }
                await hosted.log.wait(for: 1, .closed)
                #expect(
                    await hosted.application.scenes().map(\.phase) == [.saved, .running])
                #expect(try await hosted.text(in: "other") == "in memory alone")
            }
        }
    }

    @Test func `S3: idle scenes are closed only while an idle time is set`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(await hosted.application.intervalTimers?.timers[.idleness] == nil)
                var settings = await hosted.application.settings
                settings.idleTimeout = Self.idle
                await hosted.application.apply(settings)
                try await passIdleTime(of: hosted)
                try await passIdleTime(of: hosted)
                await hosted.log.wait(for: 1, .closed)
                settings.idleTimeout = nil
                await hosted.application.apply(settings)
                _ = try await hosted.text()
                #expect(await hosted.application.intervalTimers?.timers[.idleness] == nil)
            }
        }
    }
}
