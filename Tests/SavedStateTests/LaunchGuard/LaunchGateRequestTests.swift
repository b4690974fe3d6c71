import SavedState
import Synchronization
import Testing

/// Tests of requests that are repeated while a ticket waits.
@Suite struct LaunchGateRequestTests {
    @Test func `L2: a ticket that requests repeatedly is woken once, even if others wait longer`() {
        let gate = LaunchGate()
        let woken = Mutex<[String]>([])
        let (first, second, third) = (gate.makeTicket(), gate.makeTicket(), gate.makeTicket())
        let isAdmitted = [
            first.acquire {}, second.acquire { woken.withLock { $0.append("second") } },
            third.acquire { woken.withLock { $0.append("third") } },
            third.acquire { woken.withLock { $0.append("again") } },
        ]
        #expect(isAdmitted == [true, false, false, false])
        for ticket in [first, second, third] { ticket.release() }
        let all = woken.withLock { $0 }
        #expect(all == ["second", "third"])
    }
}
