import CoreMetrics
import FoundationEssentials
import Preservation
import RepriseControl
import Testing
import Varlink

@testable import Reprise

@Suite struct DaemonMetricsTests {
    private static let start = """
        # TYPE reprise_build_info gauge
        # HELP reprise_build_info Always 1; a label contains the version of the daemon.
        reprise_build_info{version="1.2"} 1
        # TYPE reprise_start_time_seconds gauge
        # UNIT reprise_start_time_seconds seconds
        # HELP reprise_start_time_seconds When the daemon started, since 1970.
        reprise_start_time_seconds 2.5
        # TYPE reprise_connections gauge
        # HELP reprise_connections Clients that are connected.
        reprise_connections 3
        # TYPE reprise_followers gauge
        # HELP reprise_followers Clients that follow events.
        reprise_followers 4

        """

    private func metrics(
        _ registry: MetricsRegistry = MetricsRegistry(), methods: [String] = []
    ) -> DaemonMetrics {
        DaemonMetrics(registry: registry, version: "1.2", startTime: 2_500_000, methods: methods)
    }

    private func text(
        _ metrics: DaemonMetrics, _ statuses: [ApplicationStatus] = [],
        cluster: ClusterMetrics? = nil
    ) -> String {
        metrics.text(
            statuses, connectionCount: 3, followerCount: 4, cluster: cluster, as: .openmetrics)
    }

    @Test func `each family is declared before its samples, and the daemon's families come first`()
    {
        let text = text(metrics())
        #expect(text.hasPrefix(Self.start))
        #expect(text.hasSuffix("# EOF\n"))
    }

    @Test func `a gauge has a sample for each application that has a value`() {
        var one = ApplicationStatus(
            bundleIdentifier: "a", bundleVersion: "1", phase: .running, scenes: [],
            saved: .notSaved(reason: "full"), notDurableWrites: 7,
            notDurableSince: Date(timeIntervalSince1970: 8),
            lastPass: Date(timeIntervalSince1970: 9))
        (one.launchedSceneCount, one.savedSceneCount, one.savedObjectCount) = (10, 11, 12)
        one.notReplicated = 13
        let other = ApplicationStatus(
            bundleIdentifier: "b", bundleVersion: "1", phase: .failed(reason: "r"), scenes: [],
            saved: .durable)
        let samples = text(metrics(), [one, other]).split(separator: "\n")
            .filter { $0.contains("{application=") }
        #expect(
            samples == [
                #"reprise_application_running{application="a"} 1"#,
                #"reprise_application_running{application="b"} 0"#,
                #"reprise_application_failed{application="a"} 0"#,
                #"reprise_application_failed{application="b"} 1"#,
                #"reprise_saved{application="a"} 0"#, #"reprise_saved{application="b"} 1"#,
                #"reprise_not_durable_writes{application="a"} 7"#,
                #"reprise_not_durable_writes{application="b"} 0"#,
                #"reprise_not_durable_since_seconds{application="a"} 8.0"#,
                #"reprise_not_replicated{application="a"} 13"#,
                #"reprise_last_pass_seconds{application="a"} 9.0"#,
                #"reprise_scenes_launched{application="a"} 10"#,
                #"reprise_scenes_launched{application="b"} 0"#,
                #"reprise_scenes_saved{application="a"} 11"#,
                #"reprise_scenes_saved{application="b"} 0"#,
                #"reprise_objects_saved{application="a"} 12"#,
                #"reprise_objects_saved{application="b"} 0"#,
            ])
    }

    @Test func `each cluster gauge follows the declaration of its family`() {
        let cluster = ClusterMetrics(
            hasValidLease: true, hostCount: 3, epochs: [("a", 7)], storeLatency: .milliseconds(12))
        let lines = text(metrics(), cluster: cluster).split(separator: "\n")
            .filter { !$0.hasPrefix("# UNIT") && !$0.hasPrefix("# HELP") }
            .drop { !$0.contains("reprise_cluster_member") }
        #expect(
            lines.prefix(8) == [
                "# TYPE reprise_cluster_member gauge", "reprise_cluster_member 1",
                "# TYPE reprise_cluster_hosts gauge", "reprise_cluster_hosts 3",
                "# TYPE reprise_cluster_latency_seconds gauge",
                "reprise_cluster_latency_seconds 0.012", "# TYPE reprise_epoch gauge",
                #"reprise_epoch{application="a"} 7"#,
            ])
    }

    @Test func `metrics of the registry form one family per name, with its help text`() throws {
        let registry = MetricsRegistry()
        let metrics = metrics(registry, methods: ["x.One", "x.Two"])
        metrics.count(try Call(parsing: Array(#"{"method":"x.One"}"#.utf8)))
        metrics.count(try Call(parsing: Array(#"{"method":"x.One"}"#.utf8)))
        metrics.count(try Call(parsing: Array(#"{"method":"x.Unknown"}"#.utf8)))
        metrics.countRefusal()
        CoreMetrics.Gauge(label: "own", factory: registry).record(1.5)
        Timer(label: "reprise_sync", factory: registry).recordNanoseconds(20_000_000_000)
        let lines = text(metrics).split(separator: "\n").filter { !$0.contains("_bucket") }
            .drop { $0 != "# TYPE own gauge" }
        #expect(
            Array(lines) == [
                "# TYPE own gauge", "own 1.5", "# TYPE reprise_calls counter",
                "# HELP reprise_calls Calls that were carried out, by their method.",
                #"reprise_calls_total{method="x.One"} 2"#,
                #"reprise_calls_total{method="x.Two"} 0"#, "# TYPE reprise_refused counter",
                "# HELP reprise_refused Calls and connections that were refused, and connections "
                    + "that were closed.", "reprise_refused_total 1",
                "# TYPE reprise_sync_seconds histogram",
                "# UNIT reprise_sync_seconds seconds",
                "# HELP reprise_sync_seconds How long it takes to make written changes durable.",
                "reprise_sync_seconds_count 1", "reprise_sync_seconds_sum 20.0", "# EOF",
            ])
    }

    @Test func `a sample has a label for each of its dimensions`() {
        let registry = MetricsRegistry()
        Counter(
            label: "reprise_launches", dimensions: [("application", "a"), ("reason", "restore")],
            factory: registry
        ).increment()
        let sample = #"reprise_launches_total{application="a",reason="restore"} 1"#
        #expect(text(metrics(registry)).split(separator: "\n").contains { $0 == sample })
    }
}
