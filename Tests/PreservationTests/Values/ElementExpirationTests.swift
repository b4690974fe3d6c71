import FoundationEssentials
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Deadlines of elements, in a heap and in a program that declares other values first.
@Suite(.timeLimit(.minutes(5))) struct ElementExpirationTests {
    private struct Ticket: Codable, Identifiable {
        var id: Int
        var deadline: Date
    }

    private struct Parts: Sendable {
        let count: RestorableValue<Int>
        let tickets: RestorableCollection<Ticket>
    }

    private func makeProgram() throws -> TestProgram<Parts> {
        try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            let parts = Parts(
                count: try await application.value("count", default: 0),
                tickets: try await application.collection(
                    "tickets", of: Ticket.self, expires: \.deadline))
            return (application, parts)
        }
    }

    // MARK: Timers

    @Test func `an element expires even if its collection is not declared first`() async throws {
        let program = try makeProgram()
        let start = program.clock.date
        try await program.run { application, parts async throws in
            try await parts.tickets.update { tickets in
                tickets.append(Ticket(id: 1, deadline: start + 60))
            }
            try await waitUntil("a timer for the deadline runs") {
                await application.intervalTimers?.timers[.expiration] != nil
            }
            #expect(await application.status().savedObjectCount == 3)
            program.clock.advance(by: .seconds(60))
            // Nothing reads the collection in the meantime.
            try await waitUntil("the removal is saved") {
                await application.status().savedObjectCount == 2
            }
        }
    }

    @Test func `an element whose deadline is the beginning of time is removed`() async throws {
        let program = try makeProgram()
        try await program.run { _, parts async throws in
            let beginning = Date(timeIntervalSinceReferenceDate: -.infinity)
            try await parts.tickets.update { tickets in
                tickets.append(Ticket(id: 1, deadline: beginning))
            }
            #expect(try await parts.tickets.count == 0)
        }
        #expect(program.problems.isEmpty)
    }

    // MARK: The heap

    private func stored(
        _ id: Int, deadline: Double, in table: ElementTable<Ticket>
    ) throws -> StoredElement<Ticket> {
        let element = Ticket(id: id, deadline: Date(timeIntervalSinceReferenceDate: deadline))
        let stored = StoredElement<Ticket>(try RestorationIdentifier(element: id), in: table)
        stored.element = element
        return stored
    }

    /// Returns deadlines that are compared with a time, in seconds since the reference date.
    private func makeDeadlines(at time: Int64) -> ElementDeadlines<StoredElement<Ticket>> {
        let now = (Int64(Date.timeIntervalBetween1970AndReferenceDate) + time) * 1_000_000
        return ElementDeadlines({ $0.element?.deadline }, now: { now })
    }

    @Test func `an element does not expire a microsecond before its deadline`() throws {
        let table = ElementTable<Ticket>()
        try withExtendedLifetime(table) {
            for (deadline, isExpired) in [(0.000_001, false), (0, true), (-0.000_001, true)] {
                let ticket = try stored(1, deadline: deadline, in: table)
                var deadlines = makeDeadlines(at: 0)
                deadlines.insert(ticket, of: [ticket])
                let expired = deadlines.popExpired()
                #expect((expired != nil) == isExpired, "\(deadline)")
            }
        }
    }

    @Test func `elements expire in order after many changes of a deadline`() throws {
        let table = ElementTable<Ticket>()
        try withExtendedLifetime(table) {
            // The last element expires first.
            let tickets = try (1...20).map {
                try stored($0, deadline: Double(100 - $0), in: table)
            }
            var deadlines = makeDeadlines(at: 1_000)
            for ticket in tickets { deadlines.insert(ticket, of: tickets) }
            for step in 1...200 {
                let date = Date(timeIntervalSinceReferenceDate: 80 - Double(step) / 10)
                tickets[19].element?.deadline = date
                deadlines.insert(tickets[19], of: tickets)
            }
            var ids: [Int] = []
            while let expired = deadlines.popExpired() { ids.append(expired.element?.id ?? 0) }
            #expect(ids == Array((1...20).reversed()))
        }
    }
}
