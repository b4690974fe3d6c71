import PositionedYAML
import Preservation

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
        case trace, debug, info, notice, warning, error, critical
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

/// Why a daemon did not start, or ended.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    /// What sort of trouble it is; tells whether starting again can help.
    public enum Kind: Sendable {
        /// The configuration, or something it names, is wrong: a person has to mend it.
        case configuration
        /// The system does not let the daemon run.
        case environment
        /// The daemon ended as it was told, and the last state of an application is not saved.
        case unsaved

        /// The exit status: EX_CONFIG of sysexits.h(3head), which the unit does not restart on,
        /// or 1.
        public var exitStatus: Int32 {
            switch self {
            case .configuration: 78
            case .environment, .unsaved: 1
            }
        }
    }

    /// What sort of trouble it is.
    public let kind: Kind
    /// What, where, and what to do; a line for each thing that is wrong.
    public let description: String

    /// - Parameter cause: a ``ConfigurationError``, an `UnsavedStop`, or what the system does not
    ///   allow.
    init(_ cause: any Error) {
        kind =
            switch cause {
            case is ConfigurationError: .configuration
            case is UnsavedStop: .unsaved
            default: .environment
            }
        description = String(describing: cause)
    }
}
