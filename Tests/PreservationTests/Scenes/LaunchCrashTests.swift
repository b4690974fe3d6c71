import Glibc
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Applications whose launches crash the process. Each test runs in its own process.
@Suite struct LaunchCrashTests {
    private static let scenes: [RestorationIdentifier] = ["main", "other"]

    /// Saves text in each of the two scenes.
    private func save(in scratch: ScratchDirectory, version: String = "1") async throws {
        try await withNotes(in: scratch, version: version, scenes: Self.scenes) {
            hosted async throws in
            try await hosted.write("main's", in: "main")
            try await hosted.write("other's", in: "other")
        }
    }

    /// Runs the application in a process that must die at a given point in the scene `main`.
    static func run(
        in path: String, dyingWhile crashPoint: String, version: String = "1"
    ) async throws {
        var behavior = Notes.Behavior()
        behavior.crashPoints["main"] = Notes.CrashPoint(rawValue: crashPoint)
        var settings = HostedSettings(version: version, scenes: Self.scenes)
        settings.waitsForLaunch = false
        try await withNotes(Notes(behavior), in: ScratchDirectory(path: path), settings) {
            hosted async throws in
            try await hosted.application.waitUntilLaunched()
            try await hosted.write("a change", in: "main")
        }
    }

    /// State that an application restores after a crash, and the events that it logs.
    private struct LaunchResult {
        var texts: [String?] = []
        var reasons: [LaunchReason?] = []
        var phases: [SceneStatus.Phase] = []
        var precedingDeaths: [String?] = []
        var lastError: String?
        var entries: [LogRecorder.Entry] = []

        func reasons(of event: LogEvent) -> [String?] {
            entries.filter { $0.metadata["MESSAGE_ID"] == event.rawValue }
                .map { $0.metadata["REPRISE_REASON"] }
        }

        func scenes(of event: LogEvent) -> [String?] {
            entries.filter { $0.metadata["MESSAGE_ID"] == event.rawValue }
                .map { $0.metadata["REPRISE_SCENE"] }
        }
    }

    private func find(
        in scratch: ScratchDirectory, version: String = "1", crashLimit: Int = 1,
        _ body: (HostedNotes) async throws -> Void = { _ in }
    ) async throws -> LaunchResult {
        var settings = HostedSettings(version: version, scenes: Self.scenes)
        settings.crashLimit = crashLimit
        return try await withNotes(in: scratch, settings) { hosted async throws in
            try await body(hosted)
            let status = await hosted.application.status()
            var found = LaunchResult()
            found.phases = status.scenes.map(\.phase)
            found.reasons = status.scenes.map { $0.report?.reason }
            found.precedingDeaths = status.scenes.map { $0.report?.precedingDeath }
            found.lastError = status.lastError
            for scene in status.scenes {
                found.texts.append(
                    scene.phase == .running ? try await hosted.text(in: scene.name.text) : nil)
            }
            found.entries = hosted.log.entries
            return found
        }
    }

    private func quarantine(_ scratch: ScratchDirectory) throws -> [String] {
        let directory = "\(scratch.applicationDirectory)/quarantine"
        guard access(directory, F_OK) == 0 else { return [] }
        return try ScratchDirectory.names(in: directory)
    }

