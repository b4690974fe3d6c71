import Encryption
import ExactText
import Logging
import PositionedYAML
import Preservation
import SavedState
import SystemPackage
import Systemd
import TerminalText

/// Why a daemon did not start, or ended.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    /// What sort of trouble it is; tells whether starting again can help.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// The program's arguments are wrong: a person has to mend them.
        case arguments
        /// The configuration, or something it names, is wrong: a person has to mend it.
        case configuration
        /// The system does not let the daemon run.
        case environment
        /// The daemon ended as it was told, and the last state of an application is not saved.
        case unsaved

        /// The exit status: 2 or EX_CONFIG (78) of sysexits.h(3head), which the unit does not restart
        /// on, or 1.
        public var exitStatus: Int32 {
            switch self {
            case .arguments: 2
            case .configuration: 78
            case .environment, .unsaved: 1
            }
        }
    }

    /// What sort of trouble it is.
    public let kind: Kind
    /// What, where, and what to do; a line for each thing that is wrong.
    public let description: String
    /// The places in files that are wrong; the first lines of the description.
    private var places: [PositionedError] = []

    /// - Parameter cause: a ``ConfigurationError``, an `UnsavedStop`, or what the system does not
    ///   allow.
    init(_ cause: any Error) {
        kind =
            switch cause {
            case LocationError.emptyOption: .arguments
            case EncryptionKeyError.io: .environment
            case is ConfigurationError, is EncryptionKeyError, is ControlAddressError:
                .configuration
            case let failure as SystemdFailure where failure.isOfSocketUnit: .configuration
            case StateDirectoryError.encrypted, StateDirectoryError.unfinishedRestore:
                .configuration
            case is UnsavedStop: .unsaved
            default: .environment
            }
        let text = String(describing: cause)
        guard case ConfigurationError.refused(let problems) = cause else {
            description = text.printable
            return
        }
        places = problems.errors
        description = Self.printable(lines: text)
    }

    /// The program's arguments are wrong.
    ///
    /// - Parameter sentence: what is wrong, and what to do.
    init(arguments sentence: String) {
        kind = .arguments
        description = Self.printable(lines: sentence)
    }

    private static func printable(lines: String) -> String {
        lines.parts(separatedBy: "\n").map(\.printable).joined(separator: "\n")
    }

    /// The lines of the description.
    var lines: [String] { description.split(separator: "\n").map(String.init) }

    /// Tells it in the place of the log, whether that is set up or not: a record of the journal for
    /// each line, with MESSAGE_ID and for a place in a file REPRISE_FILE, REPRISE_LINE and
    /// REPRISE_COLUMN, if stderr is connected to the journal; else on stderr.
    ///
    /// - Parameter program: the program's name, which stands in front on stderr.
    func tell(as program: String) {
        defer { SystemdLogging.flush() }
        switch SystemdLogging.destination {
        case .journal:
            let logger = Logger(label: program, factory: SystemdLogging.makeHandler)
            let log = DaemonLog(logger: logger)
            for place in places { log.tell(.error, .failed, place.description, place.fields) }
            for line in lines.dropFirst(places.count) { log.tell(.error, .failed, line) }
        case .terminal: SystemdLogging.write("\(program): \(description)\n")
        case .other:
            // The log's lines have it, too, before the end.
            SystemdLogging.write("\(kind == .unsaved ? "<3>" : "")\(program): \(description)\n")
        }
    }

}

extension PositionedError {
    /// The place, as fields of the journal.
    var fields: [String: String] {
        [
            "REPRISE_FILE": position.file, "REPRISE_LINE": "\(position.line)",
            "REPRISE_COLUMN": "\(position.column)",
        ]
    }
}
