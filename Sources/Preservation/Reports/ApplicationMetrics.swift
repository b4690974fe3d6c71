import CoreMetrics

/// Metrics that an application reports through swift-metrics, each with the dimension `application`.
struct ApplicationMetrics {
    /// Number of commands that may have changed state.
    private let changeCounter: Counter
    /// Number of passes that found changes to save.
    private let passCounter: Counter
    /// Number of objects that passes saved or removed.
    private let savedObjectCounter: Counter
    /// Total size, in bytes, of the records saved by passes.
    private let savedByteCounter: Counter
    /// Time taken to make written data durable.
    private let syncTimer: Timer
    /// Number of generations that were added to the history.
    private let generationCounter: Counter
    /// Number of times that state was quarantined.
    private let quarantineCounter: Counter
    /// Number of times that saving started to fail.
    private let saveFailureCounter: Counter
    /// Number of takeovers. In a takeover, the application continues from another host's replicated state.
    private let takeoverCounter: Counter
    private let launchCountersByReason: [String: Counter]

    /// Creates the metrics for an application.
    ///
    /// - Parameters:
    ///   - factory: The factory that creates the metrics.
    ///   - bundleIdentifier: The bundle identifier of the application.
    ///   - launchReasons: All launch reasons (R2).
    init(_ factory: any MetricsFactory, bundleIdentifier: String, launchReasons: [String]) {
        let dimensions = [("application", bundleIdentifier)]
        func counter(_ label: String, _ extraDimensions: [(String, String)] = []) -> Counter {
            Counter(
                label: "reprise_\(label)", dimensions: dimensions + extraDimensions,
                factory: factory)
        }
        changeCounter = counter("changes")
        passCounter = counter("passes")
        savedObjectCounter = counter("saved_objects")
        savedByteCounter = counter("saved_bytes")
        generationCounter = counter("generations")
        quarantineCounter = counter("quarantined")
        saveFailureCounter = counter("save_failures")
        takeoverCounter = counter("takeovers")
        syncTimer = Timer(label: "reprise_sync", dimensions: dimensions, factory: factory)
        launchCountersByReason = Dictionary(
            uniqueKeysWithValues: launchReasons.map { ($0, counter("launches", [("reason", $0)])) })
    }

    /// Counts a command that may have changed state.
    func countChange() { changeCounter.increment() }

    /// Counts a pass that found changes to save.
    func countPass(objects count: Int, bytes byteCount: Int) {
        passCounter.increment()
        savedObjectCounter.increment(by: count)
        savedByteCounter.increment(by: byteCount)
    }

    /// Records the time taken to make written data durable.
    func recordSyncDuration(_ time: Duration) { syncTimer.recordNanoseconds(time.inNanoseconds) }

    /// Counts a generation that was added to the history.
    func countGeneration() { generationCounter.increment() }

    /// Counts a failure to save state.
    ///
    /// Call this method once for each failure, even if several log entries report the failure.
    func countSaveFailure() { saveFailureCounter.increment() }

    /// Counts a logged event of a kind that is logged exactly once for each occurrence.
    ///
    /// - Parameter reason: The launch reason, if the event is a launch.
    func count(_ event: LogEvent, reason: String?) {
        switch event {
        case .launched: if let reason { launchCountersByReason[reason]?.increment() }
        case .quarantined: quarantineCounter.increment()
        case .takenOver: takeoverCounter.increment()
        default: break
        }
    }
}

extension Duration {
    /// Duration in nanoseconds, clamped to the range of the integer type.
    fileprivate var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let secondsAsNanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return secondsAsNanoseconds.overflow
            ? .max : secondsAsNanoseconds.partialValue + attoseconds / 1_000_000_000
    }
}
