import CoreMetrics
import ExactText
import FoundationEssentials
import Preservation
import RepriseControl
import Varlink

/// Metrics for the daemon and its applications.
///
/// A monitoring system reads the metrics as text.
struct DaemonMetrics: Sendable {
    private typealias Family = MetricsText.Family

    let registry: MetricsRegistry
    private let version: String
    /// Start time of the daemon in microseconds since 1970-01-01 UTC.
    private let startTime: Int64
    private let callCounters: [String: Counter]
    private let refusalCounter: Counter

    /// Creates the metrics for a daemon.
    ///
    /// - Throws: An error if the definition of the control interface has a syntax error, which would be a bug in this
    ///   program.
    init(registry: MetricsRegistry, version: String, startTime: Int64) throws {
        self.init(
            registry: registry, version: version, startTime: startTime,
            methods: try ControlInterface.definition().qualifiedMethods)
    }

    /// Creates the metrics for a daemon.
    ///
    /// - Parameter methods: The fully qualified names of the methods whose calls are counted.
    init(registry: MetricsRegistry, version: String, startTime: Int64, methods: [String]) {
        self.registry = registry
        self.version = version
        self.startTime = startTime
        callCounters = Dictionary(
            uniqueKeysWithValues: methods.map {
                (
                    $0,
                    Counter(label: "reprise_calls", dimensions: [("method", $0)], factory: registry)
                )
            })
        refusalCounter = Counter(label: "reprise_refused", factory: registry)
    }

    /// Counts a call.
    func count(_ call: Call) { callCounters[call.method]?.increment() }

    /// Counts a client that the server refused or disconnected.
    func countRefusal() { refusalCounter.increment() }

    /// Label of the outage counter. The counter exists only in a cluster.
    static let clusterOutagesLabel = "reprise_cluster_outages"

    /// Help text of each counter and histogram, keyed by name.
    private static let helpTexts: [String: String] = [
        "reprise_changes": "Commands that may have changed something.",
        "reprise_passes": "Passes that had something to save.",
        "reprise_saved_objects": "Objects that passes saved or removed.",
        "reprise_saved_bytes": "Bytes of the records that passes saved.",
        "reprise_generations": "Generations added to the history.",
        "reprise_quarantined": "Files moved to quarantine.",
        "reprise_save_failures": "Times that saving began to fail.",
        clusterOutagesLabel: "Times that etcd became unusable for this host.",
        "reprise_takeovers": "Times that the application continued from replicated state.",
        "reprise_launches": "Launches of scenes, by their reason.",
        "reprise_sync_seconds": "How long it takes to make written changes durable.",
        "reprise_calls": "Calls that were carried out, by their method.",
        "reprise_refused":
            "Calls and connections that were refused, and connections that were closed.",
    ]

    /// Returns all metrics as text.
    ///
    /// - Parameters:
    ///   - statuses: The statuses of the applications.
    ///   - connectionCount: The number of connected clients.
    ///   - followerCount: The number of clients that follow events.
    ///   - cluster: The state of the cluster, or `nil` outside a cluster.
    ///   - format: The format of the text.
    func text(
        _ statuses: [ApplicationStatus], connectionCount: Int, followerCount: Int,
        cluster: ClusterMetrics? = nil, as format: MetricsFormat
    ) -> String {
        var text = MetricsText(format)
        func beginGauge(_ name: String, _ help: String) {
            text.begin(Family(name: name, kind: .gauge, help: help))
        }
        beginGauge("reprise_build_info", "Always 1; a label contains the version of the daemon.")
        text.add("reprise_build_info", [("version", version)], "1")
        beginGauge("reprise_start_time_seconds", "When the daemon started, since 1970.")
        text.add("reprise_start_time_seconds", [], Self.seconds(startTime))
        beginGauge("reprise_connections", "Clients that are connected.")
        text.add("reprise_connections", [], "\(connectionCount)")
        beginGauge("reprise_followers", "Clients that follow events.")
        text.add("reprise_followers", [], "\(followerCount)")
        for gauge in Self.gauges {
            text.begin(gauge.family)
            for status in statuses {
                guard let value = gauge.value(status) else { continue }
                text.add(
                    gauge.family.name, [(name: "application", value: status.bundleIdentifier)],
                    value)
            }
        }
        if let cluster {
            beginGauge("reprise_cluster_member", "1 if this host has a valid lease, or 0.")
            text.add("reprise_cluster_member", [], cluster.hasValidLease ? "1" : "0")
            beginGauge("reprise_cluster_hosts", "Hosts in the cluster, as far as this host knows.")
            text.add("reprise_cluster_hosts", [], "\(cluster.hostCount)")
            if let latency = cluster.storeLatency {
                beginGauge(
                    "reprise_cluster_latency_seconds",
                    "Time that etcd took for this host's last read of the owners.")
                text.add("reprise_cluster_latency_seconds", [], "\(latency / .seconds(1))")
            }
            beginGauge(
                "reprise_epoch", "Epoch of the ownership, if this host owns the application.")
            for (application, epoch) in cluster.epochs {
                text.add("reprise_epoch", [(name: "application", value: application)], "\(epoch)")
            }
        }
        addRegistryMetrics(to: &text)
        text.end()
        return text.text
    }

