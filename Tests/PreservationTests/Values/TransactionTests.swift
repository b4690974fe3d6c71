import Glibc
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Transactions over several values and collections.
@Suite struct TransactionTests {
    private struct Job: Codable, Identifiable, Equatable {
        var id: Int
        var title = ""
    }

    private struct Stats: Codable, Equatable {
        var added = 0
        var removed = 0
    }

    /// Value and collection of the program under test.
    private struct Parts: Sendable {
        let jobs: RestorableCollection<Job>
        let stats: RestorableValue<Stats>
    }

    private func program(_ identifier: String = "org.example.Jobs") throws -> TestProgram<Parts> {
        try TestProgram { test in
            let application = try Application(
                bundleIdentifier: identifier, bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            let parts = Parts(
                jobs: try await application.collection("jobs", of: Job.self),
                stats: try await application.value("stats", default: Stats()))
            return (application, parts)
        }
    }

    private struct Refusal: Error {}

    @Test func `all changes of a transaction are saved together and survive a kill`() async throws {
        let program = try program()
        try await program.run(endingBy: .kill) { application, parts async throws in
            let reply = try await application.update(parts.jobs, parts.stats) { jobs, stats in
                jobs.append(contentsOf: [Job(id: 1), Job(id: 2)])
                stats.added += 2
                stats.value.removed = 5
                return jobs.count
            }
            #expect(reply.result == 2)
            #expect(reply.saved == .written)
        }
        try await program.run { _, parts async throws in
            let jobs = try await parts.jobs.elements
            #expect(jobs.map(\.id) == [1, 2])
            #expect(try await parts.stats.current == Stats(added: 2, removed: 5))
        }
    }

    @Test func `a value and a collection are read together, even while the disk is full`()
        async throws
    {
        let program = try program()
        let other = try self.program("org.example.Other")
        try await program.run { application, parts async throws in
            program.disk.fail()
            await #expect(throws: UnsavedChange.self) {
                try await application.update(parts.jobs, parts.stats) { jobs, stats in
                    jobs.append(Job(id: 1, title: "one"))
                    stats.added = 1
                }
            }
            let (jobs, stats) = try await application.read(parts.jobs, parts.stats) { jobs, stats in
                (Array(jobs), stats)
            }
            #expect(jobs == [Job(id: 1, title: "one")])
            #expect(stats == Stats(added: 1))
            try await other.run { other, _ async throws in
                let error = await #expect(throws: RestorableValueError.self) {
                    try await other.read(parts.stats) { $0.added }
                }
                #expect(error?.code == .otherApplication)
            }
            program.disk.recover()
        }
    }

    @Test(arguments: ["throws", "invalid", "twice"])
    func `a failed transaction changes nothing`(way: String) async throws {
        let program = try program()
        try await program.run { application, parts async throws in
            try await parts.jobs.update { $0.append(Job(id: 1, title: "one")) }
            do {
                if way == "twice" {
                    try await application.update(parts.stats, parts.stats) { first, _ in
                        first.added = 1
                    }
                } else {
                    try await application.update(parts.jobs, parts.stats) { jobs, stats in
                        stats.added = 1
                        jobs[id: 1]?.title = "changed"
                        jobs.append(Job(id: way == "invalid" ? 1 : 2))
                        if way == "throws" { throw Refusal() }
                    }
                }
                Issue.record("the transaction took effect")
            } catch is Refusal {
                #expect(way == "throws")
            } catch let error as RestorableValueError {
                #expect(error.code == (way == "invalid" ? .elementExists : .usedTwice))
            }
            #expect(try await parts.jobs.elements == [Job(id: 1, title: "one")])
            #expect(try await parts.stats.current == Stats())
            // The collection can be changed again.
            try await parts.jobs.update { $0.append(Job(id: 2)) }
            let jobs = try await parts.jobs.elements
            #expect(jobs.count == 2)
        }
    }

    /// Value that cannot be encoded if its number is negative, or saved if its text is too long.
    private struct Checked: Codable, Identifiable, Equatable {
        var id = 1
        var text = ""
        var number = 0

        func encode(to encoder: any Encoder) throws {
            guard number >= 0 else {
                throw EncodingError.invalidValue(
                    number,
                    EncodingError.Context(codingPath: [], debugDescription: "it is negative"))
            }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(text, forKey: .text)
            try container.encode(number, forKey: .number)
        }

        enum CodingKeys: CodingKey { case id, text, number }
    }

    private typealias CheckedParts = (
        value: RestorableValue<Checked>, elements: RestorableCollection<Checked>,
        count: RestorableValue<Int>
    )

    @Test(arguments: [true, false], [-1, 1])
    func `a transaction with a value that cannot be saved changes nothing`(
        isElement: Bool, number: Int
    ) async throws {
        let program = try TestProgram<CheckedParts> { test in
            var settings = test.settings
            settings.limits.maximumBytes = 1000
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: settings, logger: test.logger)
            return (
                application,
                (
                    try await application.value("value", default: Checked()),
                    try await application.collection("elements", of: Checked.self),
                    try await application.value("count", default: 0)
                )
            )
        }
        let text = number < 0 ? "" : String(repeating: "x", count: 1000)
        try await program.run { application, parts async throws in
            try await parts.elements.update { $0.append(Checked(id: 7)) }
            let error = await #expect(throws: RestorableValueError.self) {
                try await application.update(parts.count, parts.value, parts.elements) {
                    count, value, elements in
                    count.value = 1
                    if isElement {
                        elements[id: 7]?.text = "changed"
                        elements.append(Checked(id: 8, text: text, number: number))
                    } else {
                        elements.append(Checked(id: 8))
                        value.value = Checked(id: 2, text: text, number: number)
                    }
                }
            }
            #expect(error?.code == .notSavable)
            #expect(error?.identifier == (isElement ? "elements/8" : "value"))
            let reason = number < 0 ? "it is negative" : "the limit is 1000"
            #expect(error?.description.contains(reason) == true)
            #expect(try await parts.count.current == 0)
            #expect(try await parts.value.current == Checked())
            #expect(try await parts.elements.elements == [Checked(id: 7)])
            // The next transaction takes effect.
            let reply = try await application.update(parts.count, parts.elements) {
                $0.value = 2
                $1[id: 7]?.number = 5
            }
            #expect(reply.saved == .written)
        }
        try await program.run { _, parts async throws in
            #expect(try await parts.count.current == 2)
            #expect(try await parts.value.current == Checked())
            #expect(try await parts.elements.elements == [Checked(id: 7, number: 5)])
        }
        #expect(program.problems == [])
    }

    @Test func `a transaction accepts only values of its own application`() async throws {
        let program = try program()
        let other = try self.program("org.example.Other")
        try await program.run { application, parts async throws in
            try await other.run { _, otherParts async throws in
                let error = await #expect(throws: RestorableValueError.self) {
                    try await application.update(parts.stats, otherParts.stats) {
                        $0.added = $1.added
                    }
                }
                #expect(error?.code == .otherApplication)
                #expect(error?.description.contains("stats") == true)
            }
        }
    }
}