    @Test(arguments: ["rollback", "file"])
    func
        `L8: a crash after a replacement quarantines the new state and restores the previous state`(
            way: String
        ) async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            let earlier = try #require(scratch.archiveBytes())
            try ScratchDirectory.write(earlier, to: "\(scratch.path)/earlier")
            let ending = ExitTest.Condition.signal(SIGILL)
            await #expect(processExitsWith: ending) {
                [path = scratch.path as String, way = way as String] in
                let scratch = ScratchDirectory(path: path)
                let notes = Notes()
                let settings = HostedSettings(version: "1", scenes: Self.scenes)
                try await withNotes(notes, in: scratch, settings) { hosted async throws in
                    for scene in ["main", "other"] {
                        try await hosted.write("live", in: scene)
                    }
                    notes.behavior.crashPoints["main"] = .launching
                    if way == "rollback" {
                        try await hosted.application.rollBack(to: "1")
                    } else {
                        #expect(rename("\(path)/earlier", scratch.archive) == 0)
                        await hosted.application.checkArchive()
                    }
                }
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["live", "live"])
            #expect(found.lastError?.contains("was restored to its state from before") == true)
            #expect(
                try quarantine(scratch).filter { $0.hasSuffix(".archive") }
                    == ["000001-data.archive"])
            let kept = try ScratchDirectory.bytes(
                of: "\(scratch.applicationDirectory)/quarantine/000001-data.archive")
            #expect(kept.contains("main's".utf8) && kept.contains("other's".utf8))
            // From then on, the scene is launched like any other scene.
            #expect(try await find(in: scratch).texts == ["live", "live"])
        }
    }

    @Test
    func `L2: a crash in a scene that is not launched automatically is logged at the next start`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                var behavior = Notes.Behavior()
                behavior.crashPoints["third"] = .launching
                try await withNotes(
                    Notes(behavior), in: ScratchDirectory(path: path),
                    HostedSettings(version: "1", scenes: Self.scenes)
                ) { hosted async throws in
                    try await hosted.application.open(scene: "third")
                }
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["main's", "other's"])
            let error = try #require(found.lastError)
            #expect(error.hasPrefix("the scene third: the program died"))
            #expect(error.contains("signal 4 (SIGILL) at the stage launch-"))
            #expect(found.scenes(of: .crashedDuringLaunch) == ["third"])
            // The crash is logged only once. Scenes that are launched again log their own crashes.
            let later = try await find(in: scratch)
            #expect(later.lastError == "before the last start: \(error)")
            #expect(later.scenes(of: .crashedDuringLaunch) == [])
        }
    }

    @Test func `L2: a crash while a scene decodes quarantines the state of that scene only`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                try await Self.run(in: path, dyingWhile: "decoding")
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["", "other's"])
            #expect(found.reasons == [.pristine, .restore])
            // The description of the crash contains the object (R17).
            let death = "signal 4 (SIGILL) at the stage launch-found, decoding note"
            let reason = "the program died while it launched the scene: \(death)"
            #expect(found.reasons(of: .quarantined) == [reason])
            #expect(found.scenes(of: .quarantined) == ["main"])
            let retrial =
                "`reprisectl --app org.example.Notes quarantine put-back 000001-main.archive` tries "
                + "it again"
            #expect(found.lastError?.hasSuffix("because \(reason); \(retrial)") == true)
            #expect(
                found.precedingDeaths == [
                    "the program died earlier, during or soon after a launch of the scene: "
                        + "\(death); its saved state is in quarantine, and \(retrial)", nil,
                ])
            #expect(
                try quarantine(scratch) == ["000001-main.archive", "000001-main.archive.reason"])
            let told = try ScratchDirectory.bytes(
                of: "\(scratch.applicationDirectory)/quarantine/000001-main.archive.reason")
            #expect(
                String(decoding: told, as: UTF8.self) == "The scene was launched and \(reason).\n")

            // No further state is quarantined, and the quarantined state can be put back.
            #expect(try await find(in: scratch).texts == ["", "other's"])
            try await putBack("000001-main.archive", in: scratch)
            #expect(try await find(in: scratch).texts == ["main's", "other's"])
        }
    }

    private func putBack(_ name: String, in scratch: ScratchDirectory) async throws {
        let archive = try StateDirectory.open(scratch.stateDirectory)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        #expect(try archive.putBack(name) == ["main"])
        try archive.close()
    }

    @Test func `L2: a call of exit during a launch quarantines the scene's state`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .exitCode(3)) { [path = scratch.path as String] in
                try await Self.run(in: path, dyingWhile: "exiting")
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["", "other's"])
            #expect(
                found.reasons(of: .quarantined) == [
                    "the program died while it launched the scene: "
                        + "exit with 3 at the stage launch-begin"
                ])
        }
    }

    @Test func `R13: a crash during an extended restoration counts as a crash during the launch`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                try await Self.run(in: path, dyingWhile: "task")
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["", "other's"])
            #expect(
                found.reasons(of: .quarantined) == [
                    "the program died while it launched the scene: "
                        + "signal 4 (SIGILL) after the stage launch-finished"
                ])
        }
    }

    @Test func `L2: five kills during launches are counted and lose no state`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            for _ in 1...5 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = scratch.path as String] in
                    try await Self.run(in: path, dyingWhile: "killing")
                }
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["main's", "other's"])
            #expect(try quarantine(scratch) == [])
            let told = found.entries.filter {
                $0.metadata["MESSAGE_ID"] == LogEvent.launchedAgain.rawValue
            }
            #expect(told.count == 1)
            #expect(told.first?.message.contains("died 5 times") == true)
            #expect(told.first?.message.contains("killed at the stage launch-begin") == true)
            // After a successful launch, earlier crashes are forgotten.
            #expect(try await find(in: scratch).reasons(of: .launchedAgain) == [])
        }
    }

    @Test func `L2: a sixth kill in a row counts as a crash`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            for _ in 1...6 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = scratch.path as String] in
                    try await Self.run(in: path, dyingWhile: "killing")
                }
            }
            #expect(try await find(in: scratch).texts == ["", "other's"])
            #expect(try quarantine(scratch).count == 2)
        }
    }

    @Test func `L2: with a crash limit of two, the launch is retried after the first crash`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                try await Self.run(in: path, dyingWhile: "decoding")
            }
            let found = try await find(in: scratch, crashLimit: 2)
            #expect(found.texts == ["main's", "other's"])
            #expect(found.reasons(of: .launchedAgain).count == 1)
        }
    }

    @Test
    func
        `L8: if the launch without state also crashes, the state is put back and the scene stopped`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            for _ in 1...2 {
                await #expect(processExitsWith: .signal(SIGILL)) {
                    [path = scratch.path as String] in
                    try await Self.run(in: path, dyingWhile: "launching")
                }
            }
            for _ in 1...2 {
                let found = try await find(in: scratch)
                #expect(found.texts == [nil, "other's"])
                guard case .failed(let reason) = found.phases[0] else {
                    Issue.record("\(found.phases)")
                    return
                }
                #expect(
                    reason.hasSuffix(
                        "even without its saved state, so the saved state is not the cause; "
                            + "`reprisectl --app org.example.Notes open main` tries again"))
                #expect(found.scenes(of: .launchBlocked) == ["main"])
                #expect(found.reasons(of: .launchBlocked) == [reason])
            }
            // The user can open the scene, and all saved state is restored.
            let opened = try await find(in: scratch) { hosted in
                try await hosted.application.open(scene: "main")
            }
            #expect(opened.texts == ["main's", "other's"])
            #expect(opened.reasons[0] == .recover)
            // After this successful launch, the scene is launched automatically again.
            #expect(try await find(in: scratch).texts == ["main's", "other's"])
        }
    }

    @Test func `L8: a stopped scene refuses commands until the application is launched again`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            for _ in 1...2 {
                await #expect(processExitsWith: .failure) { [path = scratch.path as String] in
                    try await Self.run(in: path, dyingWhile: "launching")
                    exit(0)
                }
            }
            _ = try await find(in: scratch) { hosted in
                await #expect(throws: ApplicationError.self) {
                    try await hosted.text(in: "main")
                }
                try await hosted.application.quitUntilLaunch()
                try await hosted.application.launch()
                #expect(try await hosted.text(in: "main") == "")
            }
        }
    }

    @Test func `L3: three crashes soon after launches quarantine the state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            for _ in 1...3 {
                #expect(try quarantine(scratch) == [])
                await #expect(processExitsWith: .signal(SIGILL)) {
                    [path = scratch.path as String] in
                    try await Self.run(in: path, dyingWhile: "encoding")
                }
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["", "other's"])
            #expect(
                found.reasons(of: .quarantined) == [
                    "the program died soon after its launch 3 times in a row: "
                        + "signal 4 (SIGILL) at the stage pass-begin"
                ])
        }
    }

    @Test
    func `L8: a crash of a version that never launched successfully leaves the state in place`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                try await Self.run(in: path, dyingWhile: "decoding", version: "2")
            }
            let found = try await find(in: scratch, version: "2")
            #expect(found.texts == [nil, "other's"])
            #expect(found.reasons(of: .launchBlocked).count == 1)
            #expect(found.lastError?.contains("another version of the program") == true)
            #expect(try quarantine(scratch) == [])
            #expect(
                try await find(in: scratch, version: "3").texts == ["main's", "other's"])
        }
    }

    @Test func `L1: a forced quit also discards the launch records`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await save(in: scratch)
            await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
                try await Self.run(in: path, dyingWhile: "decoding")
            }
            try await withStoppedNotes(in: scratch) { hosted in
                try await hosted.application.forceQuit()
            }
            let found = try await find(in: scratch)
            #expect(found.texts == ["", ""])
            #expect(try quarantine(scratch) == [])
        }
    }
}
