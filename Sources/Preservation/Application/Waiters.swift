/// Callers of an actor that wait until their conditions hold.
struct Waiters {
    private var waiting: [(isSo: () -> Bool, resume: () -> Void)] = []

    /// Adds a waiting caller.
    ///
    /// - Parameters:
    ///   - isSo: A closure that returns whether the caller can be resumed.
    ///   - resume: A closure that resumes the caller.
    mutating func append(_ isSo: @escaping () -> Bool, _ resume: @escaping () -> Void) {
        waiting.append((isSo, resume))
    }

    /// Resumes the callers whose conditions hold. The callers check their conditions again when they run.
    mutating func resume() {
        if waiting.isEmpty { return }
        let looking = waiting
        waiting = []
        for waiter in looking {
            if waiter.isSo() { waiter.resume() } else { waiting.append(waiter) }
        }
    }
}

/// Counter of the running tasks that objects in scenes have requested (S4).
struct RunningTasks {
    /// Maximum time that a stopping application waits for tasks that ignore cancellation.
    static let cancellationTimeout = Duration.seconds(1)

    private var count = 0
    private var isGivenUp = false

    /// Whether the application does not have to wait for tasks.
    var areOver: Bool { !isAnyRunning || isGivenUp }

    /// Whether any task is running or waiting to run.
    var isAnyRunning: Bool { count > 0 }

    /// Counts a task that has been started.
    mutating func begin() { count += 1 }

    /// Counts a task that has returned.
    mutating func end() { count -= 1 }

    /// Stops waiting for tasks that are still running.
    mutating func giveUp() { isGivenUp = true }
}
