import SavedState
import Synchronization
import Testing

@Suite struct LaunchGateTests {
    /// Applications that were woken, in order.
    private final class WakeLog: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func wake(_ name: String) -> @Sendable () -> Void {
            { self.names.withLock { $0.append(name) } }
        }
    }

    @Test
    func `L2: the gate admits one ticket at a time, and the ticket that waited longest is next`() {
        let gate = LaunchGate()
        let log = WakeLog()
        let (first, second, third) = (gate.makeTicket(), gate.makeTicket(), gate.makeTicket())
        #expect(first.acquire(log.wake("first")))
        #expect(first.acquire(log.wake("first")))
        #expect(!second.acquire(log.wake("second")))
        #expect(!third.acquire(log.wake("third")))
        #expect(!second.acquire(log.wake("again")))
        #expect(log.all == [])
        first.release()
        #expect(log.all == ["second"])
        #expect(!first.acquire(log.wake("first")))
        #expect(!third.acquire(log.wake("third")))
        #expect(second.acquire(log.wake("second")))
        second.release()
        third.release()
        #expect(log.all == ["second", "third", "first"])
        #expect(first.acquire(log.wake("first")))
    }

    @Test func `a waiting ticket that is given back or deallocated is skipped`() {
        let gate = LaunchGate()
        let log = WakeLog()
        let (first, second, third) = (gate.makeTicket(), gate.makeTicket(), gate.makeTicket())
        #expect(first.acquire(log.wake("first")))
        #expect(!second.acquire(log.wake("second")))
        var gone: LaunchGate.Ticket? = gate.makeTicket()
        #expect(gone?.acquire(log.wake("gone")) == false)
        #expect(!third.acquire(log.wake("third")))
        gone = nil
        second.release()
        first.release()
        #expect(log.all == ["third"])
        third.release()
        #expect(second.acquire(log.wake("second")))
    }
}
