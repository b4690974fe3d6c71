import Logging
import Preservation
import TestSupport
import Testing

/// Migrations of saved values, and the messages that a launch logs about them.
@Suite struct ValueMigrationTests {
    private struct EarlierJob: Codable, Identifiable {
        var id: Int
        var name: String
    }

    private struct Job: Codable, Equatable, Identifiable {
        var id: Int
        var title: String
    }

    private static let migrations = [
        ValueMigration<Job>.from(EarlierJob.self) { Job(id: $0.id, title: $0.name) }
    ]

    /// Saves a value and a collection with three elements, as an earlier version of a program would.
    private func save(in scratch: ScratchDirectory) async throws {
        try await withProgram(in: scratch) {
            (
                try await $0.value("count", default: 0),
                try await $0.collection("jobs", of: EarlierJob.self)
            )
        } _: { application, values async throws in
            try await application.update(values.0, values.1) { count, jobs in
                count.value = 7
                jobs.append(contentsOf: (1...3).map { EarlierJob(id: $0, name: "job \($0)") })
                jobs.move(id: 3, to: 0)
            }
        }
    }

    @Test func `a launch logs which values it migrated, and migrates them only once`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            for isFirst in [true, false] {
                let recorder = LogRecorder()
                try await withProgram(in: scratch, version: "2", logger: recorder.logger()) {
                    (
                        try await $0.value(
                            "count", default: "", migrations: [.from(Int.self) { "\($0)" }]),
                        try await $0.collection(
                            "jobs", of: Job.self, migrations: Self.migrations)
                    )
                } _: { application, values async throws in
                    #expect(try await values.0.current == "7")
                    let titles = try await values.1.elements.map(\.title)
                    #expect(titles == ["job 3", "job 1", "job 2"])
                    // If the program is killed after the launch, the migration is not undone.
                    if isFirst {
                        try await withScratchDirectory { (killed: ScratchDirectory) async throws in
                            try scratch.copy(to: killed)
                            try await withProgram(in: killed) {
                                (
                                    try await $0.value("count", default: ""),
                                    try await $0.collection("jobs", of: Job.self)
                                )
                            } _: { _, values async throws in
                                #expect(try await values.0.current == "7")
                                #expect(try await values.1.count == 3)
                            }
                        }
                    }
                }
                let migrated = recorder.entries.filter { $0.message.contains("migrated") }
                guard isFirst else {
                    #expect(migrated.isEmpty)
                    continue
                }
                #expect(migrated.allSatisfy { $0.level == .info })
                #expect(migrated.map { $0.metadata["path"] } == ["count", "jobs"])
                #expect(
                    migrated.map(\.message) == [
                        """
                        org.example.Jobs main: migrated "count" from Int to String (last saved by version 1, now \
                        version 2)
                        """,
                        """
                        org.example.Jobs main: migrated 3 elements of "jobs" from EarlierJob to Job (last saved by \
                        version 1, now version 2)
                        """,
                    ])
            }
        }
    }

    @Test func `elements that a later version migrates come before elements added in the meantime`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Job.self)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(try await jobs.count == 0)
                try await jobs.update { jobs in
                    for id in 4...6 { jobs.append(Job(id: id, title: "new")) }
                    // The insertions use up the free positions between two elements.
                    for id in 7...50 { jobs.insert(Job(id: id, title: "new"), at: 1) }
                }
            }
            let ids = [3, 1, 2, 4] + (7...50).reversed() + [5, 6]
            for _ in 0..<2 {
                try await withProgram(in: scratch, version: "3", toleratesUnrestoredValues: true) {
                    try await $0.collection("jobs", of: Job.self, migrations: Self.migrations)
                } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                    #expect(try await jobs.elements.map(\.id) == ids)
                    try await jobs.update { $0[id: 1]?.title += "!" }
                }
            }
        }
    }

    @Test func `elements of a renamed collection that a later version migrates keep their order`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("queue", of: Job.self, aliases: ["jobs"])
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                try await jobs.update { $0.append(Job(id: 4, title: "new")) }
            }
            try await withProgram(in: scratch, version: "3", toleratesUnrestoredValues: true) {
                try await $0.collection(
                    "queue", of: Job.self, aliases: ["jobs"], migrations: Self.migrations)
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(try await jobs.elements.map(\.id) == [3, 1, 2, 4])
            }
        }
    }

    @Test func `an element that is refused after its migration is not counted as migrated`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save(in: scratch)
            let recorder = LogRecorder()
            try await withProgram(
                in: scratch, version: "2", toleratesUnrestoredValues: true,
                logger: recorder.logger()
            ) {
                try await $0.collection(
                    "jobs", of: Job.self,
                    migrations: [.from(EarlierJob.self) { Job(id: 1, title: $0.name) }])
            } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
                #expect(try await jobs.count == 1)
            }
            #expect(
                recorder.entries.map(\.message).filter { $0.contains("migrated") } == [
                    """
                    org.example.Jobs main: migrated 1 element of "jobs" from EarlierJob to Job (last saved by \
                    version 1, now version 2)
                    """
                ])
        }
    }
}
