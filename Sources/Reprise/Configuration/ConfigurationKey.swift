import ExactText
import Logging
import PositionedYAML
import Preservation
import StateRestoration

/// Configuration key, with the location and format of its value, and the point at which a new value takes effect.
struct ConfigurationKey: Sendable {
    /// Point at which a new value takes effect.
    enum Effect {
        /// The applications apply the value while they run.
        case inApplications
        /// The daemon itself applies the value while it runs.
        case inDaemon
        /// The value takes effect at the next restart.
        case atRestart
    }

    /// Top-level key that contains this key.
    let section: String
    /// Name including the section, such as `history.count`.
    let name: String
    /// Point at which a new value takes effect.
    let effect: Effect
    /// Closure that returns whether two configurations have different values for the key.
    let differs: @Sendable (Configuration, Configuration) -> Bool
    /// Closure that reads the value from its section.
    let read: @Sendable (MappingReader, inout Configuration) -> Void
    /// Closure that returns the value in a configuration, as YAML.
    let yamlText: @Sendable (Configuration) -> String

    private init<Value: Equatable & SendableMetatype>(
        _ section: String, _ key: String, _ effect: Effect,
        _ value: any KeyPath<Configuration, Value> & Sendable,
        readBy read: @escaping @Sendable (MappingReader, inout Configuration) -> Void
    ) {
        yamlText = { YAMLFormatter.text($0[keyPath: value]) }
        self.section = section
        name = "\(section).\(key)"
        self.effect = effect
        differs = { !areExactlyEqual($0[keyPath: value], $1[keyPath: value]) }
        self.read = read
    }

    /// Creates a key that has a default value.
    private init<Value: Equatable & Sendable>(
        _ section: String, _ key: String, _ effect: Effect,
        _ value: any WritableKeyPath<Configuration, Value> & Sendable,
        _ format: ScalarFormat<Value>
    ) {
        self.init(section, key, effect, value) { reader, configuration in
            let current = configuration[keyPath: value]
            configuration[keyPath: value] = reader.value(key, format, default: current)
        }
    }

    /// Creates a key whose value is `nil` if the key is omitted.
    private init<Value: Equatable & Sendable>(
        _ section: String, _ key: String, _ effect: Effect,
        _ value: any WritableKeyPath<Configuration, Value?> & Sendable,
        _ format: ScalarFormat<Value>
    ) {
        self.init(section, key, effect, value) { reader, configuration in
            configuration[keyPath: value] = reader.optionalValue(key, format)?.value
        }
    }

