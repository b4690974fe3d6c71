import ArgumentParser
import FoundationEssentials
import RepriseControl
import Varlink

/// Command that calls the daemon.
protocol DaemonCommand: ParsableCommand {
    /// Options for the daemon and the output.
    var daemon: DaemonCallOptions { get }

    /// Runs the command.
    func run(in context: CommandContext) throws
}

extension DaemonCommand {
    func run() throws { try run(in: CommandContext(daemon)) }
}

/// Command for one method of the control interface.
protocol ControlCommand: DaemonCommand, OptionIgnoring {
    /// Type of the method call.
    associatedtype Call: MethodCall
    /// Options that select the objects to which the method applies.
    associatedtype Scope: ScopeOptions

    /// Name of the command, by default the name of the method.
    static var commandName: String { get }
    /// One-sentence description of the command.
    static var abstract: String { get }
    /// Additional text in the command's help.
    static var discussion: String { get }
    /// Whether the output may be longer than a page.
    static var usesPager: Bool { get }

    /// Options that select the objects to which the method applies.
    var options: Scope { get }
    /// Whether making the call twice has the same effect as making it once.
    var isRepeatable: Bool { get }
    /// Whether the command fails if its change is not durable.
    var waitsForDurability: Bool { get }

    /// Sets the parameters that identify the target of a call, such as the application and the scene.
    func resolveTarget(_ call: inout Call, in context: CommandContext)
    /// Sets the other parameters of a call.
    func setParameters(in call: inout Call)
    /// Prints problems in the reply to standard error, before the reply is printed.
    func presentProblems(_ reply: Call.Reply)
    /// Prints the reply for the user.
    func present(_ reply: Call.Reply)
    /// Prints the part of the reply that a user needs even with `--quiet`.
    func presentQuietly(_ reply: Call.Reply)
}

extension ControlCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: commandName, abstract: abstract, discussion: discussion)
    }

    static var commandName: String { Call.method.lowercased() }
    static var discussion: String { "" }
    static var usesPager: Bool { false }

    static var ignoredOptions: Set<String> {
        var options: Set<String> = []
        if Call.isReadOnly { options.insert("--quiet") }
        if !usesPager { options.insert("--no-pager") }
        if !(Scope.self is any ApplicationNaming.Type) { options.insert("--follow") }
        return options
    }

    var isRepeatable: Bool { true }
    var waitsForDurability: Bool { options.waitsForDurability }
    var daemon: DaemonCallOptions { options.daemon }

    func setParameters(in call: inout Call) {}
    func presentProblems(_ reply: Call.Reply) {}

    func presentQuietly(_ reply: Call.Reply) {
        guard let change = reply as? any SaveOutcome else { return present(reply) }
        if change.saved == .no { change.presentDurability() }
    }

    func run(in context: CommandContext) throws { try callAndPrint(in: context) }

    /// Calls the method and prints the reply.
    func callAndPrint(in context: CommandContext) throws {
        let (reply, failure) = try performCall(in: context)
        guard let failure else { return try print(reply, in: context) }
        // With JSON, the failure contains the members of the reply.
        if context.json { throw failure }
        try printReply(reply, failure, in: context)
        throw ExitCode(failure.status.rawValue)
    }

    /// Calls the method as a stream, and prints each reply that differs from the previous reply.
    ///
    /// A restart of the daemon causes no output by itself.
    ///
    /// - Parameter prepare: A closure that is called before each reply is printed.
    func followReplies(in context: CommandContext, _ prepare: () -> Void = {}) throws {
        if Terminal.line != nil {
            throw Failure("--watch does not end and cannot be used in a batch.", status: .usage)
        }
        let call = call(in: context)
        var lastReply: [UInt8]?
        do {
            try context.daemon.follow {
                call
            } body: { reply in
                if reply != lastReply {
                    prepare()
                    try print(reply, in: context)
                }
                lastReply = reply
                return true
            }
        } catch let failure as Failure {
            throw failure.suggesting(from: context.daemon, for: call)
        }
    }

    private func call(in context: CommandContext) -> Call {
        var call = Call()
        resolveTarget(&call, in: context)
        setParameters(in: &call)
        return call
    }

    private func print(_ reply: [UInt8], in context: CommandContext) throws {
        if context.json {
            Terminal.write(json: String(decoding: reply, as: UTF8.self))
        } else {
            try printReply(reply, in: context)
        }
    }

    /// Calls the method.
    ///
    /// - Returns: The reply's parameters as a JSON object, and a failure if the change is not as durable as requested.
    func performCall(in context: CommandContext) throws -> (reply: [UInt8], failure: Failure?) {
        let call = call(in: context)
        let reply: [UInt8]
        do {
            reply = try context.daemon.call(call, isRepeatable: isRepeatable)
        } catch let failure as Failure {
            throw failure.suggesting(from: context.daemon, for: call)
        }
        return waitsForDurability ? try context.waitUntilDurable(reply, to: call) : (reply, nil)
    }

    /// Prints a reply for the user, and the failure if the change is not as durable as requested.
    func printReply(_ reply: [UInt8], _ failure: Failure?, in context: CommandContext) throws {
        try printReply(reply, in: context)
        guard let failure else { return }
        // If the change was not saved, the reply already says so.
        let change = try Call.decode(reply) as? any SaveOutcome
        if change?.saved != .no { failure.printError() }
    }

    /// Prints a reply for the user.
    func printReply(_ reply: [UInt8], in context: CommandContext) throws {
        let reply = try Call.decode(reply)
        presentProblems(reply)
        Pager.page(if: Self.usesPager && daemon.allowsPager) {
            if context.isQuiet { presentQuietly(reply) } else { present(reply) }
        }
    }
}