/// Changes that cannot be saved.
@Suite struct UnsavedChangeTests {
    @Test func `an unsaved change throws an error, but the value in memory keeps the change`()
        async throws
    {
        let program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            return (application, try await application.value("count", default: 0))
        }
        try await program.run { application, count async throws in
            try await count.update { $0 = 1 }
            program.disk.fail()
            let error = await #expect(throws: UnsavedChange.self) {
                try await count.update { $0 = 2 }
            }
            #expect(error?.application == "org.example.Jobs")
            #expect(error?.reason.contains("No space left on device") == true)
            #expect(error?.description.contains("not saved") == true)
            await #expect(throws: UnsavedChange.self) { try await application.perform { _ in } }
            await #expect(throws: UnsavedChange.self) {
                try await application.update(count) { $0.value += 1 }
            }
            // Reading still works, and so does a change for which the program checks the durability level itself.
            #expect(try await count.current == 3)
            #expect(try await application.read { $0.name.text } == "main")
            let reply = try await count.updateEvenIfUnsaved { value in
                value += 1
                return value
            }
            #expect(reply.result == 4)
            #expect(!reply.isSaved)
            guard case .notSaved = reply.saved else {
                Issue.record("\(reply.saved)")
                return
            }
            program.disk.recover()
            try await count.update { $0 += 1 }
        }
        try await program.run { _, count async throws in #expect(try await count.current == 5) }
    }

    @Test func `P9: a value that is too large fails only its own update, not others in the turn`()
        async throws
    {
        let program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            let values = (
                small: try await application.value("small", default: 0),
                large: try await application.value("large", default: "")
            )
            return (application, values)
        }
        try await program.run { application, values async throws in
            let (small, large) = await application.updateBoth(values.small, values.large)
            #expect(throws: Never.self) { try small.get() }
            #expect(throws: UnsavedChange.self) { try large.get() }
            #expect(try await values.small.current == 1)
        }
        try await program.run { _, values async throws in
            #expect(try await values.small.current == 1)
            #expect(try await values.large.current == "")
        }
    }
}

extension Application {
    /// Updates two values in one turn. The text of the second value is above the limit.
    fileprivate func updateBoth(
        _ small: RestorableValue<Int>, _ large: RestorableValue<String>
    ) async -> (Result<Void, any Error>, Result<Void, any Error>) {
        let text = String(repeating: "x", count: 17 << 20)
        let tasks = (
            Task.immediate { _ = try await small.update { $0 = 1 } },
            Task.immediate { _ = try await large.update { $0 = text } }
        )
        return (await tasks.0.result, await tasks.1.result)
    }
}
