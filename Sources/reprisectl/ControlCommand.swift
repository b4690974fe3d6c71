import ArgumentParser
import FoundationEssentials
import RepriseControl
import Varlink

/// A command that asks the daemon.
protocol DaemonCommand: ParsableCommand {
    /// What the command line says of the daemon and of the output.
    var daemon: DaemonOptions { get }

    /// Carries the command out.
    func run(in session: Session) throws
}

extension DaemonCommand {
    func run() throws { try run(in: Session(daemon)) }
}

/// A command that is one method of the control interface.
protocol ControlCommand: DaemonCommand, OptionIgnoring {
    /// The method.
    associatedtype Call: ControlCall
    /// What the method is about.
    associatedtype Scope: ControlScope

    /// The command's name, by default that of the method.
    static var commandName: String { get }
    /// What the command does, in a sentence.
    static var abstract: String { get }
    /// What else its help tells.
    static var discussion: String { get }
    /// Whether what it prints may take more than a page.
    static var isLong: Bool { get }

    /// The options that name what the method is about.
    var options: Scope { get }
    /// Whether calling twice does the same as calling once.
    var isRepeatable: Bool { get }
    /// Whether the command has failed if its change is not durable.
    var isAwaited: Bool { get }

    /// States in a call what the command is about.
    func address(_ call: inout Call, in session: Session)
    /// States the other parameters.
    func state(in call: inout Call)
    /// Tells on stderr what is wrong with what the reply is about, before it is printed.
    func presentProblems(_ reply: Call.Reply)
    /// Prints the reply for a person.
    func present(_ reply: Call.Reply)
    /// Prints of the reply what a person wants to know who asked for quiet.
    func presentQuietly(_ reply: Call.Reply)
}

extension ControlCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: commandName, abstract: abstract, discussion: discussion)
    }

    static var commandName: String { Call.method.lowercased() }
    static var discussion: String { "" }
    static var isLong: Bool { false }

    static var ignoredOptions: Set<String> {
        var options: Set<String> = []
        if Call.isLooking { options.insert("--quiet") }
        if !isLong { options.insert("--no-pager") }
        if !(Scope.self is any ApplicationNaming.Type) { options.insert("--follow") }
        return options
    }

    var isRepeatable: Bool { true }
    var isAwaited: Bool { options.isAwaited }
    var daemon: DaemonOptions { options.daemon }

    func state(in call: inout Call) {}
    func presentProblems(_ reply: Call.Reply) {}

    func presentQuietly(_ reply: Call.Reply) {
        guard let change = reply as? any TellsSaved else { return present(reply) }
        if change.saved == .no { change.presentSaved() }
    }

    func run(in session: Session) throws { try carryOut(in: session) }

    /// Calls the method and prints the reply.
    func carryOut(in session: Session) throws {
        let (reply, failure) = try outcome(in: session)
        guard let failure else { return try print(reply, in: session) }
        // As JSON the failure has the members of the reply.
        if session.json { throw failure }
        try tell(reply, failure, in: session)
        throw ExitCode(failure.status.rawValue)
    }

    /// Calls the method, and prints each reply that is another than the one before. Nothing is
    /// printed again because the daemon was restarted.
    ///
    /// - Parameter prepare: is called before each.
    func followReplies(in session: Session, _ prepare: () -> Void = {}) throws {
        if Terminal.line != nil {
            throw Failure("--watch has no end: leave it out of a batch.", status: .usage)
        }
        let call = call(in: session)
        var last: [UInt8]?
        do {
            try session.daemon.follow {
                call
            } body: { reply in
                if reply != last {
                    prepare()
                    try print(reply, in: session)
                }
                last = reply
                return true
            }
        } catch let failure as Failure {
            throw failure.suggesting(in: session, for: call)
        }
    }

    private func call(in session: Session) -> Call {
        var call = Call()
        address(&call, in: session)
        state(in: &call)
        return call
    }

    private func print(_ reply: [UInt8], in session: Session) throws {
        if session.json {
            Terminal.write(json: String(decoding: reply, as: UTF8.self))
        } else {
            try tell(reply, in: session)
        }
    }

    /// Calls the method.
    ///
    /// - Returns: the reply's parameters, one JSON object, and why the change is not as safe as it was
    ///   to be, if it is not.
    func outcome(in session: Session) throws -> (reply: [UInt8], failure: Failure?) {
        let call = call(in: session)
        let reply: [UInt8]
        do {
            reply = try session.daemon.call(call, isRepeatable: isRepeatable)
        } catch let failure as Failure {
            throw failure.suggesting(in: session, for: call)
        }
        return isAwaited ? try session.durable(reply, to: call) : (reply, nil)
    }

    /// Prints a reply for a person, and why the change is not as safe as it was to be, if it is not.
    func tell(_ reply: [UInt8], _ failure: Failure?, in session: Session) throws {
        try tell(reply, in: session)
        guard let failure else { return }
        // What is not saved is told with the reply.
        let change = try Call.decode(reply) as? any TellsSaved
        if change?.saved != .no { failure.complain() }
    }

    /// Prints a reply for a person.
    func tell(_ reply: [UInt8], in session: Session) throws {
        let reply = try Call.decode(reply)
        presentProblems(reply)
        Pager.page(if: Self.isLong && daemon.isPaged) {
            if session.isQuiet { presentQuietly(reply) } else { present(reply) }
        }
    }
}

extension ControlCall {
    /// The reply that a daemon gave.
    static func decode(_ reply: [UInt8]) throws(Failure) -> Reply {
        try decode(Reply.self, reply)
    }

    /// The members of the reply that a daemon gave.
    static func members(of reply: [UInt8]) throws(Failure) -> [String: StateJSON] {
        try decode([String: StateJSON].self, reply)
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ reply: [UInt8]
    ) throws(Failure) -> Value {
        do {
            return try JSONText.decode(type, from: reply)
        } catch {
            let sentence =
                "the daemon's reply to \(method) is of another shape than expected: daemon and "
                + "reprisectl may be of different versions."
            throw isLooking
                ? Failure(sentence, status: .noDaemon)
                : Failure("done, but \(sentence)", status: .notPrinted)
        }
    }
}

extension ControlCommand where Scope == DaemonScope {
    func address(_ call: inout Call, in session: Session) {}
}

extension ControlCommand where Scope: ApplicationNaming, Call: ApplicationCall {
    func address(_ call: inout Call, in session: Session) {
        call.application = options.application ?? session.application
    }
}

extension ControlCommand where Scope: SceneNaming, Call: SceneCall {
    func address(_ call: inout Call, in session: Session) {
        call.application = options.application ?? session.application
        // Another application's scenes have names of their own.
        call.scene = options.scene ?? (options.application == nil ? session.scene : nil)
    }
}

extension ControlCommand where Call.Reply == SavedReply {
    func present(_ reply: SavedReply) { reply.presentSaved() }
}

extension TellsSaved {
    /// Prints how safe the change is. One that could not be saved has happened all the same.
    func presentSaved() {
        switch saved {
        case .replicated: Terminal.print("saved: replicated")
        case .durable: Terminal.print("saved: durable")
        case .written: Terminal.print("saved: written")
        case .no: Terminal.complain("done, but NOT SAVED: \(notSavedReason ?? "reason unknown")")
        }
    }
}
