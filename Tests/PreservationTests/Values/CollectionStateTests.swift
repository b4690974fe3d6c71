import FoundationEssentials
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Elements of a collection after failed updates and restarts, and readers that follow a collection.
@Suite(.timeLimit(.minutes(5))) struct CollectionStateTests {
    private struct Refusal: Error {}

    private struct Job: Codable, Identifiable {
        var id: Int
        var title = ""
    }

    private func withJobs(
        in scratch: ScratchDirectory, _ body: (RestorableCollection<Job>) async throws -> Void
    ) async throws {
        try await withProgram(in: scratch) {
            try await $0.collection("jobs", of: Job.self)
        } _: { (_: Application, jobs: RestorableCollection<Job>) async throws in
            try await body(jobs)
        }
    }

    @Test func `elements that a failed update removed are still there after another failure`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withJobs(in: scratch) { jobs async throws in
                try await jobs.update { $0.append(contentsOf: (1...3).map { Job(id: $0) }) }
                await #expect(throws: Refusal.self) {
                    try await jobs.update { elements in
                        elements.removeAll { _ in true }
                        throw Refusal()
                    }
                }
                // This update fails before it accesses any element.
                await #expect(throws: Refusal.self) {
                    try await jobs.update { _ -> Void in throw Refusal() }
                }
                #expect(try await jobs.elements.map(\.id) == [1, 2, 3])
            }
        }
    }

    @Test func `P16: after a restart, a change of one element writes only this element`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withJobs(in: scratch) { jobs async throws in
                try await jobs.update { $0.append(contentsOf: (1...100).map { Job(id: $0) }) }
            }
            try await withJobs(in: scratch) { jobs async throws in
                #expect(try await jobs.count == 100)
                let before = try #require(scratch.bytes(of: "org.example.Jobs"))
                try await jobs.update { $0[id: 50]?.title = "changed" }
                let after = try #require(scratch.bytes(of: "org.example.Jobs"))
                #expect((1..<1_000).contains(after - before))
            }
        }
    }

    @Test func `a reader follows a collection until the application stops`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let ids = AwaitableState<[Int]>([])
            let isOver = AwaitableState(false)
            try await withJobs(in: scratch) { jobs async throws in
                try await jobs.update { $0.append(Job(id: 1)) }
                Task {
                    var elements: [Job] = []
                    var changes = jobs.changes.makeAsyncIterator()
                    while let change = await changes.next() {
                        change.apply(to: &elements)
                        let newIDs = elements.map(\.id)
                        ids.change { $0 = newIDs }
                    }
                    isOver.change { $0 = true }
                }
                try await waitUntil("the reader has all elements") { ids.state == [1] }
                for count in 2...4 {
                    try await jobs.update { $0.append(Job(id: count)) }
                    try await waitUntil("the reader has the change") {
                        ids.state == Array(1...count)
                    }
                }
                #expect(!isOver.state)
            }
            try await waitUntil("the sequence has finished") { isOver.state }
        }
    }

    private struct Ticket: Codable, Identifiable {
        var id: Int
        var deadline: Date
    }

    @Test func `an element without a valid deadline does not hide earlier deadlines`() throws {
        let table = ElementTable<Ticket>()
        try withExtendedLifetime(table) {
            let times: [Double] = [100, .nan, 200, 10]
            let tickets = try times.enumerated().map { index, time in
                let ticket = Ticket(
                    id: index, deadline: Date(timeIntervalSinceReferenceDate: time))
                let stored = StoredElement<Ticket>(
                    try RestorationIdentifier(element: ticket.id), in: table)
                stored.element = ticket
                return stored
            }
            var deadlines = ElementDeadlines<StoredElement<Ticket>>(
                { $0.element?.deadline }, now: { 0 })
            for ticket in tickets { deadlines.insert(ticket, of: tickets) }
            let first = deadlines.earliestDeadline()
            #expect(first == Date(timeIntervalSinceReferenceDate: 10))
        }
    }
}
