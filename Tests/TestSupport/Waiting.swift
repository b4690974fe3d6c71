import Synchronization

/// A state that several tasks change. A test can wait for a change.
package final class AwaitableState<State: Sendable>: Sendable {
    private struct Waiter {
        var number: Int
        var condition: @Sendable (State) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct Content {
        var state: State
        var waiters: [Waiter] = []
        var lastNumber = 0
        var cancelled: Set<Int> = []
    }

    private let content: Mutex<Content>

    /// Creates an instance with an initial state.
    package init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    /// The current state.
    package var state: State { content.withLock { $0.state } }

    /// Changes the state, then resumes the tasks whose condition holds.
    ///
    /// Tasks are resumed after the lock is released. A task that is being cancelled cannot be resumed until its
    /// cancellation handler returns, and that handler acquires the lock.
    @discardableResult
    package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, ready) = content.withLock { content in
            let result = body(&content.state)
            let waiters = content.waiters
            content.waiters = waiters.filter { !$0.condition(content.state) }
            return (result, waiters.filter { $0.condition(content.state) })
        }
        for waiter in ready { waiter.continuation.resume() }
        return result
    }

    /// Waits until a condition holds, or until the task is cancelled, for example because the time limit of a test has
    /// expired.
    package func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        let number = content.withLock { content in
            content.lastNumber += 1
            return content.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = content.withLock { content in
                    let isCancelled = content.cancelled.remove(number) != nil
                    if isCancelled || condition(content.state) { return true }
                    content.waiters.append(
                        Waiter(number: number, condition: condition, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = content.withLock { content -> Waiter? in
                guard let index = content.waiters.firstIndex(where: { $0.number == number }) else {
                    content.cancelled.insert(number)
                    return nil
                }
                return content.waiters.remove(at: index)
            }
            waiter?.continuation.resume()
        }
    }
}

/// A signal that is sent once. Tests and tasks can wait for it.
package final class Signal: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    package init() {}

    /// Sends the signal, which resumes all current and future waiters.
    package func send() { continuation.finish() }

    /// Waits until the signal is sent or the task is cancelled.
    package func wait() async {
        for await _ in stream {}
    }
}

/// Lets other tasks run until a condition holds. Use this function if no notification for the condition exists.
///
/// - Parameters:
///   - expected: A description of the condition for the error.
///   - condition: A closure that is called after other tasks have run.
/// - Throws: ``ConditionNeverMet`` after a million calls, and any error that the closure throws.
package func waitUntil(
    _ expected: String, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<1_000_000 {
        if try await condition() { return }
        await Task.yield()
    }
    throw ConditionNeverMet(expected: expected)
}

/// Error for a condition that was never met.
package struct ConditionNeverMet: Error, CustomStringConvertible {
    /// Description of the condition.
    package let expected: String

    /// A sentence that describes the error.
    package var description: String { "It never happened that \(expected)." }
}
