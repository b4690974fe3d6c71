import TestSupport
import Testing

@testable import Preservation

@Suite struct BroadcastListenersTests {
    @Test func `the end of one listener does not affect another listener`() async throws {
        let broadcast = Broadcast()
        let (first, second) = (broadcast.subscribe(), broadcast.subscribe())
        let ending = Task { for await _ in first {} }
        ending.cancel()
        await ending.value
        let count = AwaitableState(0)
        let listening = Task { for await _ in second { count.change { $0 += 1 } } }
        broadcast.send()
        try await waitUntil("the second listener receives the event") { count.state == 1 }
        listening.cancel()
        await listening.value
    }
}
