import Dispatch
import Synchronization

/// Sends messages in order on a thread of its own, so that nobody else waits for a receiver that does not read.
final class SendingThread<Message: Sendable>: Sendable {
    private struct State {
        var waiting: ArraySlice<Message> = []
        /// Whether the thread sends, or is about to.
        var isSending = false
    }

    private let send: @Sendable (Message) -> Void
    private let thread: DispatchQueue
    private let state = Mutex(State())

    /// - Parameters:
    ///   - label: The thread's name in a debugger.
    ///   - send: Sends a message. It may take as long as it likes.
    init(label: String, send: @escaping @Sendable (Message) -> Void) {
        self.send = send
        thread = DispatchQueue(label: label)
    }

    /// Changes the messages that wait, and does not wait until they are sent.
    ///
    /// - Returns: Whether no message was being sent before.
    @discardableResult
    func change(_ body: (inout ArraySlice<Message>) -> Void) -> Bool {
        let wasIdle = state.withLock { state in
            body(&state.waiting)
            guard !state.isSending, !state.waiting.isEmpty else { return false }
            state.isSending = true
            return true
        }
        if wasIdle { thread.async { self.sendAll() } }
        return wasIdle
    }

    /// Returns when all messages so far are sent, or after a time.
    ///
    /// - Returns: `false` if the time was over first.
    func flush(within time: Duration) -> Bool {
        guard state.withLock({ $0.isSending }) else { return true }
        let end = DispatchSemaphore(value: 0)
        thread.async { end.signal() }
        let milliseconds = time / .milliseconds(1)
        return end.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success
    }

    private func sendAll() {
        while let message = next() { send(message) }
    }

    private func next() -> Message? {
        state.withLock { state in
            let message = state.waiting.popFirst()
            if message == nil { state.isSending = false }
            return message
        }
    }
}
