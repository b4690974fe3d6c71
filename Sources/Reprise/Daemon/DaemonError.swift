import PositionedYAML

/// Why a daemon did not start, or ended.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    /// What sort of trouble it is; tells whether starting again can help.
    public enum Kind: Sendable {
        /// The configuration, or something it names, is wrong: a person has to mend it.
        case configuration
        /// The system does not let the daemon run.
        case environment

        /// The exit status: EX_CONFIG of sysexits.h(3head), which the unit does not restart on,
        /// or 1.
        public var exitStatus: Int32 {
            switch self {
            case .configuration: 78
            case .environment: 1
            }
        }
    }

    /// What sort of trouble it is.
    public let kind: Kind
    /// What, where, and what to do; a line for each thing that is wrong.
    public let description: String

    init(_ kind: Kind, _ cause: any Error) {
        self.kind = kind
        description = String(describing: cause)
    }

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
