import Synchronization

/// Wakes any number of tasks when there is something new to look at.
package final class Broadcast: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Nobody listens yet.
    package init() {}

    /// Delivers one event however often something was sent since the last one, and ends with the
    /// broadcast, or with the task.
    ///
    /// - Parameter isTold: whether it is told at once that there is something to look at.
    package func subscribe(isTold: Bool = false) -> AsyncStream<Void> {
        let (events, listener) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        if isTold { listener.yield() }
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
        guard let number else {
            listener.finish()
            return events
        }
        listener.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return events
    }

    /// There is something new to look at.
    package func send() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }

    /// Nothing comes any more.
    package func finish() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
