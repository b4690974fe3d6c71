import Logging

/// Timer that measures operations on an application's executor, and logs operations that block the executor for too
/// long.
final class OperationTimer {
    /// Duration above which an operation is logged.
    var slowOperationThreshold: Duration
    private let clock: any Clock<Duration>
    private let log: ApplicationLog
    /// Total duration of all operations that have been logged.
    private var loggedDuration = Duration.zero

    /// Creates a timer that logs each operation whose duration exceeds a limit.
    ///
    /// - Parameter slowOperationThreshold: The duration above which an operation is logged.
    init(slowOperationThreshold: Duration, clock: any Clock<Duration>, log: ApplicationLog) {
        self.slowOperationThreshold = slowOperationThreshold
        self.clock = clock
        self.log = log
    }

    /// Operation in progress.
    struct Operation {
        /// Closure that returns the time that has elapsed since the operation began.
        let elapsed: () -> Duration
        fileprivate let previouslyLoggedDuration: Duration
    }

    /// Begins measuring an operation.
    func begin() -> Operation {
        Operation(elapsed: clock.stopwatch(), previouslyLoggedDuration: loggedDuration)
    }

    /// Ends an operation, and logs a warning if it took longer than the limit.
    ///
    /// The time of nested operations that have already been logged does not count. Because every turn calls this
    /// method, the descriptions are created only if a warning is logged.
    ///
    /// - Parameters:
    ///   - subject: A description of the operation, used as the subject of a sentence.
    ///   - scene: The name of the operation's scene, or `nil` if the operation affects several scenes.
    func end(
        _ operation: Operation, _ subject: @autoclosure () -> String,
        scene: @autoclosure () -> String? = nil
    ) {
        let unloggedDuration =
            operation.elapsed() - (loggedDuration - operation.previouslyLoggedDuration)
        guard unloggedDuration > slowOperationThreshold else { return }
        loggedDuration += unloggedDuration
        let seconds = (unloggedDuration / .milliseconds(100)).rounded() / 10
        log.log(
            .warning, .operationSlow, "\(subject()) took \(seconds) s, and blocked all other work",
            scene: scene())
    }

    /// Runs and measures an operation.
    @discardableResult
    func measure<Result, Failure: Error>(
        _ subject: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let operation = begin()
        defer { end(operation, subject) }
        return try body()
    }
}
