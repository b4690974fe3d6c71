import FoundationEssentials
import Preservation
import RestorationTesting
import StateRestoration
import Synchronization
import Testing

private struct Jobs: Codable {
    var progress = 0
}

@Suite struct TestProgramTests {
    private func program() throws -> TestProgram<RestorableValue<Jobs>> {
        try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            return (application, try await application.value("jobs", default: Jobs()))
        }
    }

    @Test func `R2: a program is restored after a stop and after a kill`() async throws {
        let program = try program()
        try await program.run { application, jobs async throws in
            #expect(try await application.report().reason == .pristine)
            try await jobs.update { $0.progress = 3 }
        }
        try await program.run(endingBy: .kill) { application, jobs async throws in
            #expect(try await application.report().reason == .restore)
            #expect(try await jobs.current.progress == 3)
            try await jobs.update { $0.progress = 7 }
        }
        try await program.run { application, jobs async throws in
            #expect(try await application.report().reason == .recover)
            #expect(try await jobs.current.progress == 7)
        }
        #expect(program.problems == [])
    }

    @Test func `R16: state that could not be decoded is in the history before it is changed`()
        async throws
    {
        struct Renamed: Codable { var count = 0 }
        let program = try program()
        try await program.run(endingBy: .kill) { try await $1.update { $0.progress = 28 } }
        let renamed = try TestProgram(after: program) { test in
            var settings = test.settings
            settings.toleratesUnrestoredValues = true
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: settings, logger: test.logger)
            return (application, try await application.value("jobs", default: Renamed()))
        }
        try await renamed.run(endingBy: .kill) { application, jobs async throws in
            #expect(try await application.report().unrestored.map(\.code) == [.decodeFailed])
            try await jobs.update { $0.count = 1 }
            let kept = try await application.history()
            #expect(kept.map(\.reason) == ["not all objects of the scene main could be restored"])
        }
    }

    @Test func `a run throws its body's error, and the next run finds the earlier state`()
        async throws
    {
        struct Refusal: Error {}
        let program = try program()
        try await program.run { try await $1.update { $0.progress = 3 } }
        await #expect(throws: Refusal.self) {
            try await program.run { _, _ async throws in throw Refusal() }
        }
        try await program.run { _, jobs async throws in
            #expect(try await jobs.current.progress == 3)
        }
    }

    @Test func `running a program that cannot be launched throws without running the body`()
        async throws
    {
        struct Refusal: Error, CustomStringConvertible {
            var description: String { "it does not want to" }
        }
        let program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger
            ) { _ in throw Refusal() }
            return (application, ())
        }
        await #expect(
            throws: ApplicationError.failed(
                application: "org.example.Jobs", reason: "it does not want to")
        ) {
            try await program.run { _, _ async throws in Issue.record("it runs") }
        }
    }

    @Test func `an archive that is missing when a run begins fails only that run`()
        async throws
    {
        let archive = FileManager.default.temporaryDirectory
            .appending(component: "\(UUID().uuidString).archive").path
        let program = try program()
        try await program.run { application, jobs async throws in
            try await jobs.update { $0.progress = 3 }
            try FileManager.default.copyItem(atPath: application.archivePath, toPath: archive)
        }
        try program.loadArchiveInNextRun(archive)
        try FileManager.default.removeItem(atPath: archive)
        await #expect(throws: (any Error).self) {
            try await program.run { _, _ async throws in Issue.record("it runs") }
        }
        try await program.run { _, jobs async throws in
            #expect(try await jobs.current.progress == 3)
        }
    }

    @Test func `P16: a full disk does not affect live state, and saving resumes afterwards`()
        async throws
    {
        let program = try program()
        try await program.run { _, jobs async throws in
            try await jobs.update { $0.progress = 1 }
            program.disk.fail()
            let saved = try await jobs.updateEvenIfUnsaved { $0.progress = 2 }.saved
            guard case .notSaved(let reason) = saved else {
                Issue.record("it was saved")
                return
            }
            #expect(reason.contains("No space left on device"))
            program.disk.recover()
            // A complete new file is written, which is durable immediately.
            #expect(try await jobs.update { $0.progress += 1 }.saved == .durable)
        }
        #expect(program.problems.contains { $0.contains("No space left on device") })
        try await program.run { _, jobs async throws in
            #expect(try await jobs.current.progress == 3)
        }
    }

    @Test func `P14: written state becomes durable when the clock passes the interval`()
        async throws
    {
        let program = try program()
        try await program.run { application, jobs async throws in
            try await jobs.update { $0.progress = 1 }
            #expect(await application.status().saved == .written)
            let changes = application.changes
            program.clock.advance(by: .seconds(5))
            for await _ in changes where await application.status().saved == .durable { return }
        }
    }

    @Test func `P20: a missed invalidation is listed in the problems`() async throws {
        let program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Agent", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger
            ) { try $0.add(Agent(), as: "agent") }
            return (application, ())
        }
        try await program.run { application, _ async throws in
            try await application.perform(with: ObjectKey<Agent>("agent")) { $0.task = "copying" }
        }
        #expect(program.problems.count == 1)
        #expect(
            program.problems[0].contains("agent changed \"task\" without having been invalidated"))
    }

    @Test func `a stop whose last state cannot be saved is an error, but a kill is not`()
        async throws
    {
        let program = try program()
        func failSaving(endingBy end: TestProgram<RestorableValue<Jobs>>.End) async throws {
            try await program.run(endingBy: end) { _, jobs async throws in
                try await jobs.update { $0.progress = 1 }
                program.disk.fail()
                #expect(try await !jobs.updateEvenIfUnsaved { $0.progress = 2 }.saved.isSaved)
            }
        }
        let failure = await #expect(throws: (any Error).self) {
            try await failSaving(endingBy: .stop)
        }
        #expect("\(failure as Any)".contains("No space left on device"))
        program.disk.recover()
        try await failSaving(endingBy: .kill)
        program.disk.recover()
        try await program.run { _, jobs async throws in
            #expect(try await jobs.current.progress == 1)
        }
    }

    @Test(arguments: [false, true])
    func `a run whose state was removed is an error, however it ends`(isKilled: Bool) async throws {
        let program = try program()
        await #expect(throws: CocoaError.self) {
            try await program.run(endingBy: isKilled ? .kill : .stop) { application, _ in
                try FileManager.default.removeItem(atPath: application.runningDirectory)
            }
        }
    }

    @Test func `a version that follows a version without a run has no earlier state`()
        async throws
    {
        let later = try TestProgram(after: program()) { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "2",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            return (application, try await application.value("jobs", default: Jobs()))
        }
        try await later.run { application, _ async throws in
            #expect(try await application.report().reason == .pristine)
        }
    }

    @Test
    func `P13: a later version can be tested with the state or archive of an earlier version`()
        async throws
    {
        let directory = FileManager.default.temporaryDirectory
        let kept = directory.appending(component: "\(UUID().uuidString).archive").path
        let program = try program()
        try await program.run { _, jobs async throws in
            try await jobs.update { $0.progress = 7 }
        }
        try await program.run { application, _ async throws in
            try FileManager.default.copyItem(atPath: application.archivePath, toPath: kept)
        }
        let make: @Sendable (TestEnvironment) async throws -> (Application, RestorableValue<Int>) =
            {
                test in
                let application = try Application(
                    bundleIdentifier: "org.example.Jobs", bundleVersion: "2",
                    stateDirectory: test.stateDirectory, settings: test.settings,
                    logger: test.logger)
                let progress = try await application.value(
                    "progress", default: 0, aliases: ["jobs"],
                    migrations: [.from(Jobs.self) { $0.progress }])
                return (application, progress)
            }
        let later = try TestProgram(after: program, make)
        let fresh = try TestProgram(make)
        #expect(throws: (any Error).self) { try fresh.loadArchiveInNextRun("\(kept).old") }
        try fresh.loadArchiveInNextRun(kept)
        for program in [later, fresh, fresh] {
            try await program.run { _, progress async throws in
                #expect(try await progress.current == 7)
            }
        }
        try FileManager.default.removeItem(atPath: kept)
    }
}

/// Object that does not invalidate itself when it changes.
private final class Agent: StateRestoring {
    let restoration = RestorationNode()
    var task = "idle"

    func encodeRestorableState(with coder: StateEncoder) { coder.encode(task, forKey: "task") }
    func decodeRestorableState(with coder: StateDecoder) throws {
        task = try coder.decode(forKey: "task") ?? ""
    }
}

extension Application {
    /// Path of the state directory of the current run, whose name ends with `.running`.
    fileprivate nonisolated var runningDirectory: String {
        archivePath.firstRange(of: ".running").map { String(archivePath[..<$0.upperBound]) } ?? ""
    }
}
