import StateRestoration
import Testing

@testable import Preservation

@Suite struct TurnQueueTests {
    @Test func `P14: a turn takes at most 64 commands, oldest first`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<130 { queue.append(number) }
        #expect(queue.popTurnCommands() == Array(0..<64))
        queue.append(130)
        #expect(queue.popTurnCommands() == Array(64..<128))
        #expect(!queue.isEmpty)
        #expect(queue.popTurnCommands() == [128, 129, 130])
        #expect(queue.isEmpty)
        #expect(queue.popTurnCommands() == [])
    }

    @Test func `the queue has room for 65,536 commands`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<65535 { queue.append(number) }
        #expect(queue.hasRoom)
        queue.append(65535)
        #expect(!queue.hasRoom)
        _ = queue.popTurnCommands()
        #expect(queue.hasRoom)
    }

    @Test func `an interval is the reason for only one turn`() {
        var queue = TurnQueue<Int, String>()
        #expect(queue.popTurnReason() == .commands)
        queue.markDue(.interval)
        queue.markDue(.interval)
        #expect(queue.popTurnReason() == .interval)
        #expect(queue.popTurnReason() == .commands)
    }

    @Test func `a turn ends after a command that ends it`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<5 { queue.append(number) }
        #expect(queue.popTurnCommands { $0 == 1 } == [0, 1])
        #expect(queue.popTurnCommands { $0 == 9 } == [2, 3, 4])
    }

    @Test func `P18: a history turn covers everything and takes precedence over an interval turn`()
    {
        var queue = TurnQueue<Int, String>()
        queue.markDue(.interval)
        queue.markDue(.history)
        queue.markDue(.interval)
        let reason = queue.popTurnReason()
        #expect(reason == .history)
        #expect(reason.scope == .everything(snapshot: true))
        #expect(queue.popTurnReason() == .commands)
    }

    @Test func `all commands are removed together, including those postponed for different keys`() {
        var queue = TurnQueue<Int, String>()
        queue.append(3)
        queue.postpone(1, until: "a")
        queue.postpone(2, until: "b")
        #expect(queue.popAllCommands().sorted() == [1, 2, 3])
        #expect(queue.popAllCommands() == [])
        #expect(queue.isEmpty)
    }

    @Test
    func `postponed commands resume in order, before all other commands`() {
        var queue = TurnQueue<Int, String>()
        queue.postpone(1, until: "a")
        queue.postpone(2, until: "b")
        queue.postpone(3, until: "a")
        queue.append(4)
        #expect(queue.popTurnCommands() == [4])
        #expect(queue.isEmpty)
        queue.append(5)
        queue.resume("a")
        #expect(queue.popTurnCommands() == [1, 3, 5])
        #expect(queue.popPostponedCommands("b") == [2])
        #expect(queue.popPostponedCommands("b") == [])
    }

    @Test func `postponed commands count toward the queue limit`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<65535 { queue.postpone(number, until: "a") }
        queue.append(65535)
        #expect(!queue.hasRoom)
        #expect(queue.popAllCommands().count == 65536)
        #expect(queue.isEmpty)
        for number in 0..<65535 { queue.append(number) }
        #expect(queue.hasRoom)
    }
}
