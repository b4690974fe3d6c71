/// Suspended callers of an actor, each waiting for a condition.
struct Waiters {
    private var waitingCallers: [(condition: () -> Bool, resume: () -> Void)] = []

    /// Adds a waiting caller.
    ///
    /// - Parameters:
    ///   - condition: A closure that returns whether the caller can be resumed.
    ///   - resume: A closure that resumes the caller.
    mutating func append(_ condition: @escaping () -> Bool, _ resume: @escaping () -> Void) {
        waitingCallers.append((condition, resume))
    }

    /// Resumes the callers whose conditions hold. Each caller rechecks its condition when it runs.
    mutating func resume() {
        if waitingCallers.isEmpty { return }
        let callersToCheck = waitingCallers
        waitingCallers = []
        for waiter in callersToCheck {
            if waiter.condition() { waiter.resume() } else { waitingCallers.append(waiter) }
        }
    }
}

/// Counter of the running tasks that objects in scenes have requested (S4).
struct RunningTaskCounter {
    /// Maximum time that a stopping application waits for tasks that ignore cancellation.
    static let cancellationTimeout = Duration.seconds(1)

    private var runningTaskCount = 0
    private var areTasksAbandoned = false

    /// Whether all tasks have returned or have been abandoned.
    var areFinished: Bool { !hasRunningTasks || areTasksAbandoned }

    /// Whether any task is running or waiting to run.
    var hasRunningTasks: Bool { runningTaskCount > 0 }

    /// Counts a task that has been started.
    mutating func didStartTask() { runningTaskCount += 1 }

    /// Counts a task that has returned.
    mutating func didFinishTask() { runningTaskCount -= 1 }

    /// Stops waiting for tasks that are still running.
    mutating func abandonTasks() { areTasksAbandoned = true }
}
