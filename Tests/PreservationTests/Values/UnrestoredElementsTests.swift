import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Elements that a launch cannot restore, and elements that are added in the meantime.
@Suite struct UnrestoredElementsTests {
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
        _ body: (Application, RestorableCollection<WordedElement>) async throws -> Void = { _, _ in
        }
    ) async throws {
        try await withProgram(in: scratch) {
            try await $0.collection(identifier, of: WordedElement.self)
        } _: { (application: Application, jobs: RestorableCollection<WordedElement>) async throws in
            try await jobs.update { jobs in
                for id in ids { jobs.append(WordedElement(id: id, word: "old")) }
            }
            try await body(application, jobs)
        }
    }

    @Test func `each added element is found at its own index`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([1, 2, 3], in: scratch)
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: NumberedElement.self)
            } _: { (_: Application, jobs: RestorableCollection<NumberedElement>) async throws in
                for id in 11...13 { try await jobs.update { $0.append(NumberedElement(id: id)) } }
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
                    let table = collection?.store as? ElementTable<WordedElement>
                    let entry = try #require(table?.entry(1))
                    entry.position = .max
                    entry.invalidateRestorableState()
                }
            }
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: NumberedElement.self)
            } _: { (_: Application, jobs: RestorableCollection<NumberedElement>) async throws in
                for id in 11...12 { try await jobs.update { $0.append(NumberedElement(id: id)) } }
                #expect(try await jobs.elements.map(\.id) == [11, 12])
            }
        }
    }

    @Test func `an append changes no other element if an unrestored one has the highest position`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await save([1], in: scratch) { application, _ in
                try await application.perform { scene in
                    let collection: CollectionObject? = scene.registeredObject("jobs")
                    let table = collection?.store as? ElementTable<WordedElement>
                    let entry = try #require(table?.entry(1))
                    entry.position = .max
                    entry.invalidateRestorableState()
                }
            }
            try await withProgram(in: scratch, version: "2", toleratesUnrestoredValues: true) {
                try await $0.collection("jobs", of: NumberedElement.self)
            } _: { application, jobs async throws in
                try await jobs.update { $0.append(NumberedElement(id: 11)) }
                let version = try await application.read { scene in
                    let table = try #require(Self.table(in: scene))
                    _ = table.change(since: nil)
                    return table.version
                }
                try await jobs.update { $0.append(NumberedElement(id: 12)) }
                let changeCount = try await application.read { scene in
                    let change = try #require(Self.table(in: scene)?.change(since: version))
                    if case .elements(let changes) = change { return changes.count }
                    return 0
                }
                #expect(changeCount == 1)
            }
        }
    }

    private static func table(in scene: Scene) -> ElementTable<NumberedElement>? {
        let collection: CollectionObject? = scene.registeredObject("jobs")
        return collection?.store as? ElementTable<NumberedElement>
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
                try await $0.collection("jobs", of: StrictElement.self)
            } _: { (_: Application, jobs: RestorableCollection<StrictElement>) async throws in
                #expect(try await jobs.count == 0)
                try await jobs.update { $0.append(StrictElement(id: 9, word: "new")) }
            }
            try await withProgram(in: scratch, version: "3") {
                try await $0.collection("jobs", of: WordedElement.self)
            } _: { (_: Application, jobs: RestorableCollection<WordedElement>) async throws in
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
                try await $0.collection("jobs", of: NumberedElement.self, aliases: ["tasks"])
            } _: { (_: Application, jobs: RestorableCollection<NumberedElement>) async throws in
                try await jobs.update { $0.append(NumberedElement(id: 9)) }
                try await jobs.update { $0.removeAll { _ in true } }
            }
            try await withProgram(in: scratch, version: "3") {
                try await $0.collection("jobs", of: WordedElement.self, aliases: ["tasks"])
            } _: { (_: Application, jobs: RestorableCollection<WordedElement>) async throws in
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
