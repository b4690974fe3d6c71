import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Scenes that were in use and are launched while the application takes commands already.
@Suite struct LaterLaunchTests {
    private static let others = (1...6).map { "other\($0)" }
    /// The time between two launches.
    private static let pause = Duration.microseconds(250)

    /// The application has been left with scenes in use that nobody configured, the last one used
    /// last.
    private func leaveMany(in scratch: ScratchFolder) async throws {
        try await withNotes(in: scratch) { hosted async throws in
            try await hosted.write("first", in: "main")
            for name in Self.others {
                try await hosted.application.open(scene: name)
                try await hosted.write("of \(name)", in: name)
            }
        }
    }

    private var early: HostedSettings {
        var settings = HostedSettings()
        settings.waitsForLaunch = false
        settings.isLaunchEager = false
        return settings
    }

    /// The application takes commands, and most of the other scenes wait for their launch.
    private func withMost(
        waitingIn scratch: ScratchFolder, _ notes: Notes = Notes(),
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        try await withNotes(notes, in: scratch, early) { hosted async throws in
            await hosted.application.waitUntilReady()
            await hosted.clock.waitForSleeper(for: Self.pause)
            try await body(hosted)
        }
    }

    /// Lets the time pass after which another scene is launched, until none waits.
    private func launchAll(of hosted: HostedNotes) async {
        while await hosted.application.hasLater {
            hosted.clock.advance(by: Self.pause)
            await Task.yield()
        }
        await hosted.application.waitUntilLaunched()
    }

    @Test func `S3: after the configured scenes those follow that were in use, the last one first`()
        async throws
    {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                #expect(launches(told: hosted.log) == ["main", "other6"])
                await launchAll(of: hosted)
                #expect(launches(told: hosted.log) == ["main"] + Self.others.reversed())
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test func `S3: a command that names a scene that waits launches it`() async throws {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                let status = await hosted.application.status()
                #expect((status.launchedSceneCount, status.savedSceneCount) == (2, 7))
                #expect(status.scenes.map(\.phase).prefix(3) == [.running, .restoring, .restoring])
                #expect(try await hosted.text(in: "other1") == "of other1")
                #expect(await hosted.application.status().launchedSceneCount == 3)
                await launchAll(of: hosted)
                #expect(Set(launches(told: hosted.log)).count == 7)
                #expect(launches(told: hosted.log).count == 7)
            }
        }
    }

    @Test func `S3: a scene that is closed while it waits stays closed`() async throws {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                #expect(try await hosted.application.close(scene: "other1") == .written)
                await launchAll(of: hosted)
            }
            try await withMost(waitingIn: scratch) { hosted async throws in
                await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 6)
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test func `S3: scenes that still wait at the stop were in use`() async throws {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { _ in }
            try await withMost(waitingIn: scratch) { hosted async throws in
                await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 7)
            }
        }
    }

    @Test func `S3: eagerly every scene that was in use is launched before commands are taken`()
        async throws
    {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            var settings = early
            settings.isLaunchEager = true
            try await withNotes(in: scratch, settings) { hosted async throws in
                await hosted.application.waitUntilReady()
                #expect(await hosted.application.status().launchedSceneCount == 7)
                #expect(launches(told: hosted.log) == ["main"] + Self.others)
            }
        }
    }

    @Test func `S3: without configured scenes the one that was used last comes first`()
        async throws
    {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            var settings = early
            settings.scenes = []
            try await withNotes(in: scratch, settings) { hosted async throws in
                await hosted.application.waitUntilReady()
                #expect(launches(told: hosted.log).first == "other6")
                #expect(try await hosted.text() == "of other6")
            }
        }
    }

    @Test func `S3: if no configured scene can be launched the others are, and one is enough`()
        async throws
    {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            var wish = Notes.Wishes()
            wish.failingScenes = ["main", "other6"]
            try await withNotes(Notes(wish), in: scratch, early) { hosted async throws in
                await hosted.application.waitUntilReady()
                #expect(await hosted.application.status().phase == .running)
                #expect(launches(told: hosted.log).first == "other5")
                await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 5)
            }
        }
    }

    @Test func `L6: another state takes the place of scenes that wait, too`() async throws {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                try await hosted.application.reset()
                #expect(await hosted.application.status().savedSceneCount == 1)
                hosted.clock.advance(by: Self.pause)
                await hosted.application.waitUntilLaunched()
                #expect(await hosted.application.status().launchedSceneCount == 1)
                let kept = try #require(try await hosted.application.history().last)
                try await hosted.application.rollBack(to: kept.name)
                #expect(await hosted.application.status().launchedSceneCount == 7)
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test func `R13: while one extends its restoration the others wait, and commands do not`()
        async throws
    {
        try await withScratchFolder { scratch async throws in
            try await leaveMany(in: scratch)
            var wish = Notes.Wishes()
            wish.extendingScenes = ["other6"]
            try await withNotes(Notes(wish), in: scratch, early) { hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                #expect(try await hosted.text(in: "main") == "first")
                await hosted.application.completeRestoration()
                await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 7)
            }
        }
    }

    private func launches(told log: LogRecorder) -> [String] {
        log.entries.filter { $0.metadata["MESSAGE_ID"] == LogEvent.launched.rawValue }
            .compactMap { $0.metadata["REPRISE_SCENE"] }
    }
}

extension Application {
    fileprivate var hasLater: Bool { hosted?.hasLater ?? false }
}
