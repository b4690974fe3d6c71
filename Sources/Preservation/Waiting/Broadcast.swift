import Synchronization

/// Wakes any number of tasks when new data is available.
package final class Broadcast: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var observers: [@Sendable () -> Void] = []
        var next = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Creates a broadcast without listeners.
    package init() {}

    /// Returns a stream that delivers one event for any number of sends since the last event.
    ///
    /// The stream ends with the broadcast or with the task.
    ///
    /// - Parameter deliversInitialEvent: Whether the stream delivers an event at once.
    package func subscribe(deliversInitialEvent: Bool = false) -> AsyncStream<Void> {
        let (events, listener) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        if deliversInitialEvent { listener.yield() }
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

    /// Calls a function at each send, on the thread of the sender, for as long as the broadcast exists.
    ///
    /// Unlike a stream, the function wakes no task. It must return quickly.
    package func observe(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    /// Wakes all listeners.
    package func send() {
        let (listeners, observers) = state.withLock { ($0.listeners, $0.observers) }
        for listener in listeners.values { listener.yield() }
        for observer in observers { observer() }
    }

    /// Ends the streams of all listeners.
    package func finish() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
