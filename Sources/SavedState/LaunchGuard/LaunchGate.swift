import Synchronization

/// Lets one scene of the whole process be launched at a time (L2), those first that asked first.
package final class LaunchGate: Sendable {
    private struct State {
        var holder: UInt64?
        var waiting: [(number: UInt64, wake: @Sendable () -> Void)] = []
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A gate that is open.
    package init() {}

    /// What an application stands at the gate with; given back when it goes away.
    package func makeTicket() -> Ticket {
        Ticket(
            state.withLock { state in
                state.last += 1
                return state.last
            }, of: self)
    }

    /// One application's place at the gate.
    package final class Ticket: Sendable {
        private let number: UInt64
        private let gate: LaunchGate

        fileprivate init(_ number: UInt64, of gate: LaunchGate) {
            self.number = number
            self.gate = gate
        }

        deinit {
            giveBack()
        }

        /// Whether a scene of this application may be launched now.
        ///
        /// - Parameter wake: called once, on any thread, when one may be that may not now; ask again
        ///   then.
        package func take(_ wake: @escaping @Sendable () -> Void) -> Bool {
            gate.take(number, wake)
        }

        /// No scene of this application is being launched, nor waits for it. Does nothing if none was.
        package func giveBack() {
            gate.giveBack(number)
        }
    }

    private func take(_ number: UInt64, _ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.holder == nil { state.holder = number }
            if state.holder == number { return true }
            if !state.waiting.contains(where: { $0.number == number }) {
                state.waiting.append((number, wake))
            }
            return false
        }
    }

    private func giveBack(_ number: UInt64) {
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            guard state.holder == number else {
                state.waiting.removeAll { $0.number == number }
                return nil
            }
            guard !state.waiting.isEmpty else {
                state.holder = nil
                return nil
            }
            let next = state.waiting.removeFirst()
            state.holder = next.number
            return next.wake
        }
        wake?()
    }
}
