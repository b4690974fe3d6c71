import SavedState
import Synchronization
import Testing

@Suite struct LaunchGateTests {
    /// Applications that were woken, in order.
    private final class Woken: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func wake(_ name: String) -> @Sendable () -> Void {
            { self.names.withLock { $0.append(name) } }
        }
    }

    @Test func `L2: the gate admits one ticket at a time, and the ticket that waited longest is next`() {
        let gate = LaunchGate()
        let woken = Woken()
        let (first, second, third) = (gate.makeTicket(), gate.makeTicket(), gate.makeTicket())
        #expect(first.acquire(woken.wake("first")))
        #expect(first.acquire(woken.wake("first")))
        #expect(!second.acquire(woken.wake("second")))
        #expect(!third.acquire(woken.wake("third")))
        #expect(!second.acquire(woken.wake("again")))
        #expect(woken.all == [])
        first.release()
        #expect(woken.all == ["second"])
        #expect(!first.acquire(woken.wake("first")))
        #expect(!third.acquire(woken.wake("third")))
        #expect(second.acquire(woken.wake("second")))
        second.release()
        third.release()
        #expect(woken.all == ["second", "third", "first"])
        #expect(first.acquire(woken.wake("first")))
    }

    @Test func `a waiting ticket that is given back or deallocated is skipped`() {
        let gate = LaunchGate()
        let woken = Woken()
        let (first, second, third) = (gate.makeTicket(), gate.makeTicket(), gate.makeTicket())
        #expect(first.acquire(woken.wake("first")))
        #expect(!second.acquire(woken.wake("second")))
        var gone: LaunchGate.Ticket? = gate.makeTicket()
        #expect(gone?.acquire(woken.wake("gone")) == false)
        #expect(!third.acquire(woken.wake("third")))
        gone = nil
        second.release()
        first.release()
        #expect(woken.all == ["third"])
        third.release()
        #expect(second.acquire(woken.wake("second")))
    }
}
