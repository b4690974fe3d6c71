/// Callers of an actor that wait until a condition holds.
struct Waiters {
    private var waiting: [(isSo: () -> Bool, resume: () -> Void)] = []

    /// Adds a caller.
    ///
    /// - Parameters:
    ///   - isSo: Returns whether the caller's condition holds, or the caller no longer waits.
    ///   - resume: Resumes the caller.
    mutating func append(_ isSo: @escaping () -> Bool, _ resume: @escaping () -> Void) {
        waiting.append((isSo, resume))
    }

    /// Resumes the callers whose condition holds. They run later and check their condition again.
    mutating func resume() {
        if waiting.isEmpty { return }
        let looking = waiting
        waiting = []
        for waiter in looking {
            if waiter.isSo() { waiter.resume() } else { waiting.append(waiter) }
        }
    }
}

/// Running tasks that objects of scenes have requested (S4).
struct RunningTasks {
    /// Maximum time that a stopping application waits for tasks that ignore their cancellation.
    static let cancellationTimeout = Duration.seconds(1)

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
