import StateRestoration
import Testing

@testable import Preservation

@Suite struct TurnQueueTests {
    @Test func `P14: a turn takes at most 64 commands, those that waited longest first`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<130 { queue.append(number) }
        #expect(queue.popTurn() == Array(0..<64))
        queue.append(130)
        #expect(queue.popTurn() == Array(64..<128))
        #expect(!queue.isEmpty)
        #expect(queue.popTurn() == [128, 129, 130])
        #expect(queue.isEmpty)
        #expect(queue.popTurn() == [])
    }

    @Test func `there is room for 65,536 commands`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<65535 { queue.append(number) }
        #expect(queue.hasRoom)
        queue.append(65535)
        #expect(!queue.hasRoom)
        _ = queue.popTurn()
        #expect(queue.hasRoom)
    }

    @Test func `an interval is the reason of one turn`() {
        var queue = TurnQueue<Int, String>()
        #expect(queue.popReason() == .commands)
        queue.mark(.interval)
        queue.mark(.interval)
        #expect(queue.popReason() == .interval)
        #expect(queue.popReason() == .commands)
    }

    @Test func `a turn ends behind a command that ends it`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<5 { queue.append(number) }
        #expect(queue.popTurn { $0 == 1 } == [0, 1])
        #expect(queue.popTurn { $0 == 9 } == [2, 3, 4])
    }

    @Test func `P18: the turn for the history looks at everything, and goes before the interval`() {
        var queue = TurnQueue<Int, String>()
        queue.mark(.interval)
        queue.mark(.history)
        queue.mark(.interval)
        let reason = queue.popReason()
        #expect(reason == .history)
        #expect(reason.scope == .everything(snapshot: true))
        #expect(queue.popReason() == .commands)
    }

    @Test func `all commands are removed together, also those that wait for different keys`() {
        var queue = TurnQueue<Int, String>()
        queue.append(3)
        queue.postpone(1, until: "a")
        queue.postpone(2, until: "b")
        #expect(queue.popAll().sorted() == [1, 2, 3])
        #expect(queue.popAll() == [])
        #expect(queue.isEmpty)
    }

    @Test
    func `what is postponed waits apart, and comes back before everything else, in its order`() {
        var queue = TurnQueue<Int, String>()
        queue.postpone(1, until: "a")
        queue.postpone(2, until: "b")
        queue.postpone(3, until: "a")
        queue.append(4)
        #expect(queue.popTurn() == [4])
        #expect(queue.isEmpty)
        queue.append(5)
        queue.resume("a")
        #expect(queue.popTurn() == [1, 3, 5])
        #expect(queue.popPostponed("b") == [2])
        #expect(queue.popPostponed("b") == [])
    }

    @Test func `what is postponed counts among what waits`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<65535 { queue.postpone(number, until: "a") }
        queue.append(65535)
        #expect(!queue.hasRoom)
        #expect(queue.popAll().count == 65536)
        #expect(queue.isEmpty)
        for number in 0..<65535 { queue.append(number) }
        #expect(queue.hasRoom)
    }
}
