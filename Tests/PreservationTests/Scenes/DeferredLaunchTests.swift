import Glibc
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Scenes that were in use and are launched after the application has begun to accept commands.
@Suite struct DeferredLaunchTests {
    private static let others = (1...6).map { "other\($0)" }
    /// Time between the launches of two scenes.
    private static let pause = Duration.microseconds(250)

    /// Saves scenes that are in use but not configured, and uses the last scene last.
    private func leaveMany(in scratch: ScratchDirectory) async throws {
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

    /// Calls a closure when the application accepts commands and most other scenes are waiting for their launches.
    private func withMost(
        waitingIn scratch: ScratchDirectory, _ notes: Notes = Notes(), idleTimeout: Duration? = nil,
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        var settings = early
        settings.idleTimeout = idleTimeout
        try await withNotes(notes, in: scratch, settings) { hosted async throws in
            try await hosted.application.waitUntilReady()
            await hosted.clock.waitForSleeper(for: Self.pause)
            try await body(hosted)
        }
    }

    /// Advances the clock until all deferred scenes have been launched.
    private func launchAll(of hosted: HostedNotes) async throws {
        while await hosted.application.hasDeferredScenes {
            hosted.clock.advance(by: Self.pause)
            await Task.yield()
        }
        try await hosted.application.waitUntilLaunched()
    }

    @Test
    func `S3: configured scenes are followed by those that were in use, most recently used first`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                #expect(launches(in: hosted.log) == ["main", "other6"])
                try await launchAll(of: hosted)
                #expect(launches(in: hosted.log) == ["main"] + Self.others.reversed())
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test func `S3: a command to a scene with a deferred launch launches it`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                let status = await hosted.application.status()
                #expect((status.launchedSceneCount, status.savedSceneCount) == (2, 7))
                #expect(status.scenes.map(\.phase).prefix(3) == [.running, .restoring, .restoring])
                #expect(try await hosted.text(in: "other1") == "of other1")
                #expect(await hosted.application.status().launchedSceneCount == 3)
                try await launchAll(of: hosted)
                #expect(Set(launches(in: hosted.log)).count == 7)
                #expect(launches(in: hosted.log).count == 7)
            }
        }
    }

    @Test func `S3: a scene that is closed while its launch is deferred stays closed`() async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                #expect(try await hosted.application.close(scene: "other1") == .written)
                try await launchAll(of: hosted)
            }
            try await withMost(waitingIn: scratch) { hosted async throws in
                try await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 6)
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test func `S3: scenes whose launches are still deferred at a stop remain in use`() async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { _ in }
            try await withMost(waitingIn: scratch) { hosted async throws in
                try await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 7)
            }
        }
    }

    @Test
    func `S3: an eager launch starts every scene that was in use before commands are accepted`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            var settings = early
            settings.isLaunchEager = true
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.application.waitUntilReady()
                #expect(await hosted.application.status().launchedSceneCount == 7)
                #expect(launches(in: hosted.log) == ["main"] + Self.others)
            }
        }
    }

    @Test func `S3: without configured scenes, the most recently used scene is launched first`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            var settings = early
            settings.scenes = []
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.application.waitUntilReady()
                #expect(launches(in: hosted.log).first == "other6")
                #expect(try await hosted.text() == "of other6")
            }
        }
    }

    @Test func `S3: if no configured scene can be launched, another scene is enough to run`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            var behavior = Notes.Behavior()
            behavior.failingScenes = ["main", "other6"]
            try await withNotes(Notes(behavior), in: scratch, early) { hosted async throws in
                try await hosted.application.waitUntilReady()
                #expect(await hosted.application.status().phase == .running)
                #expect(launches(in: hosted.log).first == "other5")
                try await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 5)
            }
        }
    }

    @Test func `L6: a reset and a rollback also replace scenes whose launches are deferred`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                try await hosted.application.reset()
                #expect(await hosted.application.status().savedSceneCount == 1)
                hosted.clock.advance(by: Self.pause)
                try await hosted.application.waitUntilLaunched()
                #expect(await hosted.application.status().launchedSceneCount == 1)
                let kept = try #require(try await hosted.application.history().last)
                try await hosted.application.rollBack(to: kept.name)
                #expect(await hosted.application.status().launchedSceneCount == 7)
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test func `R13: while a scene extends its restoration, other launches wait but commands run`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            var behavior = Notes.Behavior()
            behavior.extendingScenes = ["other6"]
            try await withNotes(Notes(behavior), in: scratch, early) { hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                #expect(try await hosted.text(in: "main") == "first")
                await hosted.application.completeRestoration()
                try await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 7)
            }
        }
    }

    @Test(arguments: [true, false])
    func `S3: a reset launches a scene without state, even if its launch was deferred`(
        isWaiting: Bool
    )
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            try await withMost(waitingIn: scratch) { hosted async throws in
                if !isWaiting { try await launchAll(of: hosted) }
                let reset = try await hosted.application.reset(scene: "other1")
                #expect(reset.scenes == ["other1"])
                #expect(try await hosted.text(in: "other1") == "")
                try await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 7)
            }
        }
    }

    @Test(arguments: [true, false])
    func `S3: closing scenes leads to another generation only if no idle time is set`(
        isIdle: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            let idleTimeout: Duration? = isIdle ? .seconds(3600) : nil
            try await withMost(waitingIn: scratch, idleTimeout: idleTimeout) {
                hosted async throws in
                try await launchAll(of: hosted)
                let before = try await hosted.application.history().count
                for name in Self.others { try await hosted.application.close(scene: name) }
                #expect(try await hosted.text(in: "other1") == "of other1")
                try await hosted.application.quitUntilLaunch()
                #expect(
                    try await hosted.application.history().count == (isIdle ? before : before + 1))
            }
        }
    }

    // MARK: Crashes

    /// Runs the application until the launch of a deferred scene crashes the process.
    private static func die(
        in path: String, _ body: (HostedNotes, Notes) async throws -> Void = { _, _ in }
    ) async throws {
        let tests = DeferredLaunchTests()
        let (notes, scratch) = (Notes(), ScratchDirectory(path: path))
        notes.behavior.crashPoints["other1"] = .launching
        try await tests.withMost(waitingIn: scratch, notes) { hosted async throws in
            try await body(hosted, notes)
            try await tests.launchAll(of: hosted)
        }
    }

    @Test func `L8: a crash of one scene does not roll back a scene that a user has changed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                try await Self.die(in: path) { hosted, notes in
                    notes.behavior.crashPoints = [:]
                    for name in ["main"] + Self.others {
                        try await hosted.write("given up", in: name)
                    }
                    try await hosted.application.quitUntilLaunch()
                    try await hosted.application.rollBack(to: "1")
                    notes.behavior.crashPoints["other1"] = .launching
                    try await hosted.application.launch()
                    #expect(try await hosted.text(in: "main") == "first")
                    for name in ["main", "other5"] {
                        #expect(try await hosted.write("acknowledged", in: name) == .written)
                    }
                    await hosted.clock.waitForSleeper(for: Self.pause)
                }
            }
            try await withNotes(in: scratch) { hosted async throws in
                for name in ["main"] + Self.others {
                    let isChanged = name == "main" || name == "other5"
                    #expect(
                        try await hosted.text(in: name)
                            == (isChanged ? "acknowledged" : "given up"), "\(name)")
                }
                let logged = hosted.log.entries.filter {
                    $0.message.contains("was restored to its")
                }
                #expect(logged.count == 1)
                #expect(
                    logged.first?.message.contains(
                        "together with other2, other3, other4, other6; the state that replaced it"
                    ) == true)
                let kept = try await hosted.application.quarantined()
                #expect(kept.count == 1)
                let put = try await hosted.application.putBack(kept.first?.name ?? "")
                #expect(put.scenes == ["other1", "other2", "other3", "other4", "other6"])
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test
    func `L8: a deferred scene that crashes even without its state is stopped and keeps its state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            for _ in 1...2 {
                await #expect(processExitsWith: .signal(SIGILL)) {
                    [path = scratch.path as String] in try await Self.die(in: path)
                }
            }
            for _ in 1...2 {
                try await withMost(waitingIn: scratch) { hosted async throws in
                    try await launchAll(of: hosted)
                    let scenes = await hosted.application.status().scenes
                    #expect(scenes.count == 7)
                    let stopped = try #require(scenes.first { $0.name == "other1" })
                    guard case .failed(let reason) = stopped.phase else {
                        Issue.record("\(stopped)")
                        return
                    }
                    #expect(reason.contains("even without its saved state"))
                }
            }
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.application.open(scene: "other1")
                #expect(try await hosted.text(in: "other1") == "of other1")
            }
        }
    }

    @Test
    func `L8: a scene whose state was quarantined is launched without state at the next start`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await leaveMany(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                try await Self.die(in: path)
            }
            // This start quarantines the scene's state, and ends before it launches the scene again.
            try await withMost(waitingIn: scratch) { hosted async throws in
                let name: RestorationIdentifier = "other1"
                _ = await hosted.application.recover(name)
            }
            try await withMost(waitingIn: scratch) { hosted async throws in
                try await launchAll(of: hosted)
                #expect(await hosted.application.status().launchedSceneCount == 7)
                #expect(try await hosted.text(in: "other1") == "")
                #expect(try await hosted.application.quarantined().count == 1)
            }
        }
    }

    private func launches(in log: LogRecorder) -> [String] {
        log.entries.filter { $0.metadata["MESSAGE_ID"] == LogEvent.launched.rawValue }
            .compactMap { $0.metadata["REPRISE_SCENE"] }
    }
}

extension Application {
    fileprivate var hasDeferredScenes: Bool { hostedScenes?.hasDeferredScenes ?? false }

    /// Performs the steps before the launch of a scene without launching it.
    fileprivate func recover(_ name: RestorationIdentifier) -> String? {
        hostedScenes.flatMap {
            launchSequence.crashRecovery.resolveLaunchObstacle(
                to: name, of: $0, isUserRequested: false, crashLimit: 1)
        }
    }
}