    private func addRegistryMetrics(to text: inout MetricsText) {
        var lastName: String?
        for (key, value) in registry.currentValues {
            let labels = key.dimensions.map { (name: $0.name, value: $0.value) }
            let (kind, name): (Family.Kind, String) =
                switch value {
                case .counter: (.counter, key.label)
                case .gauge: (.gauge, key.label)
                case .histogram: (.histogram, key.label + "_seconds")
                }
            if name != lastName {
                text.begin(Family(name: name, kind: kind, help: Self.helpTexts[name]))
            }
            lastName = name
            switch value {
            case .counter(let count): text.add("\(name)_total", labels, "\(count)")
            case .gauge(let value): text.add(name, labels, "\(value)")
            case .histogram(let histogram): text.add(name, labels, histogram)
            }
        }
    }

    /// Gauge for the state of an application.
    private struct Gauge: Sendable {
        let family: Family
        /// Closure that returns the value for an application, or `nil` if the application has none.
        let value: @Sendable (ApplicationStatus) -> String?

        init(
            _ name: String, _ help: String,
            _ value: @escaping @Sendable (ApplicationStatus) -> String?
        ) {
            family = Family(name: name, kind: .gauge, help: help)
            self.value = value
        }
    }

    private static let gauges = [
        Gauge("reprise_application_running", "1 if the application accepts commands, or 0.") {
            $0.phase == .running ? "1" : "0"
        },
        Gauge("reprise_application_failed", "1 if the application could not be launched, or 0.") {
            if case .failed = $0.phase { "1" } else { "0" }
        },
        Gauge("reprise_saved", "1 if everything is saved, or 0.") {
            $0.saved.isSaved ? "1" : "0"
        },
        Gauge("reprise_not_durable_writes", "Writes that are not durable yet.") {
            "\($0.notDurableWrites)"
        },
        Gauge(
            "reprise_not_durable_since_seconds",
            "When the oldest write that is not durable was made, since 1970; absent if all writes are durable."
        ) { $0.notDurableSince.map(seconds) },
        Gauge(
            "reprise_not_replicated",
            "Saved changes that are not replicated yet; absent if the application does not run on this host, or "
                + "is not replicated."
        ) { $0.notReplicated.map { "\($0)" } },
        Gauge("reprise_last_pass_seconds", "When state was written last, since 1970.") {
            $0.lastPass.map(seconds)
        },
        Gauge("reprise_scenes_launched", "Scenes that accept commands.") {
            "\($0.launchedSceneCount)"
        },
        Gauge("reprise_scenes_saved", "Scenes in the archive.") { "\($0.savedSceneCount)" },
        Gauge("reprise_objects_saved", "Objects in the archive.") {
            "\($0.savedObjectCount)"
        },
    ]

    /// Returns a date as the number of seconds since 1970.
    private static func seconds(_ time: Date) -> String { "\(time.timeIntervalSince1970)" }

    /// Returns a time in microseconds since 1970 as a number of seconds.
    private static func seconds(_ time: Int64) -> String { "\(Double(time) / 1_000_000)" }
}
