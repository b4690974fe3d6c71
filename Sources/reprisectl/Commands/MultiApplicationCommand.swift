import ArgumentParser
import RepriseControl
import Varlink

/// Option that selects all applications.
struct AllApplicationsOption: ParsableArguments {
    @Flag(help: "Run the command for all applications, in the order in which they are configured.")
    var all = false
}

/// Command that can run for all applications.
protocol MultiApplicationCommand: ControlCommand where Call: MultiApplicationCall {
    /// Option that selects all applications.
    var applications: AllApplicationsOption { get }
}

extension MultiApplicationCommand {
    func validate() throws { try rejectAllWithApplication() }

    func rejectAllWithApplication() throws {
        if applications.all, options.application != nil {
            throw ValidationError("--all and --app cannot be used together: remove one of them.")
        }
    }

    func run(in context: CommandContext) throws {
        if applications.all {
            try runForAllApplications(in: context)
        } else {
            try callAndPrint(resolvedCall(in: context), in: context)
        }
    }

    /// Runs the command for each application to which it applies, one after another.
    ///
    /// The run continues after a failure, unless the daemon is unavailable.
    ///
    /// - Throws: `ExitCode` with the status of the first failure, after all failures have been printed.
    private func runForAllApplications(in context: CommandContext) throws {
        let listReply = try ListCall.decode(context.daemon.call(ListCall(), isRepeatable: true))
        var replies: [StateJSON] = []
        var status: Failure.Status?
        // If this command runs in a batch, the batch may have more work to do.
        let continuedWithoutOutput = Terminal.continuesWithoutOutput
        Terminal.continuesWithoutOutput = true
        for application in listReply.applications
        where Call.applicablePhases.contains(application.phase) {
            let name = application.bundleIdentifier
            Terminal.application = name
            defer { Terminal.application = nil }
            var members: [String: StateJSON]
            var isDaemonAvailable = true
            do {
                let failure: Failure?
                (members, failure) = try run(for: name, in: context)
                status = status ?? failure?.status
            } catch let failure as Failure {
                status = status ?? failure.status
                members = failure.members
                failure.printError()
                isDaemonAvailable = failure.status.allowsFurtherCommands
            }
            members["application"] = .string(name)
            replies.append(.object(members))
            if !isDaemonAvailable { break }
        }
        if context.printsJSON { try Terminal.write(asJSON: ["applications": replies]) }
        Terminal.continuesWithoutOutput = continuedWithoutOutput
        if Terminal.output == .closed { status = status ?? .notPrinted }
        if let status { throw ExitCode(status.rawValue) }
    }

    /// Runs the command for one application.
    ///
    /// - Returns: The members of the reply, and a failure if the change is not as durable as requested.
    private func run(
        for application: String, in context: CommandContext
    ) throws -> ([String: StateJSON], Failure?) {
        var context = context
        context.application = application
        let (reply, failure) = try perform(resolvedCall(in: context), in: context)
        if context.printsJSON {
            failure?.printError()
        } else {
            if !context.isQuiet { Terminal.print("\(application):") }
            try printReply(reply, failure, in: context)
        }
        return (try failure?.members ?? Call.decode(reply, as: [String: StateJSON].self), failure)
    }
}
