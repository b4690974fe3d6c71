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
                    the program does not declare the saved value "count" (type Int, saved by version 1). 1 other value \
                    was not restored either.
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
            #expect(value?.hasPrefix("the saved value \"count\" cannot be decoded (") == true)
            let elements = try await failure(in: scratch) {
                (
                    try await $0.value("count", default: 0),
                    try await $0.collection("jobs", of: Renamed.self)
                )
            }
            #expect(
                elements == """
                    2 elements of "jobs" (for example "jobs/1") cannot be decoded (type Job, saved by version 1): the \
                    saved value does not match the type Renamed: name: it is missing. The saved state was not changed. \
                    Add or correct a migration from the saved type. To launch without the value, set \
                    PreservationSettings.toleratesUnrestoredValues; the next change then replaces its saved state
                    """)
            let alias = try await failure(in: scratch) {
                (
                    try await $0.value("number", default: [String](), aliases: ["count"]),
                    try await $0.collection("jobs", of: Job.self)
                )
            }
            #expect(alias?.hasPrefix("the saved value \"count\" cannot be decoded (") == true)
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

    private struct Refused: Error {}

    @Test func `the error states that a migration failed, or that no migration matches`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            func failure(_ migration: ValueMigration<Renamed>) async throws -> String? {
                try await self.failure(in: scratch) {
                    (
                        try await $0.value("count", default: 0),
                        try await $0.collection(
                            "jobs", of: Renamed.self, migrations: [migration])
                    )
                }
            }
            let thrown = try await failure(.from(Job.self) { _ in throw Refused() })
            #expect(thrown?.contains(": the migration from Job threw an error: Refused().") == true)
            let unmatched = try await failure(.from([Int].self) { _ in Renamed(id: 1, name: "") })
            #expect(
                unmatched?.contains(
                    """
                    : the saved value does not match the type Renamed: name: it is missing; it does not match the saved \
                    type of any migration (Array<Int>) either.
                    """) == true)
            #expect(unmatched?.contains("Add or correct a migration") == true)
        }
    }

    private enum Earlier {
        struct Job: Codable, Identifiable {
            var id: Int
            var title = ""
        }
    }

    private enum Later {
        struct Job: Codable, Identifiable {
            var id: Int
            var name: String
        }
    }

    @Test func `types with the same name are named with the types that contain them`() async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Earlier.Job.self)
            } _: { _, jobs async throws in
                try await jobs.update { $0.append(Earlier.Job(id: 1)) }
            }
            let recorder = LogRecorder()
            try await withProgram(in: scratch, version: "2", logger: recorder.logger()) {
                try await $0.collection(
                    "jobs", of: Later.Job.self,
                    migrations: [.from(Earlier.Job.self) { Later.Job(id: $0.id, name: $0.title) }])
            } _: { _, jobs async throws in
                #expect(try await jobs.count == 1)
            }
            let migrated = recorder.entries.map(\.message).filter { $0.contains("migrated") }
            let suite = "UnrestoredValuesErrorTests"
            #expect(
                migrated == [
                    """
                    org.example.Jobs main: migrated 1 element of "jobs" from \(suite).Earlier.Job to \
                    \(suite).Later.Job (last saved by version 1, now version 2)
                    """
                ])
            #expect(TypeName([Int].self).qualifiedName == "Array<Int>")
        }
    }

    @Test func `elements that a launch does not restore are logged in one message`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("jobs", of: Job.self)
            } _: { _, jobs async throws in
                try await jobs.update { $0.append(contentsOf: (1...200).map { Job(id: $0) }) }
            }
            let recorder = LogRecorder()
            try await withProgram(
                in: scratch, toleratesUnrestoredValues: true, logger: recorder.logger()
            ) {
                try await $0.collection("jobs", of: Renamed.self)
            } _: { application, jobs async throws in
                #expect(try await jobs.count == 0)
                #expect(try await application.report().unrestored.count == 200)
            }
            let warnings = recorder.entries.filter { $0.message.contains("not restored") }
            #expect(warnings.count == 1)
            #expect(warnings.first?.metadata["path"] == "jobs/1")
            #expect(
                warnings.first?.message.contains("200 objects below jobs (for example jobs/1, ")
                    == true)
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

    /// Objects that fill a launch report if a program no longer registers them.
    private static let sessions: ObjectKey<Note> = "sessions"

    @Sendable private static func registerSessions(_ objects: RegisteredObjects) throws {
        let notes = Notes()
        try objects.list(sessions) { Note(RestorationIdentifier(recorded: $0), notes) }
    }

    @Test func `unrestored values prevent the launch even if the launch report is full`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) { _ in
            } register: {
                try Self.registerSessions($0)
            } _: { application, _ async throws in
                try await application.waitUntilReady()
                try await application.perform { scene in
                    let sessions = try #require(scene.list(Self.sessions))
                    for number in 0..<RestorationReport.maximumEntries {
                        _ = try sessions.add("\(number)")
                    }
                }
            }
            // The values are recorded after the sessions.
            try await withProgram(in: scratch) {
                (
                    try await $0.value("count", default: 0),
                    try await $0.collection("jobs", of: Job.self)
                )
            } register: {
                try Self.registerSessions($0)
            } _: { application, values async throws in
                try await application.update(values.0, values.1) { count, jobs in
                    count.value = 7
                    jobs.append(Job(id: 1))
                }
            }
            let value = try await failure(in: scratch) {
                (
                    try await $0.value("count", default: [String]()),
                    try await $0.collection("jobs", of: Job.self)
                )
            }
            #expect(value?.hasPrefix("the saved value \"count\" cannot be decoded (") == true)
            let element = try await failure(in: scratch) {
                (
                    try await $0.value("count", default: 0),
                    try await $0.collection("jobs", of: Renamed.self)
                )
            }
            #expect(element?.hasPrefix("the saved element \"jobs/1\" cannot be decoded (") == true)
            let undeclared = try await failure(in: scratch) {
                try await $0.value("count", default: 0)
            }
            #expect(
                undeclared?.hasPrefix(
                    "the program does not declare the saved value \"jobs\" (1 element of type Job")
                    == true)
            try await withProgram(in: scratch) {
                (
                    try await $0.value("count", default: 0),
                    try await $0.collection("jobs", of: Job.self)
                )
            } _: { application, values async throws in
                #expect(try await values.0.current == 7)
                #expect(try await values.1.count == 1)
                #expect(try await application.report().unlisted > 0)
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
            #expect(
                collection?.hasPrefix(
                    """
                    the saved value "count" cannot be decoded (type Int, saved by version 1): it was saved as a value, \
                    but is declared as a collection.
                    """) == true)
            let value = try await failure(in: scratch) {
                (
                    try await $0.value("count", default: 0),
                    try await $0.value("jobs", default: 0)
                )
            }
            #expect(
                value?.hasPrefix(
                    """
                    the saved value "jobs" cannot be decoded (type Job, saved by version 1): it was saved as a \
                    collection, but is declared as a value.
                    """) == true)
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
