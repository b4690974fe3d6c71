import ArgumentParser
import RepriseControl
import Varlink

/// Why a command was not carried out, and the exit status that says so.
struct Failure: Error, CustomStringConvertible {
    /// What the command ends with.
    enum Status: Int32 {
        /// The daemon refused, or the command itself cannot do it.
        case refused = 1
        /// The arguments are wrong.
        case usage = 2
        /// Nobody answers, or not as the daemon does.
        case noDaemon = 3
        /// The user may not ask the daemon.
        case notPermitted = 4
        /// No answer came in time, or at all: what was asked for may have happened.
        case timedOut = 5
        /// The answer could not be printed; what was asked for has happened.
        case notPrinted = 6

        /// Whether there is a daemon to ask for something else; without one each further command would
        /// wait for it.
        var hasDaemon: Bool {
            switch self {
            case .refused, .usage, .notPrinted: true
            case .noDaemon, .notPermitted, .timedOut: false
            }
        }
    }

    private(set) var description: String
    let status: Status
    /// A word for it, in JSON, unless the daemon replied an error.
    private var word: String
    /// Whether the description has lines of its own; else a newline in it is shown as an escape.
    private var hasLines = false
    /// The error that the daemon replied, if it did.
    let reply: VarlinkError?
    /// What was meant, as it seems.
    private(set) var suggestion: String?
    /// Whether the command has printed its answer all the same.
    private(set) var isAnswered = false
    /// The members of the reply to what has happened all the same.
    private var answer: [String: StateJSON] = [:]

    init(
        _ description: String, status: Status = .refused, isAnswered: Bool = false,
        hasLines: Bool = false
    ) {
        self.description = description
        self.status = status
        self.isAnswered = isAnswered
        self.hasLines = hasLines
        word = "\(status)"
        reply = nil
    }

    /// What was asked for has happened, and is not as safe as it was to be.
    ///
    /// - Parameter answer: The members of the reply.
    init(notSafe description: String, status: Status = .refused, answer: [String: StateJSON]) {
        self.init(description, status: status)
        self.answer = answer
        if status == .refused { word = "notSaved" }
    }

    /// The daemon's refusal.
    ///
    /// - Parameter isLooking: whether observers may call the method.
    init(_ error: VarlinkError, from path: String, isLooking: Bool) {
        reply = error
        if error == .permissionDenied {
            description =
                Self.notPermitted(path)
                + (isLooking
                    ? ""
                    : " Members of the group that control.observers names have read-only access.")
            status = .notPermitted
            word = "\(status)"
            return
        }
        let known = ControlError(error)
        let sentence = known?.description ?? error.description
        switch known {
        // Each of its lines is a sentence of its own.
        case .configurationRefused, .startFailed, .reloadedInPart, .rekeyedInPart:
            description = sentence
            hasLines = true
        default: description = sentence.replacing("\n", with: "\\n")
        }
        status = .refused
        word = "\(status)"
    }

    /// Whether the daemon replied that it cannot start.
    var isOfStart: Bool {
        switch reply.flatMap(ControlError.init) {
        case .configurationRefused, .startFailed: true
        default: false
        }
    }

    /// The connection broke off behind a call that changes something, and nobody knows what became of
    /// it.
    init(unanswered method: String, because reason: String) {
        self.init(
            "\(reason): \(method) may have been carried out; check before you repeat it, with "
                + "`reprisectl status`, `show` or `history`.", status: .timedOut)
        word = "unanswered"
    }

    /// There is no answer.
    init(_ error: ClientError) {
        switch error {
        case .permissionDenied(let path):
            self.init(Self.notPermitted(path), status: .notPermitted)
        case .timedOut:
            self.init("\(error.description) --timeout waits longer.", status: .timedOut)
        case .badPathLength, .badParameters:
            self.init(error.description, status: .usage)
        case .noSuchSocket(let path):
            self.init(
                "there is no socket at \(path): \(DaemonSocket.remedy(for: path)).",
                status: .noDaemon)
        case .refused(let path):
            self.init(
                "no daemon listens on \(path): \(DaemonSocket.remedy(for: path)).",
                status: .noDaemon)
        case .disconnected, .notTaken, .badReply, .system:
            self.init(error.description, status: .noDaemon)
        }
    }

    /// The failure with the name that was meant in its sentence, if one is near.
    func suggesting(_ name: String?) -> Failure {
        guard let name else { return self }
        var failure = self
        failure.suggestion = name
        failure.description += " Did you mean \(name.replacing("\n", with: "\\n"))?"
        return failure
    }

    /// The refusal of a call with what was meant by it; the daemon is asked for what it has.
    func suggesting(in session: Session, for call: some ControlCall) -> Failure {
        guard let reply, let error = ControlError(reply) else { return self }
        let names = LiveNames(session.daemon, within: .seconds(1))
        return suggesting(names.suggestion(for: error, to: call))
    }

    private static func notPermitted(_ path: String) -> String {
        "this user may not ask the daemon at \(path): run the command as root, as the daemon's user, or "
            + "as a member of the group reprise."
    }

    /// The failure as an object of JSON: the Varlink error's name, or a word of its own, and the
    /// sentence.
    var members: [String: StateJSON] {
        var members = answer
        members["message"] = .string(description)
        members["error"] = .string(reply?.name ?? word)
        members["suggestion"] = suggestion.map(StateJSON.string)
        if let reply {
            do {
                members["parameters"] = try JSONText.decode(StateJSON.self, from: reply.parameters)
            } catch {
                // They are no JSON: the sentence tells what there is to tell.
            }
        }
        return members
    }

    /// Tells of the failure: on stderr, and as JSON on stdout if that is asked for and nothing was
    /// answered before.
    func tell(asJSON: Bool) {
        if asJSON, !isAnswered {
            var members = members
            members["line"] = Terminal.line.map { .integer(Int64($0)) }
            do {
                Terminal.offer(json: String(decoding: try JSONText.encode(members), as: UTF8.self))
            } catch {
                Terminal.offer(json: #"{"error":"\#(word)"}"#)
            }
        }
        complain()
    }

    /// Tells of the failure on stderr.
    func complain() {
        if hasLines {
            Terminal.complain(
                lines: description.split(separator: "\n", omittingEmptySubsequences: false))
        } else {
            Terminal.complain(description)
        }
    }
}

/// A command that does nothing without one of its subcommands.
protocol CommandFamily: ParsableCommand {}

extension CommandFamily {
    /// - Throws: ``Failure``, as no subcommand was named.
    func run() throws {
        throw Failure(
            "Name a command.\n\n\(Reprisectl.helpMessage(for: Self.self))", status: .usage,
            hasLines: true)
    }
}
