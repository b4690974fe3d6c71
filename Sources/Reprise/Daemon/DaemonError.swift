import Encryption
import ExactText
import Logging
import PositionedYAML
import Preservation
import SavedState
import SystemPackage
import Systemd
import TerminalText

/// Reason why a daemon did not start or did not stop cleanly.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    /// Category of an error, which determines whether another start can succeed.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// The program's arguments are invalid, and an operator must correct them.
        case arguments
        /// The configuration or a file that it refers to is invalid, and an operator must correct it.
        case configuration
        /// The system does not allow the daemon to run.
        case environment
        /// The daemon stopped on request, but the latest state of an application was not saved.
        case unsaved

        /// Exit status of the process, which is 1, 2, or 78 (EX_CONFIG in sysexits.h(3head)).
        ///
        /// The systemd unit does not restart the daemon after status 2 or 78.
        public var exitStatus: Int32 {
            switch self {
            case .arguments: 2
            case .configuration: 78
            case .environment, .unsaved: 1
            }
        }
    }

    /// Category of the error.
    public let kind: Kind
    /// Sentences that say what is wrong, where, and what to do, with one line for each problem.
    public let description: String
    /// Errors that have a position in a file.
    ///
    /// These errors are the first lines of the description.
    private var positionedErrors: [PositionedError] = []

    /// Creates an error from its cause.
    ///
    /// - Parameter cause: A ``ConfigurationError``, an `UnsavedStop`, or an error that prevents the daemon from
    ///   running on the system.
    init(_ cause: any Error) {
        kind =
            switch cause {
            case LocationError.emptyOption: .arguments
            case EncryptionKeyError.io: .environment
            case is ConfigurationError, is EncryptionKeyError, is ControlSocketsError:
                .configuration
            case let failure as SystemdError where failure.isSocketUnitError: .configuration
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
        positionedErrors = problems.errors
        description = Self.printable(lines: text)
    }

    /// Creates an error for invalid arguments to the program.
    ///
    /// - Parameter sentence: A sentence that says what is wrong and what to do.
    init(arguments sentence: String) {
        kind = .arguments
        description = Self.printable(lines: sentence)
    }

    private static func printable(lines: String) -> String {
        lines.parts(separatedBy: "\n").map(\.printable).joined(separator: "\n")
    }

    /// Lines of the description.
    var lines: [String] { description.split(separator: "\n").map(String.init) }

    /// Logs the error, even if logging has not been set up yet.
    ///
    /// If stderr is connected to the journal, each line becomes a journal entry with a MESSAGE_ID. Errors with a
    /// position in a file also have the fields REPRISE_FILE, REPRISE_LINE and REPRISE_COLUMN. Otherwise, the error is
    /// printed to stderr.
    ///
    /// - Parameter program: The name of the program, which precedes the error on stderr.
    func log(as program: String) {
        defer { SystemdLogging.flush() }
        switch SystemdLogging.destination {
        case .journal:
            let logger = Logger(label: program, factory: SystemdLogging.makeHandler)
            let log = DaemonLog(logger: logger)
            let event: DaemonEvent = kind == .unsaved ? .stoppedUnsaved : .failed
            for problem in positionedErrors {
                log.log(.error, event, problem.description, problem.journalFields)
            }
            for line in lines.dropFirst(positionedErrors.count) { log.log(.error, event, line) }
        case .terminal: SystemdLogging.write("\(program): \(description)\n")
        case .other:
            // The other messages of a stopping daemon also have a priority prefix.
            SystemdLogging.write("\(kind == .unsaved ? "<3>" : "")\(program): \(description)\n")
        }
    }

}

extension PositionedError {
    /// Position in the file, as journal fields.
    var journalFields: [String: String] {
        [
            "REPRISE_FILE": position.file, "REPRISE_LINE": "\(position.line)",
            "REPRISE_COLUMN": "\(position.column)",
        ]
    }
}
