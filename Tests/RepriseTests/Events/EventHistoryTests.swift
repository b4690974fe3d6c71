import RepriseControl
import Testing

@testable import Reprise

@Suite struct EventHistoryTests {
    private static func numbers(_ history: EventHistory, after number: Int) -> [Int]? {
        switch history.events(after: number) {
        case .events(let entries): entries.map(\.number)
        case .noEvents: []
        case .eventsGone: nil
        }
    }

    private static func history(_ count: Int, bytes: Int = 1) -> EventHistory {
        var history = EventHistory()
        for _ in 0..<count {
            history.append(
                EventSubject(kind: .pass), reply: [UInt8](repeating: 32, count: bytes))
        }
        return history
    }

    @Test func `the events after a position are returned in order, in batches`() {
        let history = Self.history(600)
        #expect(Self.numbers(history, after: 600) == [])
        #expect(Self.numbers(history, after: 599) == [600])
        #expect(Self.numbers(history, after: 0) == Array(1...EventHistory.maximumBatchEvents))
    }

    @Test func `a batch is limited in bytes but contains at least one event`() {
        let bytes = EventHistory.maximumBatchBytes / 4
        #expect(Self.numbers(Self.history(9, bytes: bytes), after: 0) == [1, 2, 3, 4])
        #expect(Self.numbers(Self.history(9, bytes: bytes + 1), after: 0) == [1, 2, 3])
        #expect(Self.numbers(Self.history(9, bytes: 5 * bytes), after: 3) == [4])
        var history = Self.history(3, bytes: bytes)
        history.append(
            EventSubject(kind: .pass), reply: [UInt8](repeating: 32, count: bytes + 1))
        #expect(Self.numbers(history, after: 0) == [1, 2, 3])
    }

    @Test func `positions that were never assigned are gone`() {
        #expect(Self.numbers(Self.history(3), after: 4) == nil)
        #expect(Self.numbers(Self.history(3), after: -1) == nil)
        #expect(Self.numbers(Self.history(0), after: 0) == [])
    }

    @Test func `the oldest events are dropped above the limits on number and bytes`() {
        let many = Self.history(EventHistory.maximumEvents + 5)
        #expect(Self.numbers(many, after: 4) == nil)
        #expect(Self.numbers(many, after: 5)?.first == 6)
        let large = Self.history(20, bytes: 1 << 20)
        #expect(Self.numbers(large, after: 3) == nil)
        #expect(Self.numbers(large, after: 4) == [5])
        #expect(Self.numbers(Self.history(16, bytes: 1 << 20), after: 0) == [1])
        // An event that exceeds the limit by itself is stored.
        #expect(Self.numbers(Self.history(2, bytes: 20 << 20), after: 1) == [2])
        #expect(Self.numbers(Self.history(2, bytes: 20 << 20), after: 0) == nil)
    }

    @Test func `the newest event remains available while old events are dropped`() {
        var history = EventHistory()
        for number in 1...(5 * EventHistory.maximumEvents) {
            history.append(EventSubject(kind: .pass), reply: [32])
            if number.isMultiple(of: 9973) {
                #expect(Self.numbers(history, after: number - 1) == [number])
            }
        }
    }

    @Test func `events from before a restart do not count toward the limit after it`() {
        var history = Self.history(16, bytes: 1 << 20)
        history.restart()
        let start = history.lastNumber
        for _ in 0..<16 {
            history.append(
                EventSubject(kind: .pass), reply: [UInt8](repeating: 32, count: 1 << 20))
        }
        #expect(Self.numbers(history, after: start) == [start + 1])
    }

    @Test func `positions from before a restart are gone`() {
        var history = Self.history(3)
        history.restart()
        #expect(Self.numbers(history, after: 3) == nil)
        #expect(Self.numbers(history, after: history.lastNumber) == [])
        history.append(EventSubject(kind: .pass), reply: [32])
        #expect(Self.numbers(history, after: 3) == nil)
        #expect(Self.numbers(history, after: 4) == [5])
    }

    @Test func `one byte above the limit drops the oldest event`() {
        var history = Self.history(16, bytes: EventHistory.maximumBytes / 16)
        #expect(Self.numbers(history, after: 0) == [1])
        history.append(EventSubject(kind: .pass), reply: [32])
        #expect(Self.numbers(history, after: 0) == nil)
        #expect(Self.numbers(history, after: 1) == [2])
    }
}
