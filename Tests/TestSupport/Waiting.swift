import Synchronization

/// A state that several tasks change, and whose changes a test awaits.
package final class Awaited<State: Sendable>: Sendable {
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

    /// Begins with a state.
    package init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    /// The state as it is now.
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

    /// Returns when a condition holds, at once if it does, or when the task is cancelled, as a
    /// test's is when its time is over.
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

/// Something that happens once, and that a test or a task waits for.
package final class Signal: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    package init() {}

    /// Lets everybody go on who waits, or will.
    package func send() { continuation.finish() }

    /// Returns when it was sent, or when the task is cancelled.
    package func wait() async {
        for await _ in stream {}
    }
}

/// Lets other tasks run until a condition holds of which nothing tells.
///
/// - Parameters:
///   - expected: what the condition says, for the error.
///   - condition: asked again each time that other tasks have had a turn.
/// - Throws: ``NeverHappened`` after a million turns, and what the condition throws.
package func waitUntil(
    _ expected: String, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<1_000_000 {
        if try await condition() { return }
        await Task.yield()
    }
    throw NeverHappened(expected: expected)
}

/// A condition that did not come to hold.
package struct NeverHappened: Error, CustomStringConvertible {
    /// What the condition says.
    package let expected: String

    /// A sentence.
    package var description: String { "It never happened that \(expected)." }
}
