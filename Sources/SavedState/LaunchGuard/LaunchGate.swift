import Synchronization

/// Gate that allows only one scene in the whole process to be launched at a time (L2), in the order of the requests.
package final class LaunchGate: Sendable {
    private struct State {
        var holder: ObjectIdentifier?
        var waiting: [(ticket: ObjectIdentifier, wake: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    /// Creates an open gate.
    package init() {}

    /// Creates a ticket for an application. Releasing the last reference gives the ticket back.
    package func makeTicket() -> Ticket { Ticket(of: self) }

    /// Right of one application to pass the gate.
    package final class Ticket: Sendable {
        private let gate: LaunchGate

        fileprivate init(of gate: LaunchGate) { self.gate = gate }

        deinit { giveBack() }

        /// Returns whether a scene of this application may be launched now.
        ///
        /// - Parameter wake: Called once, on any thread, when the caller should try again.
        package func acquire(_ wake: @escaping @Sendable () -> Void) -> Bool {
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

        /// Gives the ticket back when this application neither launches a scene nor waits to launch one.
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
