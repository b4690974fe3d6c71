import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Elements that a launch cannot restore, and elements that are added in the meantime.
@Suite struct UnrestoredElementsTests {
    private struct Worded: Codable, Identifiable {
        var id: Int
        var word = ""
    }

    private struct Numbered: Codable, Identifiable {
        var id: Int
        var number = 0
    }

    /// Element that cannot be decoded if its text is old.
    private struct Strict: Codable, Identifiable {
        var id: Int
        var word: String

        enum CodingKeys: CodingKey { case id, word }

        init(id: Int, word: String) {
            (self.id, self.word) = (id, word)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            word = try container.decode(String.self, forKey: .word)
            if word == "old" { throw Refusal() }
        }
    }

    /// Element that cannot be encoded.
    private struct Unencodable: Codable, Identifiable {
        var id: Int

        init(id: Int) { self.id = id }

        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }

    private struct Refusal: Error {}

    /// Saves elements, as an earlier version of a program would.
    private func save(
        _ ids: [Int], as identifier: String = "jobs", in scratch: ScratchDirectory,
        _ body: (Application, RestorableCollection<Worded>) async throws -> Void = { _, _ in }
    ) async throws {
        try await withProgram(in: scratch) {
            try await $0.collection(identifier, of: Worded.self)
        } _: { (application: Application, jobs: RestorableCollection<Worded>) async throws in
            try await jobs.update { jobs in
                for id in ids { jobs.append(Worded(id: id, word: "old")) }
            }
            try await body(application, jobs)
        }
    }

    @Test func `each added element is found at its own index`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([1, 2, 3], in: scratch)
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Numbered.self)
            } _: { (_: Application, jobs: RestorableCollection<Numbered>) async throws in
                for id in 11...13 { try await jobs.update { $0.append(Numbered(id: id)) } }
                let indexes = try await jobs.read { jobs in
                    (11...13).map { jobs.index(id: $0) }
                }
                #expect(indexes == [0, 1, 2])
            }
        }
    }

    @Test func `elements are added even if an unrestored element has the highest position`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([1], in: scratch) { application, _ in
                try await application.perform { scene in
                    let collection: CollectionObject? = scene.registeredObject("jobs")
                    let table = collection?.store as? ElementTable<Worded>
                    let entry = try #require(table?.entry(1))
                    entry.content.position = .max
                    entry.object.invalidateRestorableState()
                }
            }
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Numbered.self)
            } _: { (_: Application, jobs: RestorableCollection<Numbered>) async throws in
                for id in 11...12 { try await jobs.update { $0.append(Numbered(id: id)) } }
                #expect(try await jobs.elements.map(\.id) == [11, 12])
            }
        }
    }

    @Test(arguments: [(1, [3, 2, 1, 9]), (3, [1, 2, 3, 9])])
    func `an added element follows all elements that a later launch restores`(
        last: Int, expectedIDs: [Int]
    ) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([1, 2, 3], in: scratch) { _, jobs in
                for id in [last, 2, last] { try await jobs.update { $0.move(id: id, to: 2) } }
            }
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Strict.self)
            } _: { (_: Application, jobs: RestorableCollection<Strict>) async throws in
                #expect(try await jobs.count == 0)
                try await jobs.update { $0.append(Strict(id: 9, word: "new")) }
            }
            try await withProgram(in: scratch, version: "3") {
                try await $0.collection("jobs", of: Worded.self)
            } _: { (_: Application, jobs: RestorableCollection<Worded>) async throws in
                #expect(try await jobs.elements.map(\.id) == expectedIDs)
            }
        }
    }

    @Test func `all elements that were saved under an earlier identifier remain until restored`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([1, 2, 3], as: "tasks", in: scratch)
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: Numbered.self, aliases: ["tasks"])
            } _: { (_: Application, jobs: RestorableCollection<Numbered>) async throws in
                try await jobs.update { $0.append(Numbered(id: 9)) }
                try await jobs.update { $0.removeAll { _ in true } }
            }
            try await withProgram(in: scratch, version: "3") {
                try await $0.collection("jobs", of: Worded.self, aliases: ["tasks"])
            } _: { (_: Application, jobs: RestorableCollection<Worded>) async throws in
                #expect(try await jobs.elements.map(\.id) == [1, 2, 3])
            }
        }
    }

    @Test func `a launch fails if an element was saved without its value`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            for isFirst in [true, false] {
                try await withProgram(in: scratch) {
                    try await $0.collection("jobs", of: Unencodable.self)
                } _: { (_: Application, jobs: RestorableCollection<Unencodable>) async throws in
                    let failure = await #expect(throws: (any Error).self) {
                        try await jobs.update { $0.append(Unencodable(id: 1)) }
                    }
                    if isFirst {
                        #expect(failure is UnsavedChange)
                    } else if case .failed(_, let reason)? = failure as? ApplicationError {
                        #expect(reason.contains("saved without its value"))
                    } else {
                        Issue.record("\(failure as Any)")
                    }
                }
            }
        }
    }
}
