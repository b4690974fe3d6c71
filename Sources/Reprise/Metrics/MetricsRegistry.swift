import CoreMetrics
import ExactText
import Synchronization

/// The metrics of the daemon and its applications, in memory until somebody asks.
final class MetricsRegistry: MetricsFactory, Sendable {
    /// What tells one metric from all others.
    struct Key: Hashable, Sendable {
        let label: String
        let dimensions: [Dimension]
    }

    /// A name and a value.
    struct Dimension: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// What a metric says now.
    enum Reading: Sendable {
        case counter(Int64)
        case gauge(Double)
        case histogram(Histogram.Reading)
    }

    private let instruments = Mutex<[Key: any Instrument]>([:])
    private let change = ChangeSignal()

    /// Tells once, and then after each ``awaitChange()`` when something was counted. For one task alone.
    var changes: AsyncStream<Void> { change.events }

    /// Something else may have to be told.
    func wake() { change.wake() }

    /// The next thing that is counted is told, or noted.
    func awaitChange() { change.arm() }

    /// Something changed that is no metric of the registry, and is told beside them.
    func noteChange() { change.note() }

    /// What every metric says now, by label and then by dimensions.
    var readings: [(key: Key, reading: Reading)] {
        instruments.withLock { $0 }
            .sorted { one, other in
                (one.key.label, one.key.dimensions.map(\.value).joined(separator: "\0"))
                    < (other.key.label, other.key.dimensions.map(\.value).joined(separator: "\0"))
            }
            .map { ($0.key, $0.value.reading) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(label, dimensions) { CountedMetric(change) }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(label, dimensions) { Histogram(change) }
    }

    /// - Parameter aggregate: whatever it is, the last value is told.
    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        instrument(label, dimensions) { LastValue() }
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    /// The metric of that name; what was made as another sort counts for nobody.
    private func instrument<Made: Instrument>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Made
    ) -> Made {
        let key = Key(
            label: label,
            dimensions: dimensions.map { Dimension(name: $0, value: $1) })
        return instruments.withLock { instruments in
            if let known = instruments[key] as? Made { return known }
            let made = make()
            if instruments[key] == nil { instruments[key] = made }
            return made
        }
    }
}

/// A metric that can be read.
private protocol Instrument: Sendable {
    var reading: MetricsRegistry.Reading { get }
}

/// Tells that something was counted, if somebody waits for that.
final class ChangeSignal: Sendable {
    private let isArmed = Atomic(false)
    /// One at first, and one for each time that somebody waited.
    let events: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    init() {
        (events, feed) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        feed.yield()
    }

    /// Somebody waits.
    func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

    /// Tells whether somebody waits or not.
    func wake() { feed.yield() }

    /// Something was counted.
    func note() {
        guard isArmed.load(ordering: .sequentiallyConsistent) else { return }
        if isArmed.exchange(false, ordering: .sequentiallyConsistent) { feed.yield() }
    }
}

/// Counts upwards.
private final class CountedMetric: CounterHandler, Instrument {
    private let value = Atomic<Int64>(0)
    private let change: ChangeSignal

    init(_ change: ChangeSignal) {
        self.change = change
    }

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .sequentiallyConsistent)
        change.note()
    }

    func reset() { value.store(0, ordering: .relaxed) }

    var reading: MetricsRegistry.Reading { .counter(value.load(ordering: .relaxed)) }
}

/// Keeps the last value.
private final class LastValue: RecorderHandler, Instrument {
    private let value = Atomic<UInt64>(0)

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { self.value.store(value.bitPattern, ordering: .relaxed) }

    var reading: MetricsRegistry.Reading {
        .gauge(Double(bitPattern: value.load(ordering: .relaxed)))
    }
}

/// Counts durations by their lengths.
final class Histogram: TimerHandler, Instrument {
    /// What was counted.
    struct Reading: Sendable, Equatable {
        /// How many durations lie up to each bound of ``Histogram/bounds``, but above the one
        /// before; the last are above all.
        var counts = [Int64](repeating: 0, count: Histogram.bounds.count + 1)
        /// All durations together, in seconds.
        var sum = 0.0
    }

    /// The bounds, in seconds.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let state = Mutex(Reading())
    private let change: ChangeSignal

    init(_ change: ChangeSignal) {
        self.change = change
    }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let place = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += seconds
        }
        change.note()
    }

    fileprivate var reading: MetricsRegistry.Reading { .histogram(state.withLock { $0 }) }
}
