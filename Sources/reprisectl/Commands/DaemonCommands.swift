import ArgumentParser
import RepriseControl

/// Commands that launch and quit applications or reload the configuration.
enum DaemonCommands {
    static let all: [any ParsableCommand.Type] = [
        QuitCommand.self, LaunchCommand.self, ReloadCommand.self, RekeyCommand.self,
        DebugCommand.self,
    ]
}

struct QuitCommand: MultiApplicationCommand {
    static let abstract =
        "Saves and quits an application, which can be launched again with `launch`."
    var isRepeatable: Bool { false }

    @OptionGroup var options: MultiApplicationScopeOptions

    @Flag(
        help: ArgumentHelp(
            "Do not save. Move the saved state to the history, so that the next launch starts "
                + "without state."))
    var force = false

    static func appliesTo(_ phase: ApplicationPhase) -> Bool {
        phase == .running || phase == .launching
    }

    func validate() throws {
        if force, options.all {
            throw ValidationError(
                "--force removes saved state: specify one application instead of --all.")
        }
    }

    func setParameters(in call: inout QuitCall) { call.force = force ? true : nil }

    func presentQuietly(_ reply: QuitCall.Reply) {
        if !force, reply.saved == .no { reply.presentDurability() }
    }

    func present(_ reply: QuitCall.Reply) {
        if force {
            Terminal.print("stopped, and its saved state was removed")
            RollbackHint(reply.generation)?.print(isStopped: true)
        } else {
            reply.presentDurability()
        }
    }
}

struct LaunchCommand: MultiApplicationCommand {
    typealias Call = LaunchCall
    static let abstract = "Launches an application that was quit or could not be launched."
    var isRepeatable: Bool { false }

    @OptionGroup var options: MultiApplicationScopeOptions

    static func appliesTo(_ phase: ApplicationPhase) -> Bool {
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
            Terminal.printError("the scene \(scene.name) could not be launched: \(reason)")
        }
    }
}

struct ReloadCommand: ControlCommand {
    typealias Call = ReloadCall
    static let abstract = "Reloads the configuration and the storyboards, and applies the changes."
    static let discussion = """
        The daemon also reloads the files when one of them changes, and when it receives SIGHUP. \
        If any file contains an error, no change is applied.
        """

    @OptionGroup var options: DaemonScopeOptions

    func present(_ reply: Call.Reply) {
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

    func presentQuietly(_ reply: Call.Reply) {}
}

struct RekeyCommand: ControlCommand {
    typealias Call = RekeyCall
    static let abstract = "Re-encrypts all stored files with the daemon's current key."
    static let discussion = """
        The command rewrites every archive, generation, document and quarantined file whose \
        encryption does not match the configuration and the credentials. It also rewrites the \
        files of applications that the daemon does not host. Afterwards, the previous key is no \
        longer needed.
        """

    @OptionGroup var options: DaemonScopeOptions

    func present(_ reply: Call.Reply) {
        let now = reply.key.map { "all stored files are encrypted with the key \($0)" }
        Terminal.print(
            (reply.files == 0 ? "" : "\(count(reply.files, "file")) rewritten; ")
                + (now ?? "no stored file is encrypted"))
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

/// `reprisectl debug`, a command for tests. The list of commands omits it.
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

struct DebugExitCommand: ControlCommand {
    static let commandName = "exit"
    static let abstract = "Makes the daemon exit when it reaches the given stage."

    @OptionGroup var options: ApplicationScopeOptions

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    @Option(help: "The exit status, from 0 to 255.")
    var status: UInt8?

    func setParameters(in call: inout DebugExitCall) {
        call.stage = stage
        call.status = status.map(Int.init)
    }

    func present(_ reply: DebugExitCall.Reply) {
        Terminal.print("the daemon will exit at \(stage)")
    }
}

struct DebugTrapCommand: ControlCommand {
    static let commandName = "trap"
    static let abstract = "Makes the daemon trap when it reaches the given stage."

    @OptionGroup var options: ApplicationScopeOptions

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    func setParameters(in call: inout DebugTrapCall) { call.stage = stage }

    func present(_ reply: DebugTrapCall.Reply) {
        Terminal.print("the daemon will trap at \(stage)")
    }
}
