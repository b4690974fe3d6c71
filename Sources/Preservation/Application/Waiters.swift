/// Callers of one actor that wait until something is so.
struct Waiters {
    private var waiting: [(isSo: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// A caller waits.
    ///
    /// - Parameter isSo: whether what it waits for is so.
    mutating func append(
        _ isSo: @escaping () -> Bool, _ continuation: CheckedContinuation<Void, Never>
    ) {
        waiting.append((isSo, continuation))
    }

    /// Resumes those whose wait is over. They run later, and look again.
    mutating func resume() {
        if waiting.isEmpty { return }
        let looking = waiting
        waiting = []
        for waiter in looking {
            if waiter.isSo() { waiter.continuation.resume() } else { waiting.append(waiter) }
        }
    }
}

/// The bodies that run because objects of scenes have asked for them (S4).
struct RunningTasks {
    /// How long the end of the application waits for bodies that do not heed their cancellation.
    static let patience = Duration.seconds(1)

    private var count = 0
    private var isGivenUp = false

    /// Whether none is to be waited for.
    var areOver: Bool { !isAnyRunning || isGivenUp }

    /// Whether one runs, or waits to.
    var isAnyRunning: Bool { count > 0 }

    /// A body begins.
    mutating func begin() { count += 1 }

    /// A body has returned.
    mutating func end() { count -= 1 }

    /// Those that still run are not waited for.
    mutating func giveUp() { isGivenUp = true }
}
