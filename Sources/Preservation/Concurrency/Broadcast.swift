import Synchronization

/// Signal that wakes any number of tasks and calls any number of observers.
package final class Broadcast: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var observers: [@Sendable () -> Void] = []
        var lastListenerNumber = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Creates a broadcast without listeners.
    package init() {}

    /// Returns a stream that delivers an event after each call to ``send()``.
    ///
    /// Events that are sent while the consumer is busy are merged into one event. The stream ends when the broadcast is
    /// finished or the consuming task is cancelled.
    ///
    /// - Parameter deliversInitialEvent: Whether the stream begins with an event.
    package func subscribe(deliversInitialEvent: Bool = false) -> AsyncStream<Void> {
        let (events, listener) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        if deliversInitialEvent { listener.yield() }
        let listenerNumber: Int? = state.withLock { state in
            if state.isFinished { return nil }
            state.lastListenerNumber += 1
            state.listeners[state.lastListenerNumber] = listener
            return state.lastListenerNumber
        }
        guard let listenerNumber else {
            listener.finish()
            return events
        }
        listener.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: listenerNumber) }
        }
        return events
    }

    /// Registers a function that is called on the sender's thread each time an event is sent, for as long as the
    /// broadcast exists.
    ///
    /// Unlike receiving from a stream, calling the function does not wake a task. The function must return quickly.
    package func observe(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    /// Sends an event to all streams and calls all observers.
    package func send() {
        let (listeners, observers) = state.withLock { ($0.listeners, $0.observers) }
        for listener in listeners.values { listener.yield() }
        for observer in observers { observer() }
    }

    /// Finishes all streams. Streams that are created afterwards finish immediately.
    package func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