extension MethodCall {
    /// Decodes the daemon's reply.
    static func decode(_ reply: [UInt8]) throws(Failure) -> Reply {
        try decode(Reply.self, reply)
    }

    /// Decodes the daemon's reply as a JSON object.
    static func members(of reply: [UInt8]) throws(Failure) -> [String: StateJSON] {
        try decode([String: StateJSON].self, reply)
    }

    private static func decode<Value: JSONReadable>(
        _ type: Value.Type, _ reply: [UInt8]
    ) throws(Failure) -> Value {
        do {
            return try JSONText.read(type, from: reply)
        } catch {
            let sentence =
                "the daemon's reply to \(method) does not have the expected format: the daemon "
                + "and reprisectl may have different versions."
            throw isReadOnly
                ? Failure(sentence, status: .noDaemon)
                : Failure("done, but \(sentence)", status: .notPrinted)
        }
    }
}

extension ControlCommand where Scope == DaemonScopeOptions {
    func resolveTarget(_ call: inout Call, in context: CommandContext) {}
}

extension ControlCommand where Scope: ApplicationNaming, Call: ApplicationCall {
    func resolveTarget(_ call: inout Call, in context: CommandContext) {
        call.application = options.application ?? context.application
    }
}

extension ControlCommand where Scope: SceneNaming, Call: SceneCall {
    func resolveTarget(_ call: inout Call, in context: CommandContext) {
        call.application = options.application ?? context.application
        // The scenes of another application have different names.
        call.scene = options.scene ?? (options.application == nil ? context.scene : nil)
    }
}

extension ControlCommand where Call.Reply: SaveOutcome {
    func present(_ reply: Call.Reply) { reply.presentDurability() }
}

extension SaveOutcome {
    /// Prints the durability level of the change. A change that could not be saved has still taken effect.
    func presentDurability() {
        switch saved {
        case .replicated: Terminal.print("saved: replicated")
        case .durable: Terminal.print("saved: durable")
        case .written: Terminal.print("saved: written")
        case .no: Terminal.printError("done, but NOT SAVED: \(notSavedReason ?? "reason unknown")")
        }
    }
}
