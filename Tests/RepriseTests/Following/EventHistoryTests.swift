import RepriseControl
import Testing

@testable import Reprise

@Suite struct EventHistoryTests {
    private static func numbers(_ history: EventHistory, after number: Int) -> [Int]? {
        switch history.events(after: number) {
        case .events(let entries): entries.map(\.number)
        case .none: []
        case .gone: nil
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

    @Test func `what follows an event is handed out in order, some at a time`() {
        let history = Self.history(600)
        #expect(Self.numbers(history, after: 600) == [])
        #expect(Self.numbers(history, after: 599) == [600])
        #expect(Self.numbers(history, after: 0) == Array(1...EventHistory.maximumBatch))
    }

    @Test func `no more bytes are handed out together than a client is to have at once`() {
        let bytes = EventHistory.maximumBatchBytes / 4
        #expect(Self.numbers(Self.history(9, bytes: bytes), after: 0) == [1, 2, 3, 4])
        #expect(Self.numbers(Self.history(9, bytes: bytes + 1), after: 0) == [1, 2, 3])
        #expect(Self.numbers(Self.history(9, bytes: 5 * bytes), after: 3) == [4])
        var history = Self.history(3, bytes: bytes)
        history.append(
            EventSubject(kind: .pass), reply: [UInt8](repeating: 32, count: bytes + 1))
        #expect(Self.numbers(history, after: 0) == [1, 2, 3])
    }

    @Test func `numbers that were never given are gone`() {
        #expect(Self.numbers(Self.history(3), after: 4) == nil)
        #expect(Self.numbers(Self.history(3), after: -1) == nil)
        #expect(Self.numbers(Self.history(0), after: 0) == [])
    }

    @Test func `the oldest are forgotten, by number and by bytes`() {
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

    @Test func `a long life keeps no more than what is remembered`() {
        var history = EventHistory()
        for number in 1...(5 * EventHistory.maximumEvents) {
            history.append(EventSubject(kind: .pass), reply: [32])
            if number.isMultiple(of: 9973) {
                #expect(Self.numbers(history, after: number - 1) == [number])
            }
        }
    }

    @Test func `what was remembered before a new beginning takes no room after it`() {
        var history = Self.history(16, bytes: 1 << 20)
        history.restart()
        let start = history.last
        for _ in 0..<16 {
            history.append(
                EventSubject(kind: .pass), reply: [UInt8](repeating: 32, count: 1 << 20))
        }
        #expect(Self.numbers(history, after: start) == [start + 1])
    }

    @Test func `nobody goes on where it was begun anew`() {
        var history = Self.history(3)
        history.restart()
        #expect(Self.numbers(history, after: 3) == nil)
        #expect(Self.numbers(history, after: history.last) == [])
        history.append(EventSubject(kind: .pass), reply: [32])
        #expect(Self.numbers(history, after: 3) == nil)
        #expect(Self.numbers(history, after: 4) == [5])
    }
}
