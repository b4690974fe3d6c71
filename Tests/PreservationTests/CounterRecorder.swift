import CoreMetrics
import Synchronization

/// Metrics that record how often each counter was incremented.
final class CounterRecorder: MetricsFactory {
    private final class RecordedCounter: CounterHandler {
        let count = Atomic<Int64>(0)

        func increment(by amount: Int64) { count.add(amount, ordering: .relaxed) }
        func reset() {}
    }

    private let counters = Mutex<[String: RecordedCounter]>([:])

    /// Returns the value of a counter.
    func count(of label: String) -> Int64 {
        counters.withLock { $0[label]?.count.load(ordering: .relaxed) ?? 0 }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counters.withLock { counters in
            let counter = counters[label] ?? RecordedCounter()
            counters[label] = counter
            return counter
        }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
