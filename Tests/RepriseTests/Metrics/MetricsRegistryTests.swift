import CoreMetrics
import RepriseControl
import TestSupport
import Testing

@testable import Reprise

@Suite struct MetricsRegistryTests {
    @Test
    func `metrics with the same name and dimensions are merged, and metrics are sorted by name`() {
        let registry = MetricsRegistry()
        for subject in ["b", "a", "a"] {
            Counter(label: "calls", dimensions: [("method", subject)], factory: registry)
                .increment(by: 2)
        }
        Gauge(label: "begun", factory: registry).record(2.5)
        let readings = registry.currentValues.map { key, reading in
            "\(key.label) \(key.dimensions.map(\.value)) \(reading)"
        }
        #expect(
            readings == [
                #"begun [] gauge(2.5)"#, #"calls ["a"] counter(4)"#, #"calls ["b"] counter(2)"#,
            ])
    }

    @Test func `metrics with the same name are sorted by the values of all their dimensions`() {
        let registry = MetricsRegistry()
        for (one, other) in [("b", "a"), ("a", "c"), ("a", "b")] {
            Counter(label: "calls", dimensions: [("x", one), ("y", other)], factory: registry)
                .increment()
        }
        let dimensions = registry.currentValues.map { reading in
            reading.key.dimensions.map { "\($0.name)=\($0.value)" }
        }
        #expect(dimensions == [["x=a", "y=b"], ["x=a", "y=c"], ["x=b", "y=a"]])
    }

    @Test func `a cluster host reports its membership and its epochs`() {
        let registry = MetricsRegistry()
        let metrics = DaemonMetrics(registry: registry, version: "1", startTime: 0, methods: [])
        func lines(_ cluster: ClusterMetrics?) -> [Substring] {
            metrics.text(
                [], connectionCount: 0, followerCount: 0, cluster: cluster, as: .openmetrics
            )
            .split(separator: "\n")
            .filter { $0.contains("reprise_cluster") || $0.contains("reprise_epoch") }
            .filter { !$0.hasPrefix("#") }
        }
        #expect(lines(nil).isEmpty)
        Counter(label: DaemonMetrics.clusterOutagesLabel, factory: registry).increment(by: 2)
        let cluster = ClusterMetrics(
            hasValidLease: true, hostCount: 3, epochs: [("org.a", 7), ("org.b", 9)],
            storeLatency: .milliseconds(12))
        #expect(
            lines(cluster) == [
                "reprise_cluster_member 1", "reprise_cluster_hosts 3",
                "reprise_cluster_latency_seconds 0.012",
                #"reprise_epoch{application="org.a"} 7"#,
                #"reprise_epoch{application="org.b"} 9"#, "reprise_cluster_outages_total 2",
            ])
        let none = ClusterMetrics(hasValidLease: false, hostCount: 0, epochs: [], storeLatency: nil)
        #expect(lines(none).first == "reprise_cluster_member 0")
    }

    @Test func `a family is declared in the syntax of the format`() {
        func text(_ format: MetricsFormat) -> String {
            var text = MetricsText(format)
            text.begin(.init(name: "calls", kind: .counter, help: "One\ntwo."))
            text.begin(.init(name: "sync_seconds", kind: .histogram, help: nil))
            text.begin(.init(name: "open", kind: .gauge, help: nil))
            text.end()
            return text.text
        }
        #expect(
            text(.prometheus) == #"""
                # TYPE calls_total counter
                # HELP calls_total One\ntwo.
                # TYPE sync_seconds histogram
                # TYPE open gauge

                """#)
        #expect(
            text(.openmetrics) == #"""
                # TYPE calls counter
                # HELP calls One\ntwo.
                # TYPE sync_seconds histogram
                # UNIT sync_seconds seconds
                # TYPE open gauge
                # EOF

                """#)
    }

    @Test func `a metric of another type does not replace the metric with the same name`() {
        let registry = MetricsRegistry()
        let counter = Counter(label: "calls", factory: registry)
        Timer(label: "calls", factory: registry).recordNanoseconds(1)
        counter.increment()
        #expect(registry.currentValues.count == 1)
        guard case .counter(1)? = registry.currentValues.first?.value else {
            Issue.record("\(registry.currentValues)")
            return
        }
    }

    @Test func `durations are counted in buckets with inclusive upper bounds`() {
        let registry = MetricsRegistry()
        let timer = Timer(label: "sync", factory: registry)
        for nanoseconds: Int64 in [500_000, 500_001, 10_000_000_000, 11_000_000_000] {
            timer.recordNanoseconds(nanoseconds)
        }
        var text = MetricsText(.openmetrics)
        if case .histogram(let histogram)? = registry.currentValues.first?.value {
            text.add("sync_seconds", [("a", "b")], histogram)
        }
        let lines = text.text.split(separator: "\n")
        #expect(lines.first == #"sync_seconds_bucket{a="b",le="0.0005"} 1"#)
        #expect(lines[1] == #"sync_seconds_bucket{a="b",le="0.001"} 2"#)
        #expect(
            lines.suffix(4) == [
                #"sync_seconds_bucket{a="b",le="10.0"} 3"#,
                #"sync_seconds_bucket{a="b",le="+Inf"} 4"#, #"sync_seconds_count{a="b"} 4"#,
                #"sync_seconds_sum{a="b"} 21.001000001"#,
            ])
    }

    @Test func `waiters are notified once when the count changes`() async {
        let registry = MetricsRegistry()
        let counter = Counter(label: "calls", factory: registry)
        var changes = registry.changes.makeAsyncIterator()
        #expect(await changes.next() != nil)
        counter.increment()
        registry.armChangeSignal()
        counter.increment()
        counter.increment()
        #expect(await changes.next() != nil)
        registry.armChangeSignal()
        counter.increment()
        #expect(await changes.next() != nil)
    }

    @Test func `label values are escaped`() {
        var text = MetricsText(.openmetrics)
        text.add("a", [("b", "c\"d\\e\nf")], "1")
        #expect(text.text == #"a{b="c\"d\\e\nf"} 1"# + "\n")
    }

    @Test func `many metrics with the same name are sorted by all their dimensions`() {
        let registry = MetricsRegistry()
        let values = ["a", "b", "c", "d", "e", "f"]
        for one in values {
            for other in values {
                Counter(label: "calls", dimensions: [("x", one), ("y", other)], factory: registry)
                    .increment()
            }
        }
        let sorted = values.flatMap { one in values.map { "\(one) \($0)" } }
        let listed = registry.currentValues.map { reading in
            reading.key.dimensions.map(\.value).joined(separator: " ")
        }
        #expect(listed == sorted)
    }

    @Test func `a consumer that a change wakes reads the changed value`() async {
        let registry = MetricsRegistry()
        let counter = Counter(label: "calls", factory: registry)
        let timer = Timer(label: "sync", factory: registry)
        let readings = AwaitableState<[[Double]]>([])
        let consumer = Task(executorPreference: InlineExecutor()) {
            for await _ in registry.changes {
                let values = registry.currentValues.map { reading in
                    switch reading.value {
                    case .counter(let count): Double(count)
                    case .gauge(let value): value
                    case .histogram(let histogram): histogram.sum
                    }
                }
                readings.change { $0.append(values) }
                registry.armChangeSignal()
            }
        }
        counter.increment()
        timer.recordNanoseconds(1_000_000_000)
        consumer.cancel()
        await consumer.value
        #expect(readings.state == [[0, 0], [1, 0], [1, 1]])
    }
}
