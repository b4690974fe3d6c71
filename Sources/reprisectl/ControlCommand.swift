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

/// Command that makes one call and prints the reply.
protocol ControlCommand: DaemonCommand, OptionIgnoring, OptionRejecting {
    /// Type of the call.
    associatedtype Call: MethodCall

    /// Name of the command, by default the name of the method.
    static var commandName: String { get }
    /// One-sentence description of the command.
    static var abstract: String { get }
    /// Additional text in the command's help.
    static var discussion: String { get }
    /// Subcommands of the command.
    static var subcommands: [any ParsableCommand.Type] { get }
    /// Whether the output may be shown in a pager.
    static var usesPager: Bool { get }

    /// Options that all commands for the method have in common.
    var options: CallOptions<Call> { get }
    /// The call, without the application and the scene that the options select.
    var call: Call { get }
    /// Whether making the call twice has the same effect as making it once.
    var isRepeatable: Bool { get }
    /// Whether the command waits until its change is durable, and fails if the change does not become durable.
    var waitsForDurability: Bool { get }

    /// Sets the application and the scene of a call.
    func resolveTarget(_ call: inout Call, in context: CommandContext)
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
            commandName: commandName, abstract: abstract, discussion: discussion,
            subcommands: subcommands)
    }

    static var commandName: String { Call.method.lowercased() }
    static var discussion: String { "" }
    static var subcommands: [any ParsableCommand.Type] { [] }
    static var usesPager: Bool { false }

    static var ignoredOptions: Set<String> {
        var options: Set<String> = []
        if Call.isReadOnly { options.insert("--quiet") }
        if !usesPager { options.insert("--no-pager") }
        if !CallOptions<Call>.acceptsApplication { options.insert("--follow") }
        return options
    }

    var call: Call { Call() }
    var isRepeatable: Bool { true }
    var waitsForDurability: Bool { options.waitsForDurability }
    var daemon: DaemonCallOptions { options.daemon }

    func rejectUnacceptedOptions() throws { try options.rejectUnacceptedOptions() }
    func resolveTarget(_ call: inout Call, in context: CommandContext) {}
    func presentProblems(_ reply: Call.Reply) {}

    func presentQuietly(_ reply: Call.Reply) {
        if let change = reply as? any SaveOutcome {
            if change.saved == .no { change.presentDurability() }
        } else if Call.isReadOnly {
            present(reply)
        }
    }

    func run(in context: CommandContext) throws {
        try callAndPrint(resolvedCall(in: context), in: context)
    }

    /// Makes a call and prints the reply.
    func callAndPrint(_ call: Call, in context: CommandContext) throws {
        let (reply, failure) = try perform(call, in: context)
        guard let failure else { return try print(reply, in: context) }
        // With JSON, the failure contains the members of the reply.
        if context.printsJSON { throw failure }
        try printReply(reply, failure, in: context)
        throw ExitCode(failure.status.rawValue)
    }

    /// Makes the call with `more`, and prints each reply that differs from the previous reply.
    ///
    /// If the daemon restarts and its next reply is the same, nothing is printed.
    ///
    /// - Parameter prepare: A closure that is called before each reply is printed.
    func followReplies(in context: CommandContext, _ prepare: () -> Void = {}) throws {
        if Terminal.batchLineNumber != nil {
            throw Failure("--watch does not end and cannot be used in a batch.", status: .usage)
        }
        let call = resolvedCall(in: context)
        var previousReply: [UInt8]?
        try context.suggestingNames(for: call) {
            try context.daemon.follow {
                call
            } body: { reply in
                if reply != previousReply {
                    prepare()
                    try print(reply, in: context)
                }
                previousReply = reply
                return true
            }
        }
    }

    /// Returns the call, with the application and the scene that the options or the context select.
    func resolvedCall(in context: CommandContext) -> Call {
        var call = call
        resolveTarget(&call, in: context)
        return call
    }

    private func print(_ reply: [UInt8], in context: CommandContext) throws {
        if context.printsJSON {
            Terminal.write(json: reply)
        } else {
            try printReply(reply, in: context)
        }
    }

    /// Makes a call.
    ///
    /// - Returns: The reply's parameters as a JSON object, and a failure if the change is not as durable as requested.
    func perform(
        _ call: Call, in context: CommandContext
    ) throws -> (reply: [UInt8], failure: Failure?) {
        let reply = try context.suggestingNames(for: call) {
            try context.daemon.call(call, isRepeatable: isRepeatable)
        }
        return waitsForDurability ? try context.waitUntilDurable(reply, to: call) : (reply, nil)
    }

    /// Prints a reply for the user, and the failure if the change is not as durable as requested.
    func printReply(
        _ reply: [UInt8], _ failure: Failure? = nil, in context: CommandContext
    ) throws {
        let reply = try Call.decode(reply)
        presentProblems(reply)
        Pager.page(if: Self.usesPager && daemon.allowsPager) {
            if context.isQuiet { presentQuietly(reply) } else { present(reply) }
        }
        // If the change was not saved, the reply already says so.
        if let failure, (reply as? any SaveOutcome)?.saved != .no { failure.printError() }
    }
}

extension MethodCall {
    /// Decodes the daemon's reply.
    static func decode(_ reply: [UInt8]) throws(Failure) -> Reply {
        try decode(reply, as: Reply.self)
    }

    /// Decodes the daemon's reply as a value of another type.
    static func decode<Value: JSONReadable>(
        _ reply: [UInt8], as type: Value.Type
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

/// Command that prints one sentence after its call has succeeded.
protocol ConfirmedCommand: ControlCommand {
    /// Sentence to print.
    var confirmation: String { get }
}

extension ConfirmedCommand {
    func present(_ reply: Call.Reply) { Terminal.print(confirmation) }
}

/// Command whose call is not idempotent.
protocol NonrepeatableCommand: ControlCommand {}

extension NonrepeatableCommand {
    var isRepeatable: Bool { false }
}

extension ControlCommand where Call: ApplicationCall {
    func resolveTarget(_ call: inout Call, in context: CommandContext) {
        call.application = options.application ?? context.application
    }
}

extension ControlCommand where Call: ApplicationArgumentCall {
    func resolveTarget(_ call: inout Call, in context: CommandContext) {}
}

extension ControlCommand where Call: SceneCall {
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
        case .replicated, .durable, .written: Terminal.print("saved: \(saved.rawValue)")
        case .no: Terminal.printError("done, but NOT SAVED: \(notSavedReasonOrDefault)")
        }
    }
}
