/// Callers of an actor that wait until a condition holds.
struct Waiters {
    private var waiting: [(isSo: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// Adds a caller.
    ///
    /// - Parameter isSo: Returns whether the caller's condition holds.
    mutating func append(
        _ isSo: @escaping () -> Bool, _ continuation: CheckedContinuation<Void, Never>
    ) {
        waiting.append((isSo, continuation))
    }

    /// Resumes the callers whose condition holds. They run later and check their condition again.
    mutating func resume() {
        if waiting.isEmpty { return }
        let looking = waiting
        waiting = []
        for waiter in looking {
            if waiter.isSo() { waiter.continuation.resume() } else { waiting.append(waiter) }
        }
    }
}

/// Running tasks that objects of scenes have requested (S4).
struct RunningTasks {
    /// Maximum time that a stopping application waits for tasks that ignore their cancellation.
    static let patience = Duration.seconds(1)

    private var count = 0
    private var isGivenUp = false

    /// Whether the application no longer has to wait for tasks.
    var areOver: Bool { !isAnyRunning || isGivenUp }

    /// Whether a task is running or waiting to run.
    var isAnyRunning: Bool { count > 0 }

    /// Counts a task that starts.
    mutating func begin() { count += 1 }

    /// Counts a task that has returned.
    mutating func end() { count -= 1 }

    /// Stops waiting for the tasks that are still running.
    mutating func giveUp() { isGivenUp = true }
}
