import ArgumentParser
import RepriseControl

/// What launches and ends applications, and has the configuration read again.
enum DaemonCommands {
    static let all: [any ParsableCommand.Type] = [
        QuitCommand.self, LaunchCommand.self, ReloadCommand.self, RekeyCommand.self,
        RelocateCommand.self, DrainCommand.self, DebugCommand.self,
    ]
}

struct QuitCommand: ManyApplicationsCommand {
    static let abstract = "Saves an application and ends it; `launch` starts it again."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationsScope

    @Flag(help: "Save nothing more, and take away what is saved: the next launch begins anew.")
    var force = false

    static func concerns(_ phase: ApplicationPhase) -> Bool {
        phase == .running || phase == .launching
    }

    func validate() throws {
        if force, options.all {
            throw ValidationError(
                "--force takes saved state away: name one application, not --all.")
        }
    }

    func state(in call: inout QuitCall) { call.force = force ? true : nil }

    func presentQuietly(_ reply: QuitCall.Reply) {
        if !force, reply.saved == .no { reply.presentSaved() }
    }

    func present(_ reply: QuitCall.Reply) {
        if force {
            Terminal.print("stopped, and its saved state was removed")
            RollbackHint(reply.generation)?.print(isStopped: true)
        } else {
            reply.presentSaved()
        }
    }
}

struct LaunchCommand: ManyApplicationsCommand {
    typealias Call = LaunchCall
    static let abstract = "Launches an application that has ended or could not be launched."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationsScope

    static func concerns(_ phase: ApplicationPhase) -> Bool {
        phase == .stopped || phase == .failed
    }

    func present(_ reply: Call.Reply) {
        for scene in reply.scenes {
            SceneLines(scene: scene, application: options.application).print()
        }
    }

    func presentQuietly(_ reply: Call.Reply) {
        for scene in reply.scenes where scene.phase == .failed {
            let reason = scene.failure ?? "reason unknown"
            Terminal.complain("the scene \(scene.name) could not be launched: \(reason)")
        }
    }
}

struct RelocateCommand: ControlCommand {
    typealias Call = RelocateCall
    static let abstract = "Has an application go to another host of the cluster."
    var isRepeatable: Bool { false }
    static let discussion = """
        It is saved, replicated and ended here, and launched there; `status` lists the hosts. A command for it \
        that is given here from then on is told where it runs.
        """

    @OptionGroup var options: DaemonScope

    @Argument(help: "Which application, by its bundle identifier.")
    var application: String

    @Argument(help: "The host, by its name in the cluster.")
    var host: String

    func state(in call: inout RelocateCall) {
        call.application = application
        call.host = host
    }

    func present(_ reply: Call.Reply) {
        Terminal.print("\(application) runs on \(reply.host)")
    }
}

struct DrainCommand: ControlCommand {
    typealias Call = DrainCall
    static let abstract =
        "Has all applications of the cluster go to other hosts, before maintenance."
    var isRepeatable: Bool { false }
    static let discussion = """
        Until the daemon is started again it takes none over, unless `drain --end` ends that.
        """

    @OptionGroup var options: DaemonScope

    @Flag(help: "Take applications over again.")
    var end = false

    func state(in call: inout DrainCall) { call.end = end ? true : nil }

    func present(_ reply: Call.Reply) {
        if reply.moved.isEmpty {
            return Terminal.print(
                end ? "takes applications over again" : "no application of the cluster ran here")
        }
        for moved in reply.moved { Terminal.print("\(moved.application) runs on \(moved.host)") }
    }
}

struct ReloadCommand: ControlCommand {
    typealias Call = ReloadCall
    static let abstract = "Reads configuration and storyboards again, and takes over what changed."
    static let discussion = """
        The daemon does so by itself when one of the files changes, and at SIGHUP. If they have \
        errors, nothing changes.
        """

    @OptionGroup var options: DaemonScope

    func present(_ reply: Call.Reply) {
        for clause in reply.changed { Terminal.print("taken over: \(clause)") }
        for clause in reply.waiting { Terminal.print("waits for the next restart: \(clause)") }
        if reply.changed.isEmpty {
            Terminal.print(
                reply.waiting.isEmpty ? "nothing changed" : "nothing changed that takes effect now"
            )
        }
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

struct RekeyCommand: ControlCommand {
    typealias Call = RekeyCall
    static let abstract = "Encrypts what is kept with the key that the daemon has now."
    static let discussion = """
        Whatever is not encrypted as the daemon's configuration and its credentials say is written \
        anew: archives, histories, quarantines, documents, also those of applications that are not \
        hosted. After that nothing needs the previous key.
        """

    @OptionGroup var options: DaemonScope

    func present(_ reply: Call.Reply) {
        let now = reply.key.map { "all that is saved is encrypted with the key \($0)" }
        Terminal.print(
            (reply.files == 0 ? "" : "\(count(reply.files, "file")) written anew; ")
                + (now ?? "nothing that is saved is encrypted"))
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

/// `reprisectl debug`: not in the list of commands, as it is for tests.
struct DebugCommand: CommandFamily {
    static let configuration = CommandConfiguration(
        commandName: "debug",
        abstract: "Makes the daemon end at a stage of a launch, turn or pass, to try out a crash.",
        discussion: """
            Refused unless the daemon's configuration has debug: { exits: true }. \
            A stage that does not exist is answered with all that do.
            """,
        shouldDisplay: false, subcommands: [DebugExitCommand.self, DebugTrapCommand.self])
}

struct DebugExitCommand: ControlCommand {
    static let commandName = "exit"
    static let abstract = "Makes the daemon exit when it reaches a stage."

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    @Option(help: "The exit status, 0 to 255.")
    var status: UInt8?

    func state(in call: inout DebugExitCall) {
        call.stage = stage
        call.status = status.map(Int.init)
    }

    func present(_ reply: DebugExitCall.Reply) {
        Terminal.print("the daemon will exit at \(stage)")
    }
}

struct DebugTrapCommand: ControlCommand {
    static let commandName = "trap"
    static let abstract = "Makes the daemon trap when it reaches a stage."

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    func state(in call: inout DebugTrapCall) { call.stage = stage }

    func present(_ reply: DebugTrapCall.Reply) {
        Terminal.print("the daemon will trap at \(stage)")
    }
}
