/// A key of the configuration that takes effect while the daemon runs.
struct ConfigurationKey: Sendable {
    /// As the documentation writes it.
    let name: String
    private let isEqual: @Sendable (Configuration, Configuration) -> Bool

    private init<Value: Equatable & SendableMetatype>(
        _ name: String, _ value: @escaping @Sendable (Configuration) -> Value
    ) {
        self.name = name
        isEqual = { value($0) == value($1) }
    }

    /// Whether two configurations give it other values.
    func differs(_ first: Configuration, _ second: Configuration) -> Bool {
        !isEqual(first, second)
    }

    /// Those that applications are told of.
    static let ofApplications = [
        ConfigurationKey("preservation.interval") { $0.preservation.interval },
        ConfigurationKey("preservation.durability") { $0.preservation.durability },
        ConfigurationKey("history.count") { $0.history.count },
        ConfigurationKey("history.bytes") { $0.history.bytes },
        ConfigurationKey("history.interval") { $0.history.interval },
        ConfigurationKey("quarantine.count") { $0.quarantine.count },
        ConfigurationKey("quarantine.bytes") { $0.quarantine.bytes },
        ConfigurationKey("launch.crashLimit") { $0.launch.crashLimit },
        ConfigurationKey("launch.timeout") { $0.launch.timeout },
        ConfigurationKey("limits.stateWarning") { $0.limits.stateWarning },
        ConfigurationKey("limits.state") { $0.limits.state },
    ]

    /// Those of the daemon itself.
    static let ofDaemon = [
        ConfigurationKey("control.connectionsPerUser") { $0.control.connectionsPerUser },
        ConfigurationKey("control.requestBytes") { $0.control.requestBytes },
        ConfigurationKey("log.level") { $0.log.level },
        ConfigurationKey("debug.exits") { $0.debug.exits },
    ]
}
