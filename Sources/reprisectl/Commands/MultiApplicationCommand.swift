import ArgumentParser
import RepriseControl
import Varlink

/// Command that can run for all applications.
protocol MultiApplicationCommand: ControlCommand where Scope == MultiApplicationScopeOptions {
    /// Returns whether `--all` includes applications in the given phase.
    static func appliesTo(_ phase: ApplicationPhase) -> Bool
}

extension MultiApplicationCommand {
    func run(in context: CommandContext) throws {
        if options.all {
            try MultiApplicationRun(command: self, context: context).run()
        } else {
            try callAndPrint(in: context)
        }
    }
}

/// Run of a command for all applications, one after another.
///
/// The run continues after a failure, unless the daemon is unavailable.
struct MultiApplicationRun<Command: MultiApplicationCommand> {
    let command: Command
    let context: CommandContext

    /// Runs the command for each application to which it applies.
    ///
    /// - Throws: `ExitCode` with the status of the first failure, after all failures have been printed.
    func run() throws {
        let list = try ListCall.decode(context.daemon.call(ListCall(), isRepeatable: true))
        var replies: [StateJSON] = []
        var status: Failure.Status?
        // If this command runs in a batch, the batch may have more work to do.
        let hadMoreWork = Terminal.hasMoreWork
        Terminal.hasMoreWork = true
        for application in list.applications
        where Command.appliesTo(application.phase) {
            let name = application.bundleIdentifier
            Terminal.currentApplication = name
            defer { Terminal.currentApplication = nil }
            do {
                let (members, failure) = try runCommand(on: name)
                replies.append(Self.namedReply(name, members))
                status = status ?? failure?.status
            } catch let failure as Failure {
                status = status ?? failure.status
                replies.append(Self.namedReply(name, failure.members))
                failure.printError()
                if !failure.status.allowsFurtherCommands { break }
            }
        }
        if context.json {
            let json = try JSONText.write(["applications": replies])
            Terminal.write(json: String(decoding: json, as: UTF8.self))
        }
        Terminal.hasMoreWork = hadMoreWork
        if Terminal.output == .closed { status = status ?? .notPrinted }
        if let status { throw ExitCode(status.rawValue) }
    }

    /// Runs the command for one application.
    ///
    /// - Returns: The members of the reply, and a failure if the change is not as durable as requested.
    private func runCommand(on application: String) throws -> ([String: StateJSON], Failure?) {
        var context = context
        context.application = application
        let (reply, failure) = try command.performCall(in: context)
        if context.json {
            failure?.printError()
        } else {
            if !context.isQuiet { Terminal.print("\(application):") }
            try command.printReply(reply, failure, in: context)
        }
        return (try failure?.members ?? Command.Call.members(of: reply), failure)
    }

    private static func namedReply(_ name: String, _ members: [String: StateJSON]) -> StateJSON {
        .object(members.merging(["application": .string(name)]) { $1 })
    }
}
