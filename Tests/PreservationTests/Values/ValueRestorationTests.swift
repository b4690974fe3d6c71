import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Values and elements that a launch restores from other identifiers, or cannot restore.
@Suite struct ValueRestorationTests {
    private struct Refusal: Error {}

    /// Saves elements, as an earlier version of a program would.
    private func save(
        _ elements: [(id: Int, word: String)], as identifier: String, in scratch: ScratchDirectory
    ) async throws {
        let elements = elements.map { WordedElement(id: $0.id, word: $0.word) }
        try await withProgram(in: scratch) {
            try await $0.collection(identifier, of: WordedElement.self)
        } _: { (_: Application, jobs: RestorableCollection<WordedElement>) async throws in
            try await jobs.update { $0.append(contentsOf: elements) }
        }
    }

    // MARK: Earlier identifiers

    @Test(arguments: [["jobs", "tasks"], ["tasks", "jobs"]])
    func `a value that was saved under its own identifier ignores its aliases`(names: [String])
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) { application in
                var values: [RestorableValue<String>] = []
                for name in names {
                    values.append(try await application.value(name, default: ""))
                }
                return values
            } _: { (_: Application, values: [RestorableValue<String>]) async throws in
                for value in values {
                    let text = value.identifier.text
                    try await value.update { $0 = text }
                }
            }
            try await withProgram(in: scratch, version: "2") {
                try await $0.value("jobs", default: "", aliases: ["tasks"])
            } _: { (_: Application, value: RestorableValue<String>) async throws in
                #expect(try await value.current == "jobs")
            }
        }
    }

    @Test func `a migration is logged only under the current identifier of the collection`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([(1, "new"), (2, "old")], as: "tasks", in: scratch)
            let recorder = LogRecorder()
            // The earlier collection remains because one of its elements is not restored.
            try await withProgram(
                in: scratch, version: "2", toleratesUnrestoredValues: true,
                logger: recorder.logger()
            ) {
                try await $0.collection(
                    "jobs", of: NumberedElement.self, aliases: ["tasks"],
                    migrations: [
                        .from(WordedElement.self) { worded in
                            if worded.word == "old" { throw Refusal() }
                            return NumberedElement(id: worded.id)
                        }
                    ])
            } _: { (_: Application, jobs: RestorableCollection<NumberedElement>) async throws in
                #expect(try await jobs.elements.map(\.id) == [1])
            }
            let sentences = recorder.entries.map(\.message).filter { $0.contains("migrated") }
            #expect(sentences.count == 1)
            #expect(sentences.first?.contains("migrated 1 element of \"jobs\"") == true)
        }
    }

    @Test func `two elements of an earlier collection cannot become the same element`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([(5, ""), (15, "")], as: "tasks", in: scratch)
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection(
                    "jobs", of: NumberedElement.self, aliases: ["tasks"],
                    migrations: [.from(WordedElement.self) { NumberedElement(id: $0.id % 10) }])
            } _: {
                (application: Application, jobs: RestorableCollection<NumberedElement>) async throws
                in
                #expect(try await jobs.elements.map(\.id) == [5])
                let report = try await application.report()
                #expect(report.unrestored.map(\.path) == ["tasks/15"])
            }
        }
    }

    // MARK: Unrestored state

    @Test func `an element that is inserted first stays first when a later launch restores others`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([(1, "new"), (2, "old"), (3, "new")], as: "jobs", in: scratch)
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: StrictElement.self)
            } _: { (_: Application, jobs: RestorableCollection<StrictElement>) async throws in
                #expect(try await jobs.elements.map(\.id) == [1, 3])
                try await jobs.update { $0.insert(StrictElement(id: 9, word: "new"), at: 0) }
            }
            try await withProgram(in: scratch, version: "3") {
                try await $0.collection("jobs", of: WordedElement.self)
            } _: { (_: Application, jobs: RestorableCollection<WordedElement>) async throws in
                #expect(try await jobs.elements.map(\.id) == [9, 1, 2, 3])
            }
        }
    }

    @Test func `L6: a program that refuses its saved state does not need to declare its values`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("count", default: 0)
            } _: { (_: Application, count: RestorableValue<Int>) async throws in
                try await count.update { $0 = 7 }
            }
            try await withProgram(in: scratch, version: "2") { _ in
            } register: { objects in
                objects.restore { _ in false }
            } _: { application, _ async throws in
                try await application.waitUntilReady()
                #expect(try await application.report().isRefused)
            }
        }
    }
}
