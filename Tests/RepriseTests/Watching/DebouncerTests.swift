import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct DebouncerTests {
    @Test func `events during the delay cause one call, and events during the call cause one more`()
        async throws
    {
        let debounce = EventCoalescer()
        let clock = ImmediateClock()
        // Three events occur during each period.
        clock.onSleep = { for _ in 1...3 { debounce.recordEvent() } }
        let (calls, feed) = AsyncStream.makeStream(of: Int.self)
        let running = Task {
            var count = 0
            await debounce.run(for: .seconds(1), on: clock) {
                count += 1
                if count == 1 { debounce.recordEvent() }
                feed.yield(count)
                if count == 2 { feed.finish() }
            }
        }
        debounce.recordEvent()
        var received: [Int] = []
        for await call in calls { received.append(call) }
        #expect(received == [1, 2])
        running.cancel()
        await running.value
    }
}
