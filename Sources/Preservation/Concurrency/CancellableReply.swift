import Synchronization

/// Reply to a waiting task. Cancelling the task ends the wait.
final class CancellableReply<Answer: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Answer, any Error>)
        case finished(isCancelled: Bool)
    }

    private let state = Mutex(State.new)

    /// Whether the task was cancelled before the reply arrived.
    var isCancelled: Bool {
        state.withLock { if case .finished(isCancelled: true) = $0 { true } else { false } }
    }

    /// Sends the reply, unless the task was cancelled.
    func send(_ result: Result<Answer, any Error>) {
        finish(isCancelled: false)?.resume(with: result)
    }

    /// Waits for the reply.
    ///
    /// - Parameter request: A closure that requests the reply. It is not called if the task has already been cancelled.
    /// - Throws: `CancellationError` if the task is cancelled before the reply arrives, or the error in the reply.
    func wait(
        isolation: isolated (any Actor)? = #isolation, _ request: () -> Void
    ) async throws -> Answer {
        try await withTaskCancellationHandler {
            // Without this capture, the closure would leave the caller's executor and return to it later.
            _ = isolation
            return try await withCheckedThrowingContinuation { continuation in
                let isNew = state.withLock { state in
                    guard case .new = state else { return false }
                    state = .waiting(continuation)
                    return true
                }
                if isNew { request() } else { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            finish(isCancelled: true)?.resume(throwing: CancellationError())
        }
    }

    /// Ends the wait.
    ///
    /// - Returns: The continuation to resume, or `nil` if the task is not waiting.
    private func finish(isCancelled: Bool) -> CheckedContinuation<Answer, any Error>? {
        state.withLock { state in
            defer {
                if case .finished = state {} else { state = .finished(isCancelled: isCancelled) }
            }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
    }
}
