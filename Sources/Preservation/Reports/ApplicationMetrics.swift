import CoreMetrics

/// Metrics that an application reports through swift-metrics, each with the dimension `application`.
struct ApplicationMetrics {
    /// Number of commands that may have changed state.
    private let changes: Counter
    /// Number of passes that found changes to save.
    private let passes: Counter
    /// Number of objects that passes saved or removed.
    private let objects: Counter
    /// Total size of the records that passes saved, in bytes.
    private let bytes: Counter
    /// Time taken to make written data durable.
    private let syncs: Timer
    /// Number of generations that were added to the history.
    private let generations: Counter
    /// Number of times that state was quarantined.
    private let quarantined: Counter
    /// Number of times that saving started to fail.
    private let saveFailures: Counter
    /// Number of times that the application continued from a cluster's replicated state.
    private let takeovers: Counter
    private let launches: [String: Counter]

    /// Creates the metrics for an application.
    ///
    /// - Parameters:
    ///   - factory: The factory that creates the metrics.
    ///   - application: The bundle identifier of the application.
    ///   - reasons: All launch reasons (R2).
    init(_ factory: any MetricsFactory, application: String, reasons: [String]) {
        let dimensions = [("application", application)]
        func counter(_ label: String, _ more: [(String, String)] = []) -> Counter {
            Counter(label: "reprise_\(label)", dimensions: dimensions + more, factory: factory)
        }
        changes = counter("changes")
        passes = counter("passes")
        objects = counter("saved_objects")
        bytes = counter("saved_bytes")
        generations = counter("generations")
        quarantined = counter("quarantined")
        saveFailures = counter("save_failures")
        takeovers = counter("takeovers")
        syncs = Timer(label: "reprise_sync", dimensions: dimensions, factory: factory)
        launches = Dictionary(
            uniqueKeysWithValues: reasons.map { ($0, counter("launches", [("reason", $0)])) })
    }

    /// Counts a command that may have changed state.
    func countChange() { changes.increment() }

    /// Counts a pass that found changes to save.
    func countPass(objects count: Int, bytes byteCount: Int) {
        passes.increment()
        objects.increment(by: count)
        bytes.increment(by: byteCount)
    }

    /// Records the time taken to make written data durable.
    func recordSyncDuration(_ time: Duration) { syncs.recordNanoseconds(time.inNanoseconds) }

    /// Counts a logged event.
    ///
    /// - Parameter reason: The launch reason, if the event is a launch.
    func count(_ event: LogEvent, reason: String?) {
        switch event {
        case .launched: if let reason { launches[reason]?.increment() }
        case .generationMade: generations.increment()
        case .quarantined: quarantined.increment()
        case .saveFailed: saveFailures.increment()
        case .takenOver: takeovers.increment()
        default: break
        }
    }
}

extension Duration {
    /// Duration in nanoseconds, clamped to the range of the integer type.
    fileprivate var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return whole.overflow ? .max : whole.partialValue + attoseconds / 1_000_000_000
    }
}
