import Synchronization

/// Where events wait to be taken: one for each target, into which later ones of it are merged.
final class EventMailbox: Sendable {
    private struct State {
        /// The targets with an event, in the order in which their first one came.
        var order: [FileTarget] = []
        var events: [FileTarget: FileEvent] = [:]
    }

    private let state = Mutex(State())
    private let signal: AsyncStream<Void>.Continuation

    /// - Parameter signal: told after an event was put, and at the end.
    init(signal: AsyncStream<Void>.Continuation) { self.signal = signal }

    /// Adds an event to what waits.
    func put(_ event: FileEvent) {
        state.withLock { state in
            guard var waiting = state.events[event.target] else {
                state.order.append(event.target)
                state.events[event.target] = event
                return
            }
            waiting.changes.formUnion(event.changes)
            waiting.failure = event.failure
            state.events[event.target] = waiting
        }
        signal.yield()
    }

    /// Takes the event that waits longest; nil if none does.
    func take() -> FileEvent? {
        state.withLock { state in
            guard !state.order.isEmpty else { return nil }
            return state.events.removeValue(forKey: state.order.removeFirst())
        }
    }

    /// Lets nothing more come.
    func end() { signal.finish() }
}
