import CoreMetrics
import ExactText
import Synchronization

/// Registry that stores the metrics of the daemon and its applications in memory, where they can be read.
final class MetricsRegistry: MetricsFactory, Sendable {
    /// Unique key of a metric.
    struct Key: Hashable, Sendable {
        let label: String
        let dimensions: [Dimension]
    }

    /// Label of a metric, with its value.
    struct Dimension: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// Current value of a metric.
    enum CurrentValue: Sendable {
        case counter(Int64)
        case gauge(Double)
        case histogram(Histogram.CurrentValue)
    }

    private let instruments = Mutex<[Key: any Instrument]>([:])
    private let changeSignal = ChangeSignal()

    /// Stream that yields once at the beginning, and then after the first change that follows each call to
    /// ``armChangeSignal()``.
    ///
    /// The stream supports only one consumer.
    var changes: AsyncStream<Void> { changeSignal.events }

    /// Makes ``changes`` yield immediately.
    func wake() { changeSignal.wake() }

    /// Makes ``changes`` yield after the next change to a metric.
    func armChangeSignal() { changeSignal.arm() }

    /// Reports a change to a value that is published with the metrics but not stored in the registry.
    func signalChange() { changeSignal.signal() }

    /// Current values of all metrics, sorted by label and then by dimensions.
    var currentValues: [(key: Key, value: CurrentValue)] {
        instruments.withLock { $0 }
            .sorted { one, other in
                (one.key.label, one.key.dimensions.map(\.value).joined(separator: "\0"))
                    < (other.key.label, other.key.dimensions.map(\.value).joined(separator: "\0"))
            }
            .map { ($0.key, $0.value.currentValue) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        findOrMakeInstrument(label, dimensions) { CounterMetric(changeSignal) }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        findOrMakeInstrument(label, dimensions) { Histogram(changeSignal) }
    }

    /// Creates a recorder.
    ///
    /// - Parameter aggregate: This parameter is ignored. The recorder always reports the last value.
    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        findOrMakeInstrument(label, dimensions) { LastValueRecorder() }
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Returns the metric with the given label and dimensions, or creates the metric if it does not exist yet.
    ///
    /// If a metric of a different type already has the same label and dimensions, the returned metric is not published.
    private func findOrMakeInstrument<Made: Instrument>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Made
    ) -> Made {
        let key = Key(
            label: label,
            dimensions: dimensions.map { Dimension(name: $0, value: $1) })
        return instruments.withLock { instruments in
            if let existingInstrument = instruments[key] as? Made { return existingInstrument }
            let newInstrument = make()
            if instruments[key] == nil { instruments[key] = newInstrument }
            return newInstrument
        }
    }
}

/// Metric whose value can be read.
private protocol Instrument: Sendable {
    var currentValue: MetricsRegistry.CurrentValue { get }
}

/// Signal for a consumer that waits until a metric has changed.
final class ChangeSignal: Sendable {
    private let isArmed = Atomic(false)
    /// Stream that yields once at the beginning, and then for the first change after the signal has been armed.
    let events: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
    }

    /// Arms the signal for the next change.
    func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

    /// Makes the stream yield even if the signal is not armed.
    func wake() { continuation.yield() }

    /// Reports a change, which makes the stream yield if the signal is armed.
    func signal() {
        guard isArmed.load(ordering: .sequentiallyConsistent) else { return }
        if isArmed.exchange(false, ordering: .sequentiallyConsistent) { continuation.yield() }
    }
}

/// Counter that can only increase.
private final class CounterMetric: CounterHandler, Instrument {
    private let value = Atomic<Int64>(0)
    private let changeSignal: ChangeSignal

    init(_ changeSignal: ChangeSignal) {
        self.changeSignal = changeSignal
    }

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .sequentiallyConsistent)
        changeSignal.signal()
    }

    func reset() { value.store(0, ordering: .relaxed) }

    var currentValue: MetricsRegistry.CurrentValue { .counter(value.load(ordering: .relaxed)) }
}

/// Recorder that stores the last value.
private final class LastValueRecorder: RecorderHandler, Instrument {
    private let value = Atomic<UInt64>(0)

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { self.value.store(value.bitPattern, ordering: .relaxed) }

    var currentValue: MetricsRegistry.CurrentValue {
        .gauge(Double(bitPattern: value.load(ordering: .relaxed)))
    }
}

/// Timer that counts durations in buckets.
final class Histogram: TimerHandler, Instrument {
    /// Counts and sum of the recorded durations.
    struct CurrentValue: Sendable, Equatable {
        /// Number of durations in each bucket.
        ///
        /// The upper bound of each bucket is in ``Histogram/bounds``. The last bucket contains the durations above all
        /// bounds.
        var counts = [Int64](repeating: 0, count: Histogram.bounds.count + 1)
        /// Sum of all durations, in seconds.
        var sum = 0.0
    }

    /// Upper bounds of the buckets, in seconds.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let state = Mutex(CurrentValue())
    private let changeSignal: ChangeSignal

    init(_ changeSignal: ChangeSignal) {
        self.changeSignal = changeSignal
    }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += seconds
        }
        changeSignal.signal()
    }

    fileprivate var currentValue: MetricsRegistry.CurrentValue { .histogram(state.withLock { $0 }) }
}
