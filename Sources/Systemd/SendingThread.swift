import Dispatch
import Synchronization

/// A thread that sends messages in order, so that no other thread has to wait for a slow receiver.
final class SendingThread<Message: Sendable>: Sendable {
    private struct State {
        var waitingMessages: ArraySlice<Message> = []
        /// Whether the thread is sending or is about to send.
        var isSending = false
    }

    private let send: @Sendable (Message) -> Void
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// Creates an idle thread.
    ///
    /// - Parameters:
    ///   - label: The thread's name in a debugger.
    ///   - send: A closure that sends a message. It may block indefinitely.
    init(label: String, send: @escaping @Sendable (Message) -> Void) {
        self.send = send
        queue = DispatchQueue(label: label)
    }

    /// Changes the list of queued messages, without waiting until they have been sent.
    ///
    /// - Returns: Whether the thread was idle and now has messages to send.
    @discardableResult
    func updateQueue(_ body: (inout ArraySlice<Message>) -> Void) -> Bool {
        let wasIdle = state.withLock { state in
            body(&state.waitingMessages)
            guard !state.isSending, !state.waitingMessages.isEmpty else { return false }
            state.isSending = true
            return true
        }
        if wasIdle { queue.async { self.sendAll() } }
        return wasIdle
    }

    /// Waits until all messages added so far have been sent, or until a timeout expires.
    ///
    /// - Returns: `false` if the timeout expired first.
    func flush(within timeout: Duration) -> Bool {
        guard state.withLock({ $0.isSending }) else { return true }
        let completion = DispatchSemaphore(value: 0)
        queue.async { completion.signal() }
        let milliseconds = timeout / .milliseconds(1)
        return completion.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success
    }

    private func sendAll() {
        while let message = popMessage() { send(message) }
    }

    private func popMessage() -> Message? {
        state.withLock { state in
            let message = state.waitingMessages.popFirst()
            if message == nil { state.isSending = false }
            return message
        }
    }
}
