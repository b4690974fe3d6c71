import Glibc
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Launches that would continue without saved values.
@Suite struct UnrestoredValuesErrorTests {
    private struct Job: Codable, Identifiable, Equatable {
        var id: Int
        var title = ""
    }

    private struct Renamed: Codable, Identifiable {
        var id: Int
        var name: String
    }

    private static let identifier = "org.example.Jobs"

    /// Saves a value and a collection with two elements.
    private func save(in scratch: ScratchDirectory) async throws {
        try await withProgram(in: scratch) {
            (
                try await $0.value("count", default: 0),
                try await $0.collection("jobs", of: Job.self)
            )
        } _: { application, values async throws in
            try await application.update(values.0, values.1) { count, jobs in
                count.value = 7
                jobs.append(contentsOf: [Job(id: 1), Job(id: 2)])
            }
        }
    }

    /// Runs another version of the program, and returns the reason why its launch fails.
    private func failure<Values: Sendable>(
        in scratch: ScratchDirectory, declaring declare: (Application) async throws -> Values
    ) async throws -> String? {
        let before = scratch.archiveBytes(of: Self.identifier)
        var reason: String?
        try await withProgram(in: scratch, declaring: declare) { application, _ async throws in
            do {
                try await application.waitUntilReady()
                return
            } catch ApplicationError.failed(_, let text) {
                reason = text
            }
            #expect(await application.status().phase == .failed(reason: reason ?? ""))
            await #expect(throws: ApplicationError.self) { try await application.read { _ in } }
        }
        if reason != nil { #expect(scratch.archiveBytes(of: Self.identifier) == before) }
        return reason
    }

    @Test func `an undeclared saved value prevents the launch and is named in the error`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            let undeclared = try await failure(in: scratch) {
                try await $0.value("count", default: 0)
            }
            #expect(
                undeclared?.hasPrefix(
                    """
                    the program does not declare the saved value "jobs" (2 elements of type Job, saved by version 1). \
                    The saved state was not changed.
                    """) == true)
            #expect(undeclared?.contains("removedValue(\"jobs\")") == true)
            let both = try await failure(in: scratch) { _ in }
            #expect(
                both?.hasPrefix(
                    """
                    the program does not declare the saved value "count" (type Int, saved by version 1) and 1 other \
                    value.
                    """) == true)
        }
    }

    @Test
    func `a saved value that cannot be decoded prevents the launch and is named in the error`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            let value = try await failure(in: scratch) {
                (
                    try await $0.value("count", default: [String]()),
                    try await $0.collection("jobs", of: Job.self)
                )
            }
            #expect(value?.hasPrefix("the saved value \"count\" cannot be decoded: ") == true)
            let elements = try await failure(in: scratch) {
                (
                    try await $0.value("count", default: 0),
                    try await $0.collection("jobs", of: Renamed.self)
                )
            }
            #expect(elements?.hasPrefix("the saved value \"jobs/1\" (and 1 other value)") == true)
            let alias = try await failure(in: scratch) {
                (
                    try await $0.value("number", default: [String](), aliases: ["count"]),
                    try await $0.collection("jobs", of: Job.self)
                )
            }
            #expect(alias?.hasPrefix("the saved value \"count\" cannot be decoded: ") == true)
            // With migrations, the next launch restores all values.
            try await withProgram(in: scratch) {
                (
                    try await $0.value(
                        "count", default: [String](),
                        migrations: [.from(Int.self) { ["\($0)"] }]),
                    try await $0.collection(
                        "jobs", of: Renamed.self,
                        migrations: [.from(Job.self) { Renamed(id: $0.id, name: $0.title) }])
                )
            } _: { _, values async throws in
                #expect(try await values.0.current == ["7"])
                let jobs = try await values.1.elements
                #expect(jobs.map(\.id) == [1, 2])
            }
        }
    }

    @Test func `the saved state of a removed value is discarded but remains in the history`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            try await withProgram(in: scratch) {
                try await $0.removedValue("jobs")
                try await $0.removedValue("never-saved")
                return try await $0.value("count", default: 0)
            } _: { (application: Application, count: RestorableValue<Int>) async throws in
                #expect(try await count.current == 7)
                let unrestored = try await application.report().unrestored
                #expect(unrestored == [])
                try await count.update { $0 += 1 }
                let kept = try await application.history()
                let difference = try await application.diff(from: kept.last?.name ?? "")
                #expect(difference.differences.listedDifferences.contains { $0.path == "jobs" })
            }
            // The removed state is no longer in the archive, so its removal does not have to be declared.
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } _: { application, count async throws in
                #expect(try await count.current == 8)
                #expect(try await application.report().unrestored.isEmpty)
            }
        }
    }

    @Test func `with toleratesUnrestoredValues, the launch continues with default values`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            try await withProgram(in: scratch, toleratesUnrestoredValues: true) {
                try await $0.value("count", default: [String]())
            } _: { application, count async throws in
                #expect(try await count.current == [])
                let codes = try await application.report().unrestored.map(\.code)
                #expect(Set(codes) == [.decodeFailed, .noObject, .ancestorNotRestored])
            }
        }
    }

    /// Runs a program in a process that dies while it launches.
    private static func crash(
        in path: String, version: String, toleratesUnrestoredValues: Bool
    ) async throws {
        try await withProgram(
            in: ScratchDirectory(path: path), version: version,
            toleratesUnrestoredValues: toleratesUnrestoredValues
        ) {
            try await $0.value("count", default: 0)
        } register: { _ in
            fatalError("the test")
        } _: { application, _ async throws in
            try await application.waitUntilLaunched()
        }
    }

    /// The crashing program is either the one that saved the state or a new version.
    @Test(arguments: [("1", false), ("2", false), ("1", true)])
    func `L2: crashes do not start a program without its values, unless it tolerates that`(
        version: String, toleratesUnrestoredValues: Bool
    ) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } _: { _, count async throws in
                try await count.update { $0 = 8 }
            }
            for _ in 1...(toleratesUnrestoredValues ? 1 : 4) {
                await #expect(processExitsWith: .signal(SIGILL)) {
                    [
                        path = scratch.path as String, version = version as String,
                        tolerates = toleratesUnrestoredValues as Bool
                    ] in
                    try await Self.crash(
                        in: path, version: version, toleratesUnrestoredValues: tolerates)
                }
            }
            try await withProgram(
                in: scratch, version: version,
                toleratesUnrestoredValues: toleratesUnrestoredValues
            ) {
                try await $0.value("count", default: 0)
            } _: { application, count async throws in
                #expect(try await count.current == (toleratesUnrestoredValues ? 0 : 8))
                let quarantined = try await application.quarantined()
                #expect(quarantined.count == (toleratesUnrestoredValues ? 1 : 0))
            }
        }
    }

    @Test func `registered objects that are not values do not prevent the launch`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } register: {
                try $0.add(Note("note", Notes()), as: "note")
            } _: { application, count async throws in
                try await count.update { $0 = 1 }
            }
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } _: { application, count async throws in
                #expect(try await count.current == 1)
                #expect(try await application.report().unrestored.map(\.code) == [.noObject])
            }
        }
    }

    @Test func `a value that became a collection, or the reverse, prevents the launch`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            let collection = try await failure(in: scratch) {
                (
                    try await $0.collection("count", of: Job.self),
                    try await $0.collection("jobs", of: Job.self)
                )
            }
            #expect(collection?.hasPrefix("the saved value \"count\" cannot be decoded: ") == true)
            let value = try await failure(in: scratch) {
                (
                    try await $0.value("count", default: 0),
                    try await $0.value("jobs", default: 0)
                )
            }
            #expect(value?.hasPrefix("the saved value \"jobs\" cannot be decoded: ") == true)
        }
    }

    @Test func `an undeclared value prevents the launch even if another scene could be launched`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            for isDeclared in [true, false] {
                let application = try Application(
                    bundleIdentifier: Self.identifier, bundleVersion: "1",
                    stateDirectory: directory, scenes: ["main", "other"], logger: .quiet)
                if isDeclared { _ = try await application.value("count", default: 0) }
                let running = Task { try await application.run() }
                try await application.waitUntilFirstLaunchEnds()
                let phase = await application.status().phase
                if case .failed = phase { #expect(!isDeclared) } else { #expect(isDeclared) }
                running.cancel()
                try await running.value
            }
        }
    }
}
