import ArgumentParser
import RepriseControl
import Varlink

/// A command that can be carried out on all applications.
protocol ManyApplicationsCommand: ControlCommand where Scope == ApplicationsScope {
    /// Whether the command is for an application in this phase, if it is for all.
    static func concerns(_ phase: ApplicationPhase) -> Bool
}

extension ManyApplicationsCommand {
    func run(in session: Session) throws {
        if options.all {
            try EachApplication(command: self, session: session).run()
        } else {
            try carryOut(in: session)
        }
    }
}

/// Carries a command out on each application in turn, also behind one that fails.
struct EachApplication<Command: ManyApplicationsCommand> {
    let command: Command
    let session: Session

    /// - Throws: `ExitCode` with the first failure's status; all failures have been told.
    func run() throws {
        let list = try ListCall.decode(session.daemon.call(ListCall(), isRepeatable: true))
        var replies: [StateJSON] = []
        var status: Failure.Status?
        for application in list.applications where Command.concerns(application.phase) {
            let name = application.bundleIdentifier
            do {
                replies.append(try reply(of: name))
            } catch let failure as Failure {
                status = status ?? failure.status
                replies.append(Self.named(name, failure.members))
                Terminal.complain("\(name): \(failure)")
                // Without a daemon each would wait for one.
                guard failure.status == .refused || failure.status == .usage else { break }
            }
        }
        if session.json {
            let json = try JSONText.encode(["applications": replies])
            Terminal.write(json: String(decoding: json, as: UTF8.self))
        }
        if let status { throw ExitCode(status.rawValue) }
    }

    private func reply(of application: String) throws -> StateJSON {
        var session = session
        session.application = application
        let reply = try command.reply(in: session)
        if !session.json {
            if !session.isQuiet { Terminal.print("\(application):") }
            try command.tell(reply, in: session)
        }
        return Self.named(
            application, try JSONText.decode([String: StateJSON].self, from: reply))
    }

    private static func named(_ name: String, _ members: [String: StateJSON]) -> StateJSON {
        .object(members.merging(["application": .string(name)]) { $1 })
    }
}
