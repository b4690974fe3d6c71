/// Values of a daemon's command-line options.
///
/// All other settings are in the configuration and the environment.
public struct DaemonOptions: Sendable {
    /// Path of the configuration file, or `nil` for the first file that exists at a default location.
    public var configuration: String?
    /// Path of the state directory, or `nil` for the directory that systemd provides or the user's own state directory.
    public var stateDirectory: String?
    /// Path of the control socket, or `nil` for the sockets that systemd passes or the default location.
    public var socket: String?
    /// Log level, or `nil` for the level in the configuration.
    public var logLevel: LogLevel?

    /// Minimum level of logged events. The cases are in order of increasing severity (see syslog(3)).
    public enum LogLevel: String, Sendable, CaseIterable {
        /// All events, for developers of the program.
        case trace
        /// Individual steps of the program.
        case debug
        /// Completed operations.
        case info
        /// Events that may interest an operator.
        case notice
        /// Problems that an operator should check.
        case warning
        /// Failed operations.
        case error
        /// Failures that make the program unusable.
        case critical
    }

    /// Creates options with the given values.
    public init(
        configuration: String? = nil, stateDirectory: String? = nil, socket: String? = nil,
        logLevel: LogLevel? = nil
    ) {
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        self.socket = socket
        self.logLevel = logLevel
    }
}
