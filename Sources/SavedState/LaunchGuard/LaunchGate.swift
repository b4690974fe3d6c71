import Synchronization

/// Gate that lets the applications in a process launch scenes one at a time (L2), in the order of their requests.
package final class LaunchGate: Sendable {
    private struct State {
        var holdingTicket: ObjectIdentifier?
        var waitingRequests: [(ticket: ObjectIdentifier, wake: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    /// Creates an open gate.
    package init() {}

    /// Creates a ticket for an application. Releasing the last reference to the ticket calls ``Ticket/release()``.
    package func makeTicket() -> Ticket { Ticket(of: self) }

    /// Object that an application uses to request and give up the right to pass the gate.
    package final class Ticket: Sendable {
        private let gate: LaunchGate

        fileprivate init(of gate: LaunchGate) { self.gate = gate }

        deinit { release() }

        /// Requests the right to pass the gate, and returns whether the application may launch a scene now.
        ///
        /// - Parameter wake: Closure that is called once, on any thread, when the application may launch a scene. The
        ///   closure is not called if the method returns `true`.
        package func acquire(_ wake: @escaping @Sendable () -> Void) -> Bool {
            let ticket = ObjectIdentifier(self)
            return gate.state.withLock { state in
                if state.holdingTicket == nil { state.holdingTicket = ticket }
                if state.holdingTicket == ticket { return true }
                if !state.waitingRequests.contains(where: { $0.ticket == ticket }) {
                    state.waitingRequests.append((ticket, wake))
                }
                return false
            }
        }

        /// Gives up the right to pass the gate, or the request for it. Call this function when the application is
        /// neither launching a scene nor waiting to launch one.
        package func release() {
            let ticket = ObjectIdentifier(self)
            let wake: (@Sendable () -> Void)? = gate.state.withLock { state in
                guard state.holdingTicket == ticket else {
                    state.waitingRequests.removeAll { $0.ticket == ticket }
                    return nil
                }
                let nextRequest =
                    state.waitingRequests.isEmpty ? nil : state.waitingRequests.removeFirst()
                state.holdingTicket = nextRequest?.ticket
                return nextRequest?.wake
            }
            wake?()
        }
    }
}
