import Synchronization
import Testing

@testable import Preservation

@Suite(.timeLimit(.minutes(10))) struct BroadcastTests {
    @Test func `each listener receives several sends as one event and ends with the broadcast`()
        async
    {
        let broadcast = Broadcast()
        var streams = [broadcast.subscribe(), broadcast.subscribe(), broadcast.subscribe()]
        broadcast.send()
        broadcast.send()
        streams += [broadcast.subscribe(deliversInitialEvent: true), broadcast.subscribe()]
        broadcast.finish()
        streams += [broadcast.subscribe(deliversInitialEvent: true), broadcast.subscribe()]
        broadcast.send()
        var counts: [Int] = []
        for stream in streams {
            var count = 0
            for await _ in stream { count += 1 }
            counts.append(count)
        }
        #expect(counts == [1, 1, 1, 1, 0, 1, 0])
    }

    @Test func `every observer is called synchronously at each send`() {
        let broadcast = Broadcast()
        let sends = Atomic(0)
        let otherSends = Atomic(0)
        broadcast.observe { sends.add(1, ordering: .relaxed) }
        broadcast.observe { otherSends.add(1, ordering: .relaxed) }
        #expect(sends.load(ordering: .relaxed) == 0)
        broadcast.send()
        broadcast.send()
        #expect(sends.load(ordering: .relaxed) == 2)
        broadcast.finish()
        broadcast.send()
        #expect(sends.load(ordering: .relaxed) == 3)
        #expect(otherSends.load(ordering: .relaxed) == 3)
    }
}
