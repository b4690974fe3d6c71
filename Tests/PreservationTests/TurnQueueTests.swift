import Testing

@testable import Preservation

@Suite struct TurnQueueTests {
    @Test func `P14: a turn takes at most 64 commands, those that waited longest first`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<130 { queue.append(number) }
        #expect(queue.takeTurn() == Array(0..<64))
        queue.append(130)
        #expect(queue.takeTurn() == Array(64..<128))
        #expect(!queue.isEmpty)
        #expect(queue.takeTurn() == [128, 129, 130])
        #expect(queue.isEmpty)
        #expect(queue.takeTurn() == [])
    }

    @Test func `there is room for 8,192 commands`() {
        var queue = TurnQueue<Int, String>()
        for number in 0..<8191 { queue.append(number) }
        #expect(queue.hasRoom)
        queue.append(8191)
        #expect(!queue.hasRoom)
        _ = queue.takeTurn()
        #expect(queue.hasRoom)
    }

    @Test func `an interval is the reason of one turn`() {
        var queue = TurnQueue<Int, String>()
        #expect(queue.takeReason() == .commands)
        queue.markInterval()
        queue.markInterval()
        #expect(queue.takeReason() == .interval)
        #expect(queue.takeReason() == .commands)
    }
}
