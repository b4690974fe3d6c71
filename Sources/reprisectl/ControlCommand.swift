import ArgumentParser
import FoundationEssentials
import RepriseControl
import Varlink

/// A command that is one method of the control interface.
protocol ControlCommand: ParsableCommand {
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

    /// The options that name what the method is about.
    var options: Scope { get }
    /// Whether calling twice does the same as calling once.
    var isRepeatable: Bool { get }

    /// States in a call what the command is about.
    func address(_ call: inout Call)
    /// States the other parameters.
    func state(in call: inout Call)
    /// Prints the reply for a person.
    func present(_ reply: Call.Reply)
}

extension ControlCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: commandName, abstract: abstract, discussion: discussion)
    }

    static var commandName: String { Call.method.lowercased() }
    static var discussion: String { "" }

    var isRepeatable: Bool { true }

    func state(in call: inout Call) {}

    func run() throws { try carryOut() }

    /// Calls the method and prints the reply.
    func carryOut() throws {
        let connection = try DaemonConnection(options.daemon)
        try print(connection.call(call, isRepeatable: isRepeatable))
    }

    /// Calls the method, and prints each reply that is another than the one before. Nothing is
    /// printed again because the daemon was restarted.
    ///
    /// - Parameter prepare: is called before each.
    func followReplies(_ prepare: () -> Void = {}) throws {
        let connection = try DaemonConnection(options.daemon)
        var last: [UInt8]?
        try connection.follow {
            call
        } body: { reply in
            if reply != last {
                prepare()
                try print(reply)
            }
            last = reply
            return true
        }
    }

    private var call: Call {
        var call = Call()
        address(&call)
        state(in: &call)
        return call
    }

    private func print(_ reply: [UInt8]) throws {
        if options.daemon.json {
            Terminal.write(json: String(decoding: reply, as: UTF8.self))
        } else {
            present(try Call.decode(reply))
        }
    }
}

extension ControlCall {
    /// The reply that a daemon gave.
    static func decode(_ reply: [UInt8]) throws(Failure) -> Reply {
        do {
            return try JSONText.decode(Reply.self, from: reply)
        } catch {
            throw Failure(
                "the daemon's reply to \(method) is of another shape than expected: "
                    + "daemon and reprisectl may be of different versions.")
        }
    }
}

extension ControlCommand where Scope == DaemonScope {
    func address(_ call: inout Call) {}
}

extension ControlCommand where Scope == ApplicationScope, Call: ApplicationCall {
    func address(_ call: inout Call) { call.application = options.application }
}

extension ControlCommand where Scope == SceneScope, Call: SceneCall {
    func address(_ call: inout Call) {
        call.application = options.application
        call.scene = options.scene
    }
}

extension ControlCommand where Call.Reply == SavedReply {
    func present(_ reply: SavedReply) { reply.presentSaved() }
}

extension TellsSaved {
    /// Prints how safe the change is. One that could not be saved has happened all the same.
    func presentSaved() {
        switch saved {
        case .durable: Terminal.print("saved: durable")
        case .written: Terminal.print("saved: written")
        case .no: Terminal.complain("done, but NOT SAVED: \(notSavedReason ?? "reason unknown")")
        }
    }
}
