/// What the command line of a daemon states; everything else comes from configuration and
/// environment.
public struct DaemonOptions: Sendable {
    /// The configuration file; nil: the first that exists of the usual places.
    public var configuration: String?
    /// Where state is kept; nil: what systemd gave, else a folder of the user's.
    public var stateDirectory: String?
    /// Where to listen; nil: on sockets that were passed in, else the usual place.
    public var socket: String?
    /// What is logged; nil: what the configuration says.
    public var logLevel: LogLevel?

    /// From which level on events are logged, as syslog(3) orders them.
    public enum LogLevel: String, Sendable, CaseIterable {
        /// Everything, for who works on the program.
        case trace
        /// What it does, step by step.
        case debug
        /// What it has done.
        case info
        /// What a person may want to know.
        case notice
        /// What a person should look at.
        case warning
        /// What did not happen that should have.
        case error
        /// What makes it useless.
        case critical
    }

    /// Options of these values.
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
