import RepriseControl
import Varlink

/// Error that makes a command fail, with the exit status of the command.
struct Failure: Error, CustomStringConvertible {
    /// Exit status of the command.
    enum Status: Int32 {
        /// The daemon refused the call, or the command failed for a reason that has no status of its own.
        case refused = 1
        /// The arguments are wrong.
        case usage = 2
        /// The daemon could not be reached, or its reply is invalid.
        case noDaemon = 3
        /// The user is not permitted to call the daemon.
        case notPermitted = 4
        /// No reply arrived in time. The operation may have taken effect.
        case timedOut = 5
        /// The reply could not be printed. The operation has taken effect.
        case notPrinted = 6

        /// Status for an encryption key that cannot be read or has the wrong format.
        static let malformedKey = Status.usage
        /// Status for an encryption key that does not decrypt the file.
        static let wrongKey = Status.refused

        /// Whether the daemon might be available for further commands.
        ///
        /// If the daemon is unavailable, each further command would wait for the timeout.
        var allowsFurtherCommands: Bool {
            switch self {
            case .refused, .usage, .notPrinted: true
            case .noDaemon, .notPermitted, .timedOut: false
            }
        }
    }

    private(set) var description: String
    let status: Status
    /// Name of the failure in JSON. It is used only if the daemon did not reply with an error.
    private(set) var errorName: String
    /// Whether the description has several lines. In any other description, a newline is shown as an escape.
    private(set) var isMultiline = false
    /// Error with which the daemon replied, or `nil` if the daemon did not reply with an error.
    let errorReply: VarlinkError?
    /// Name that the user probably meant, or `nil` if there is no suggestion.
    private(set) var suggestion: String?
    /// Whether the command has already printed its reply.
    private(set) var hasPrintedReply = false
    /// Members of the reply to an operation that has taken effect.
    private var replyMembers: [String: StateJSON] = [:]

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - errorName: The name of the failure in JSON, or `nil` to use the name of the status.
    ///   - replyMembers: The members of the reply to an operation that has taken effect but is not as durable as
    ///     requested.
    init(
        _ description: String, status: Status = .refused, errorName: String? = nil,
        replyMembers: [String: StateJSON] = [:], hasPrintedReply: Bool = false,
        isMultiline: Bool = false
    ) {
        self.description = description
        self.status = status
        self.errorName = errorName ?? "\(status)"
        self.replyMembers = replyMembers
        self.hasPrintedReply = hasPrintedReply
        self.isMultiline = isMultiline
        errorReply = nil
    }

    /// Creates a failure from an error returned by the daemon.
    ///
    /// - Parameter isReadOnly: Whether observers may call the method.
    init(_ error: VarlinkError, from path: String, isReadOnly: Bool) {
        errorReply = error
        if error == .permissionDenied {
            description =
                Self.notPermittedMessage(path)
                + (isReadOnly
                    ? ""
                    : " Members of the group that control.observers names have read-only access.")
            status = .notPermitted
            errorName = "\(status)"
            return
        }
        let controlError = ControlError(error)
        let sentence = controlError?.description ?? error.description
        switch controlError {
        // Each line is a separate sentence.
        case .configurationRefused, .startFailed, .reloadedInPart, .rekeyedInPart:
            description = sentence
            isMultiline = true
        default: description = sentence.replacing("\n", with: "\\n")
        }
        status = .refused
        errorName = "\(status)"
    }

    /// Whether the daemon replied that it cannot start.
    var isStartFailure: Bool {
        switch errorReply.flatMap(ControlError.init) {
        case .configurationRefused, .startFailed: true
        default: false
        }
    }

    /// Creates a failure for a call whose connection closed before the daemon replied. The call may have taken effect.
    init(unanswered method: String, because reason: String) {
        self.init(
            "\(reason): \(method) may have been carried out; check with `reprisectl status`, "
                + "`show` or `history` before you repeat it.", status: .timedOut,
            errorName: "unanswered")
    }

    /// Returns the failure with a suggested name added to its description, or the unchanged failure if the name is
    /// `nil`.
    func suggesting(_ name: String?) -> Failure {
        guard let name else { return self }
        var failure = self
        failure.suggestion = name
        failure.description += " Did you mean \(name.replacing("\n", with: "\\n"))?"
        return failure
    }

    /// Returns the message for a user who is not permitted to connect to the socket at a path.
    static func notPermittedMessage(_ path: String) -> String {
        "this user has no permission to use the daemon at \(path): run the command as root, as the daemon's user, or "
            + "as a member of the group reprise."
    }

    /// Members that represent the failure in JSON, including its description and the name of the error.
    var members: [String: StateJSON] {
        var members = replyMembers
        members["message"] = .string(description)
        members["error"] = .string(errorReply?.name ?? errorName)
        members["suggestion"] = suggestion.map(StateJSON.string)
        if let errorReply {
            do {
                members["parameters"] = try JSONText.read(
                    StateJSON.self, from: errorReply.parameters)
            } catch {
                // The parameters are not JSON. The description contains all available information.
            }
        }
        return members
    }
}