    /// All keys except the keys of an application.
    static let all = [
        ConfigurationKey(
            "preservation", "interval", .inApplications, \.preservation.interval,
            .duration.within(.milliseconds(1) ... .seconds(3600))),
        ConfigurationKey(
            "preservation", "durability", .inApplications, \.preservation.durability, .enumeration),
        ConfigurationKey(
            "preservation", "encryption", .atRestart, \.preservation.encryption, .enumeration),
        ConfigurationKey(
            "replication", "interval", .inDaemon, \.replication.interval,
            .duration.within(.milliseconds(1) ... .seconds(60))),
        ConfigurationKey(
            "replication", "timeout", .inApplications, \.replication.timeout,
            .duration.within(.milliseconds(100) ... .seconds(600))),
        ConfigurationKey("cluster", "name", .atRestart, \.cluster.name, .clusterName),
        ConfigurationKey("cluster", "host", .atRestart, \.cluster.host, .clusterName),
        ConfigurationKey("cluster", "endpoints", .atRestart, \.cluster.endpoints) {
            $1.cluster.endpoints = $0.list("endpoints", of: .etcdEndpoint)?.map(\.value) ?? []
        },
        ConfigurationKey(
            "cluster", "certificateAuthority", .atRestart, \.cluster.certificateAuthorityPath,
            .certificateFile),
        ConfigurationKey(
            "cluster", "lease", .atRestart, \.cluster.leaseDuration,
            .duration.within(.seconds(2) ... .seconds(300))),
        ConfigurationKey("cluster", "applications", .atRestart, \.cluster.applications) {
            $1.cluster.applications =
                $0.list("applications", of: .bundleIdentifier)?.map(\.value) ?? []
        },
        ConfigurationKey("history", "count", .inApplications, \.history.count, retainedCountFormat),
        ConfigurationKey("history", "bytes", .inApplications, \.history.bytes, retainedBytesFormat),
        ConfigurationKey(
            "history", "interval", .inApplications, \.history.interval,
            .duration.within(.seconds(1) ... .seconds(8760 * 3600))),
        ConfigurationKey(
            "quarantine", "count", .inApplications, \.quarantine.count, retainedCountFormat),
        ConfigurationKey(
            "quarantine", "bytes", .inApplications, \.quarantine.bytes, retainedBytesFormat),
        ConfigurationKey(
            "launch", "crashLimit", .inApplications, \.launch.crashLimit, .integer.within(1...100)),
        ConfigurationKey(
            "launch", "timeout", .inApplications, \.launch.timeout,
            .duration.within(.milliseconds(1) ... .seconds(3600))),
        ConfigurationKey("launch", "eager", .inApplications, \.launch.launchesEagerly, .boolean),
        ConfigurationKey(
            "launch", "idle", .inApplications, \.launch.idleTimeout,
            .duration.within(.seconds(1) ... .seconds(8760 * 3600))),
        // `limits.state` reads both limits, because the default warning limit must not exceed the maximum.
        ConfigurationKey("limits", "stateWarning", .inApplications, \.limits.warningBytes) { _, _ in
        },
        ConfigurationKey(
            "limits", "state", .inApplications, \.limits.maximumBytes, readBy: readLimits),
        ConfigurationKey(
            "limits", "turn", .inApplications, \.maximumTurnDuration,
            .duration.within(.milliseconds(10) ... .seconds(3600))),
        ConfigurationKey("control", "socket", .atRestart, \.control.socketPath, .socketPath),
        ConfigurationKey(
            "control", "connectionsPerUser", .inDaemon, \.control.maximumConnectionsPerUser,
            connectionCountFormat),
        ConfigurationKey(
            "control", "requestBytes", .inDaemon, \.control.maximumRequestBytes,
            .byteSize.within(1 << 10...64 << 20)),
        ConfigurationKey(
            "control", "unsentBytes", .inDaemon, \.control.maximumUnreadBytesPerUser,
            .byteSize.within(1 << 20...1 << 40)),
        ConfigurationKey("control", "observers", .inDaemon, \.control.observerGroup, .groupName),
        ConfigurationKey("metrics", "file", .inDaemon, \.metrics.filePath, .metricsFile),
        ConfigurationKey("log", "level", .inDaemon, \.log.level, .enumeration),
        ConfigurationKey("debug", "exits", .inDaemon, \.debug.allowsDebugExit, .boolean),
    ]

    /// Names of the sections, in the order of ``all``.
    static let sections = all.reduce(into: [String]()) { sections, key in
        if sections.last != key.section { sections.append(key.section) }
    }

    // Limits on the files that are stored beside an archive. The oldest files are deleted first.
    private static let retainedCountFormat = ScalarFormat.integer.within(1...10_000)
    private static let retainedBytesFormat = ScalarFormat.byteSize.within(64 << 10...1 << 40)

    private static let connectionCountFormat = ScalarFormat.integer.within(1...100_000).refusing {
        DescriptorLimit.excessAdvice(of: $0)
    }

    private static func readLimits(_ reader: MappingReader, into configuration: inout Configuration)
    {
        let sizes = ScalarFormat.byteSize.within(1 << 10...1 << 30)
        var limits = configuration.limits
        limits.maximumBytes = reader.value("state", sizes, default: limits.maximumBytes)
        limits.warningBytes = reader.value(
            "stateWarning", sizes, default: min(limits.warningBytes, limits.maximumBytes))
        if limits.warningBytes > limits.maximumBytes {
            reader.log.report(
                "limits.stateWarning (\(limits.warningBytes.byteSizeText)) is above limits.state "
                    + "(\(limits.maximumBytes.byteSizeText)): write a smaller warning or a larger limit.",
                at: reader.entry("stateWarning")?.value.position ?? reader.position)
        }
        configuration.limits = limits
    }
}
