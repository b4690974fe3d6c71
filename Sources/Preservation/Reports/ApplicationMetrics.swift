import CoreMetrics

/// Counts what an application does, by swift-metrics; each metric has the dimension `application`.
struct ApplicationMetrics {
    /// Commands that may have changed something.
    private let changes: Counter
    /// Passes that had something to save.
    private let passes: Counter
    /// Objects that passes saved or removed.
    private let objects: Counter
    /// Bytes of the records that passes saved.
    private let bytes: Counter
    /// How long it takes to make durable what was written.
    private let syncs: Timer
    /// Earlier states that were kept.
    private let generations: Counter
    /// What went to quarantine.
    private let quarantined: Counter
    /// How often saving began to fail.
    private let saveFailures: Counter
    private let launches: [String: Counter]

    /// - Parameters:
    ///   - factory: makes the metrics.
    ///   - application: the bundle identifier.
    ///   - reasons: the reasons of launches that there are (R2).
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
        syncs = Timer(label: "reprise_sync", dimensions: dimensions, factory: factory)
        launches = Dictionary(
            uniqueKeysWithValues: reasons.map { ($0, counter("launches", [("reason", $0)])) })
    }

    /// A command ran that may have changed something.
    func noteChange() { changes.increment() }

    /// A pass has something to save.
    func notePass(objects count: Int, bytes byteCount: Int) {
        passes.increment()
        objects.increment(by: count)
        bytes.increment(by: byteCount)
    }

    /// It took so long to make durable what was written.
    func noteSync(_ time: Duration) { syncs.recordNanoseconds(time.inNanoseconds) }

    /// Something happened that is logged.
    ///
    /// - Parameter reason: of a launch.
    func note(_ event: LogEvent, reason: String?) {
        switch event {
        case .launched: if let reason { launches[reason]?.increment() }
        case .generationMade: generations.increment()
        case .quarantined: quarantined.increment()
        case .saveFailed: saveFailures.increment()
        default: break
        }
    }
}

extension Duration {
    /// The time in nanoseconds, as far as the number goes.
    fileprivate var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return whole.overflow ? .max : whole.partialValue + attoseconds / 1_000_000_000
    }
}
