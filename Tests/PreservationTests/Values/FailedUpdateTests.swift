import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Updates that fail, and the state of a collection after them.
@Suite struct FailedUpdateTests {
    private struct Job: Codable, Identifiable {
        var id: Int
        var title = ""
    }

    private struct Refusal: Error {}

    /// Makes an update that fails after a closure has changed the elements.
    private func fail(
        _ jobs: RestorableCollection<Job>,
        _ change: @escaping @Sendable (RestorableCollection<Job>.MutableElements) -> Void
    ) async {
        await #expect(throws: Refusal.self) {
            try await jobs.update { elements in
                change(elements)
                throw Refusal()
            }
        }
    }

    private func withJobs(
        in scratch: ScratchDirectory,
        _ body: (Application, RestorableCollection<Job>) async throws -> Void
    ) async throws {
        try await withProgram(in: scratch) {
            try await $0.collection("jobs", of: Job.self)
        } _: { (application: Application, jobs: RestorableCollection<Job>) async throws in
            try await body(application, jobs)
        }
    }

    @Test func `an element can be removed directly after a failed update`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withJobs(in: scratch) { _, jobs in
                try await jobs.update { $0.append(contentsOf: (1...3).map { Job(id: $0) }) }
                await fail(jobs) { $0.append(Job(id: 4)) }
                try await jobs.update { $0.remove(id: 2) }
                #expect(try await jobs.elements.map(\.id) == [1, 3])
            }
        }
    }

    @Test func `a failed update that moves and adds many elements does not change the order`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withJobs(in: scratch) { _, jobs in
                try await jobs.update { $0.append(contentsOf: (1...3).map { Job(id: $0) }) }
                await fail(jobs) { elements in
                    elements.move(id: 3, to: 0)
                    // There is no room for so many elements between two others.
                    for id in 10..<50 { elements.insert(Job(id: id), at: 1) }
                }
                #expect(try await jobs.elements.map(\.id) == [1, 2, 3])
            }
        }
    }

    @Test func `nothing that a failed update has added is saved`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withJobs(in: scratch) { _, jobs in
                await fail(jobs) { $0.append(contentsOf: (4...6).map { Job(id: $0) }) }
                try await jobs.update { $0.append(Job(id: 9)) }
            }
            try await withJobs(in: scratch) { application, jobs in
                let elements = try await jobs.elements
                #expect(elements.map(\.id) == [9])
                // The collection and its element.
                let report = try await application.report()
                #expect(report.recorded == 2)
            }
        }
    }

    /// Value that can be encoded only once after it has been changed.
    private struct Fickle: Codable {
        static let encodingCount = Mutex(0)

        var isFickle = false

        func encode(to encoder: any Encoder) throws {
            if isFickle {
                let count = Self.encodingCount.withLock { count in
                    count += 1
                    return count
                }
                if count > 1 { throw Refusal() }
            }
            var container = encoder.singleValueContainer()
            try container.encode(isFickle)
        }

        init() {}

        init(from decoder: any Decoder) throws {
            isFickle = try decoder.singleValueContainer().decode(Bool.self)
        }
    }

    @Test func `P21: a transaction reports a loss in any of its values`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                (
                    try await $0.value("first", default: 0),
                    try await $0.value("second", default: Fickle())
                )
            } _: { application, values async throws in
                // The check before the transaction encodes the value once.
                await #expect(throws: UnsavedChange.self) {
                    try await application.update(values.0, values.1) { first, second in
                        first.value = 1
                        second.value.isFickle = true
                    }
                }
            }
        }
    }

    @Test func `an identifier cannot be declared again, whichever value has it`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                logger: .quiet)
            for identifier in ["first", "second"] {
                _ = try await application.value(identifier, default: 0)
            }
            for identifier in ["first", "second"] {
                let error = await #expect(throws: RestorableValueError.self) {
                    _ = try await application.value(identifier, default: 0)
                }
                #expect(error?.code == .declaredTwice)
                #expect(error?.identifier == identifier)
            }
        }
    }

    @Test(arguments: [("\u{85}", "%C2%85"), ("\u{86}", "%C2%86"), ("a\u{1}/", "a%01%2F")])
    func `each byte of a character that is not allowed in identifiers is escaped`(
        id: String, text: String
    ) throws {
        #expect(try RestorationIdentifier(element: id).text == text)
    }

    @Test func `a log that has been cleared has no changes since an earlier version`() {
        var log = ElementLog(version: 0)
        log.startLogging()
        let limit = ElementLog.maximumCount
        for (version, count) in [(1, limit), (2, limit), (3, limit + 1), (4, limit)] {
            log.append(
                (0..<count).map { number in
                    ElementLog.Entry(
                        identifier: RestorationIdentifier(recorded: "\(number)"), position: nil,
                        id: nil)
                }, version: version)
        }
        #expect(log.changes(since: 2) == nil)
        #expect(log.changes(since: 3)?.count == limit)
    }
}
