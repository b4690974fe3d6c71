import Preservation
import TestSupport
import Testing

/// Elements of one collection that were saved with different types.
@Suite struct SeveralMigrationsTests {
    private struct First: Codable, Identifiable {
        var id: Int
        var first = ""
    }

    private struct Second: Codable, Identifiable {
        var id: Int
        var second = ""
    }

    private struct Third: Codable, Identifiable {
        var id: Int
        var third = ""
    }

    @Test func `a launch logs each migration that it used`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch, version: "1") {
                try await $0.collection("jobs", of: First.self)
            } _: { (_: Application, jobs: RestorableCollection<First>) async throws in
                try await jobs.update { $0.append(First(id: 1)) }
            }
            // This version leaves the first element unchanged.
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Second.self)
            } _: { (_: Application, jobs: RestorableCollection<Second>) async throws in
                try await jobs.update { $0.append(Second(id: 2)) }
            }
            let recorder = LogRecorder()
            try await withProgram(in: scratch, version: "3", logger: recorder.logger()) {
                try await $0.collection(
                    "jobs", of: Third.self,
                    migrations: [
                        .from(Second.self) { Third(id: $0.id) },
                        .from(First.self) { Third(id: $0.id) },
                    ])
            } _: { (_: Application, jobs: RestorableCollection<Third>) async throws in
                #expect(try await jobs.elements.map(\.id) == [1, 2])
            }
            let sentences = recorder.entries.map(\.message).filter {
                $0.contains("migrated 1 element of \"jobs\" from ")
            }
            #expect(sentences.count == 2)
            #expect(sentences.contains { $0.contains("from First to Third") })
            #expect(sentences.contains { $0.contains("from Second to Third") })
        }
    }
}
