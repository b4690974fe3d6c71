import ArgumentParser
import RepriseControl

struct QuitCommand: MultiApplicationCommand, NonrepeatableCommand {
    static let abstract =
        "Saves and quits an application, which can be launched again with `launch`."

    @OptionGroup var options: CallOptions<QuitCall>
    @OptionGroup var applications: AllApplicationsOption

    @Flag(
        help: ArgumentHelp(
            "Do not save. Move the saved state to the history, so that the next launch starts "
                + "without state."))
    var force = false

    func validate() throws {
        if force, applications.all {
            throw ValidationError(
                "--force removes saved state: specify one application instead of --all.")
        }
        try rejectAllWithApplication()
    }

    var call: QuitCall { QuitCall(force: force ? true : nil) }

    func presentQuietly(_ reply: QuitCall.Reply) {
        if !force, reply.saved == .no { reply.presentDurability() }
    }

    func present(_ reply: QuitCall.Reply) {
        guard force else { return reply.presentDurability() }
        Terminal.print("stopped, and its saved state was removed")
        printRollbackHint(reply.generation, isStopped: true)
    }
}

extension QuitCall: MultiApplicationCall {
    static let applicablePhases: Set<ApplicationPhase> = [.running, .launching]
}

struct LaunchCommand: MultiApplicationCommand, NonrepeatableCommand {
    static let abstract = "Launches an application that was quit or could not be launched."

    @OptionGroup var options: CallOptions<LaunchCall>
    @OptionGroup var applications: AllApplicationsOption

    func present(_ reply: LaunchCall.Reply) {
        for scene in reply.scenes { scene.print(of: options.application) }
    }

    func presentQuietly(_ reply: LaunchCall.Reply) {
        for scene in reply.scenes where scene.phase == .failed {
            let reason = scene.failure ?? "reason unknown"
            Terminal.printError("the scene \(scene.name) could not be launched: \(reason)")
        }
    }
}

extension LaunchCall: MultiApplicationCall {
    static let applicablePhases: Set<ApplicationPhase> = [.stopped, .failed]
}

struct ReloadCommand: ControlCommand {
    static let abstract = "Reloads the configuration and the storyboards, and applies the changes."
    static let discussion = """
        The daemon also reloads the files when one of them changes, and when it receives SIGHUP. \
        If any file contains an error, no change is applied.
        """

    @OptionGroup var options: CallOptions<ReloadCall>

    func present(_ reply: ReloadCall.Reply) {
        for clause in reply.changed { Terminal.print("applied: \(clause)") }
        for clause in reply.waiting {
            Terminal.print("takes effect at the next restart: \(clause)")
        }
        if reply.changed.isEmpty {
            Terminal.print(
                reply.waiting.isEmpty ? "nothing changed" : "no change takes effect now"
            )
        }
    }
}

struct RekeyCommand: ControlCommand {
    static let abstract = "Re-encrypts all stored files with the daemon's current key."
    static let discussion = """
        The command rewrites every archive, generation, document and quarantined file whose \
        encryption does not match the configuration and the credentials. It also rewrites the \
        files of applications that the daemon does not host. Afterwards, the previous key is no \
        longer needed.
        """

    @OptionGroup var options: CallOptions<RekeyCall>

    func present(_ reply: RekeyCall.Reply) {
        let keyStatement = reply.key.map { "all stored files are encrypted with the key \($0)" }
        Terminal.print(
            (reply.files == 0 ? "" : "\(countPhrase(reply.files, "file")) rewritten; ")
                + (keyStatement ?? "no stored file is encrypted"))
    }
}

/// Command for tests, `reprisectl debug`, which is not listed in the help.
struct DebugCommand: CommandFamily {
    static let configuration = CommandConfiguration(
        commandName: "debug",
        abstract: "Makes the daemon crash at a stage of a launch, turn or pass, for tests.",
        discussion: """
            The daemon rejects the command unless its configuration contains \
            debug: { exits: true }. If the stage is unknown, the error lists all stages.
            """,
        shouldDisplay: false, subcommands: [DebugExitCommand.self, DebugTrapCommand.self])
}

struct DebugExitCommand: ConfirmedCommand {
    static let commandName = "exit"
    static let abstract = "Makes the daemon exit when it reaches the given stage."

    @OptionGroup var options: CallOptions<DebugExitCall>

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    @Option(help: "The exit status, from 0 to 255.")
    var status: UInt8?

    var call: DebugExitCall { DebugExitCall(stage: stage, status: status.map(Int.init)) }

    var confirmation: String { "the daemon will exit at \(stage)" }
}

struct DebugTrapCommand: ConfirmedCommand {
    static let commandName = "trap"
    static let abstract = "Makes the daemon trap when it reaches the given stage."

    @OptionGroup var options: CallOptions<DebugTrapCall>

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    var call: DebugTrapCall { DebugTrapCall(stage: stage) }

    var confirmation: String { "the daemon will trap at \(stage)" }
}
