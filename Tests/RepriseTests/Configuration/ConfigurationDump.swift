import PositionedYAML
import Preservation
import StateRestoration

@testable import Reprise

/// Text of a configuration with one line for each key, for comparison with a fixture.
enum ConfigurationDump {
    static func dump(_ loaded: LoadedConfiguration) -> String {
        let configuration = loaded.configuration
        var lines = configuration.applications.flatMap(lines)
        lines += [
            "preservation.interval = \(configuration.preservation.interval.textWithUnit)",
            "preservation.durability = \(configuration.preservation.durability)",
            "history.count = \(configuration.history.count)",
            "history.bytes = \(configuration.history.bytes)",
            "history.interval = \(configuration.history.interval.textWithUnit)",
            "quarantine.count = \(configuration.quarantine.count)",
            "quarantine.bytes = \(configuration.quarantine.bytes)",
            "launch.crashLimit = \(configuration.launch.crashLimit)",
            "launch.timeout = \(configuration.launch.timeout.textWithUnit)",
            "launch.eager = \(configuration.launch.launchesEagerly)",
            "launch.idle = \(configuration.launch.idleTimeout?.textWithUnit ?? "null")",
            "limits.stateWarning = \(configuration.limits.warningBytes)",
            "limits.state = \(configuration.limits.maximumBytes)",
            "limits.turn = \(configuration.maximumTurnDuration.textWithUnit)",
            "control.socket = \(configuration.control.socketPath ?? "null")",
            "control.connectionsPerUser = \(configuration.control.maximumConnectionsPerUser)",
            "control.requestBytes = \(configuration.control.maximumRequestBytes)",
            "control.unsentBytes = \(configuration.control.maximumUnreadBytesPerUser)",
            "control.observers = \(configuration.control.observerGroup ?? "null")",
            "metrics.file = \(configuration.metrics.filePath ?? "null")",
            "log.level = \(configuration.log.level)",
            "debug.exits = \(configuration.debug.allowsDebugExit)",
        ]
        return (lines + loaded.dropIns.map { "drop-in \($0)" }).joined(separator: "\n") + "\n"
    }

    private static func lines(_ application: ConfiguredApplication) -> [String] {
        let identifier = application.bundleIdentifier
        let place = "\(identifier.position)"
        let storyboards = application.storyboards.map { "\($0.map(\.value))" } ?? "its own"
        return [
            "application \(identifier.value) at \(place)",
            "  scenes \(application.scenes.map(\.value))",
            "  storyboards \(storyboards)",
        ]
    }
}
