import Logging

/// Measures the operations on an application's executor, and logs each operation that blocked all other work for too long.
final class OperationTimer {
    /// Maximum duration of an operation that is not logged.
    var limit: Duration
    private let clock: any Clock<Duration>
    private let log: ApplicationLog
    /// Total duration of all operations that were logged.
    private var loggedDuration = Duration.zero

    /// - Parameter limit: Maximum duration of an operation that is not logged.
    init(limit: Duration, clock: any Clock<Duration>, log: ApplicationLog) {
        self.limit = limit
        self.clock = clock
        self.log = log
    }

    /// An operation in progress.
    struct Operation {
        /// Returns the time since the operation began.
        let elapsed: () -> Duration
        fileprivate let loggedBefore: Duration
    }

    /// Begins to measure an operation.
    func begin() -> Operation {
        Operation(elapsed: clock.stopwatch(), loggedBefore: loggedDuration)
    }

    /// Ends an operation, and logs a warning if it took longer than the limit, excluding parts that were logged.
    ///
    /// The descriptions are created only for a warning, because every turn calls this method.
    ///
    /// - Parameters:
    ///   - what: The operation, as the subject of a sentence.
    ///   - scene: Name of its scene, or `nil` if it concerns several scenes.
    func end(
        _ operation: Operation, _ what: @autoclosure () -> String,
        scene: @autoclosure () -> String? = nil
    ) {
        let time = operation.elapsed() - (loggedDuration - operation.loggedBefore)
        guard time > limit else { return }
        loggedDuration += time
        let seconds = (time / .milliseconds(100)).rounded() / 10
        log.log(
            .warning, .slow, "\(what()) took \(seconds) s, and blocked all other work",
            scene: scene())
    }

    /// Runs and measures an operation.
    func measure<Result, Failure: Error>(
        _ what: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let operation = begin()
        defer { end(operation, what) }
        return try body()
    }
}
