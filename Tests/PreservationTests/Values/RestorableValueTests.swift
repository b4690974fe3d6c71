import Logging
import Preservation
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import Synchronization
import TestSupport
import Testing

@Suite struct RestorableValueTests {
    private struct Jobs: Codable, Equatable {
        var names: [String] = []
        var progress = 0
    }

    /// Job from docs/evolving-types.md in an earlier version of the program.
    private struct EarlierJob: Codable {
        var step = 0
        var note: String?
    }

    /// Job with a renamed property and without the earlier key.
    private struct RenamedJob: Codable {
        var step = 0
        var remark: String?
    }

    private struct Refusal: Error, Equatable {}

    @Test func `a value has its default until it is saved, and is restored after a restart`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("jobs", default: Jobs(progress: 1))
            } _: { _, jobs async throws in
                #expect(try await jobs.current == Jobs(progress: 1))
                let reply = try await jobs.update { jobs in
                    jobs.names.append("copy")
                    jobs.progress += 1
                    return jobs.progress
                }
                #expect(reply.result == 2)
                #expect(reply.saved == .written)
            }
            try await withProgram(in: scratch) {
                try await $0.value("jobs", default: Jobs())
            } _: { application, jobs async throws in
                #expect(try await jobs.current == Jobs(names: ["copy"], progress: 2))
                #expect(try await application.report().reason == .restore)
                #expect(try await application.report().restored == 1)
            }
        }
    }

    @Test func `a value waits until its application runs, and the wait is logged`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let clock = TestClock()
            let recorder = LogRecorder()
            var settings = PreservationSettings()
            settings.clock = clock
            settings.usesJournalFields = true
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: recorder.logger())
            let count = try await application.value("count", default: 7)
            async let waiting = count.current
            await clock.waitForSleeper(for: .seconds(2))
            clock.advance(by: .seconds(2))
            await recorder.wait(for: 1, messageID: "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13b")
            #expect(recorder.entries.last?.message.contains("\"count\" waits") == true)
            let services = ServiceGroup(services: [application], logger: .quiet)
            async let running: Void = services.run()
            #expect(try await waiting == 7)
            await services.triggerGracefulShutdown()
            try await running
        }
    }

    @Test func `a wait for an application that never runs ends when the program stops`()
        async throws
    {
        /// Service that uses a value of an application that is missing from the service group.
        struct Worker: Service {
            let count: RestorableValue<Int>

            func run() async throws { _ = try await count.current }
        }
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let clock = TestClock()
            var settings = PreservationSettings()
            settings.clock = clock
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: .quiet)
            let count = try await application.value("count", default: 7)
            let services = ServiceGroup(services: [Worker(count: count)], logger: .quiet)
            let running = Task { try await services.run() }
            await clock.waitForSleeper(for: .seconds(2))
            await services.triggerGracefulShutdown()
            await #expect(throws: ApplicationError.ending(application: "org.example.Jobs")) {
                try await running.value
            }
        }
    }

    @Test
    func `concurrent updates run one after another, and an update that throws changes nothing`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } _: { _, count async throws in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 { group.addTask { try await count.update { $0 += 1 } } }
                    try await group.waitForAll()
                }
                await #expect(throws: Refusal()) {
                    try await count.update { count in
                        count = 7
                        throw Refusal()
                    }
                }
                #expect(try await count.current == 100)
            }
        }
    }

    @Test func `the changes of a value begin with the current value and skip intermediate values`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let seen = Mutex<[Int]>([])
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 1)
            } _: { application, count async throws in
                var changes = count.changes.makeAsyncIterator()
                #expect(await changes.next() == 1)
                try await count.update { $0 = 2 }
                // Reads and other commands do not change the value.
                _ = try await count.current
                _ = try await application.perform { _ in }
                #expect(await changes.next() == 2)
                try await count.update { $0 = 3 }
                try await count.update { $0 = 4 }
                #expect(await changes.next() == 4)
                try await application.reset()
                #expect(await changes.next() == 1)
                seen.withLock { $0.append(1) }
            }
            #expect(seen.withLock { $0 } == [1])
        }
    }

    @Test func `commands that leave a value unchanged do not repeat the value`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let values = AwaitableState<[Int]>([])
            let following = Mutex<Task<Void, Never>?>(nil)
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 1)
            } _: { application, count async throws in
                let task = Task {
                    for await value in count.changes { values.change { $0.append(value) } }
                }
                following.withLock { $0 = task }
                await values.wait { !$0.isEmpty }
                for number in 2...3 {
                    _ = try await count.current
                    _ = try await application.perform { _ in }
                    try await count.update { $0 = number }
                    await values.wait { $0.last == number }
                }
            }
            await following.withLock { $0 }?.value
            #expect(values.state == [1, 2, 3])
        }
    }

    @Test func `the changes of a value end when the application has stopped`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let changes = Mutex<RestorableValue<Int>.Changes?>(nil)
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 1)
            } _: { _, count async throws in
                #expect(try await count.current == 1)
                changes.withLock { $0 = count.changes }
            }
            let ended = try #require(changes.withLock { $0 })
            for await value in ended { Issue.record("\(value)") }
        }
    }

    @Test func `a value is restored under another identifier and as another type`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("tasks", default: [String]())
            } _: { _, tasks async throws in
                try await tasks.update { $0 = ["copy"] }
            }
            try await withProgram(in: scratch, version: "2") {
                try await $0.value(
                    "jobs", default: Jobs(), aliases: ["older", "tasks"],
                    migrations: [
                        .from(Int.self) { Jobs(progress: $0) },
                        .from([String].self) { Jobs(names: $0) },
                    ])
            } _: { application, jobs async throws in
                #expect(try await jobs.current == Jobs(names: ["copy"]))
                try await jobs.update { $0.progress = 3 }
                #expect(try await application.report().unrestored.isEmpty)
            }
            try await withProgram(in: scratch, version: "2") {
                try await $0.value("jobs", default: Jobs(), aliases: ["older", "tasks"])
            } _: { application, jobs async throws in
                #expect(try await jobs.current == Jobs(names: ["copy"], progress: 3))
                // The value is no longer saved with its earlier identifier.
                #expect(try await application.report().recorded == 1)
            }
        }
    }

    @Test func `a renamed property is restored from its earlier key, not by a migration`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("job", default: EarlierJob())
            } _: { _, job async throws in
                try await job.update { $0.note = "urgent" }
            }
            try await withProgram(in: scratch, version: "2") {
                try await $0.value("job", default: Job())
            } _: { application, job async throws in
                #expect(try await job.current.remark == "urgent")
                #expect(try await application.report().unrestored.isEmpty)
            }
            // The saved value can be decoded, so its migration is not used.
            try await withProgram(in: scratch, version: "2") {
                try await $0.value(
                    "job", default: RenamedJob(),
                    migrations: [
                        .from(EarlierJob.self) { RenamedJob(step: $0.step, remark: $0.note) }
                    ])
            } _: { application, job async throws in
                #expect(try await job.current.remark == nil)
                #expect(try await application.report().unrestored.isEmpty)
            }
        }
    }

    @Test func `R16: an undeclared value is reported, and is restored once it is declared again`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } _: { _, count async throws in
                try await count.update { $0 = 3 }
            }
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.value("other", default: 0)
            } _: { application, other async throws in
                try await other.update { $0 = 1 }
                let report = try await application.report()
                #expect(report.unrestored.map(\.code) == [.noObject])
                #expect(report.unclaimed == 1)
            }
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.value("count", default: 0)
            } _: { _, count async throws in
                #expect(try await count.current == 3)
            }
        }
    }

    @Test func `R15: a value that cannot be decoded is reported and kept until it is changed`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("jobs", default: [String]())
            } _: { _, jobs async throws in
                try await jobs.update { $0 = ["copy"] }
            }
            for _ in 0..<2 {
                try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                    try await $0.value("jobs", default: Jobs())
                } _: { (application: Application, jobs: RestorableValue<Jobs>) async throws in
                    #expect(try await jobs.current == Jobs())
                    let lost = try await application.report().unrestored
                    #expect(lost.map(\.code) == [.decodeFailed])
                }
            }
            try await withProgram(in: scratch) {
                try await $0.value("jobs", default: [String]())
            } _: { _, jobs async throws in
                #expect(try await jobs.current == ["copy"])
            }
        }
    }

    @Test func `a value that is declared twice, too late or with an invalid identifier is refused`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) { application in
                let count = try await application.value("count", default: 0, aliases: ["number"])
                for (name, aliases) in [
                    ("count", []), ("number", []), ("other", ["count"]), ("same", ["same"]),
                ] {
                    let error = await #expect(throws: RestorableValueError.self) {
                        _ = try await application.value(name, default: 0, aliases: aliases)
                    }
                    #expect(error?.code == .declaredTwice)
                }
                let error = await #expect(throws: RestorableValueError.self) {
                    _ = try await application.value("a/b", default: 0)
                }
                #expect(error?.code == .invalidIdentifier)
                #expect(error.map { "\($0)" }?.contains("contains a /: remove it") == true)
                return count
            } _: { application, count async throws in
                #expect(try await count.current == 0)
                let error = await #expect(throws: RestorableValueError.self) {
                    _ = try await application.value("late", default: 0)
                }
                #expect(error?.code == .declaredTooLate)
            }
        }
    }

    @Test
    func `an object registered under a value's identifier prevents the launch`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("agent", default: 0)
            } register: {
                try $0.add(Agent(), as: "agent")
            } _: { application, count async throws in
                let error = await #expect(throws: ApplicationError.self) {
                    try await count.update { $0 = 1 }
                }
                #expect(error.map { "\($0)" }?.contains("\"agent\"") == true, "\(error as Any)")
            }
        }
    }
}
