import Synchronization

/// Lets one scene of the whole process be launched at a time (L2), those first that asked first.
package final class LaunchGate: Sendable {
    private struct State {
        var holder: ObjectIdentifier?
        var waiting: [(ticket: ObjectIdentifier, wake: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    /// A gate that is open.
    package init() {}

    /// What an application stands at the gate with; given back when it goes away.
    package func makeTicket() -> Ticket { Ticket(of: self) }

    /// One application's place at the gate.
    package final class Ticket: Sendable {
        private let gate: LaunchGate

        fileprivate init(of gate: LaunchGate) { self.gate = gate }

        deinit { giveBack() }

        /// Whether a scene of this application may be launched now.
        ///
        /// - Parameter wake: called once, on any thread, when to ask again.
        package func take(_ wake: @escaping @Sendable () -> Void) -> Bool {
            let ticket = ObjectIdentifier(self)
            return gate.state.withLock { state in
                if state.holder == nil { state.holder = ticket }
                if state.holder == ticket { return true }
                if !state.waiting.contains(where: { $0.ticket == ticket }) {
                    state.waiting.append((ticket, wake))
                }
                return false
            }
        }

        /// No scene of this application is being launched, or waits for it, any more.
        package func giveBack() {
            let ticket = ObjectIdentifier(self)
            let wake: (@Sendable () -> Void)? = gate.state.withLock { state in
                guard state.holder == ticket else {
                    state.waiting.removeAll { $0.ticket == ticket }
                    return nil
                }
                let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                state.holder = next?.ticket
                return next?.wake
            }
            wake?()
        }
    }
}
