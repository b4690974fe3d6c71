import ArgumentParser
import RepriseControl
import Varlink

/// Options for a command that calls one method. The type of the call determines which options the command accepts.
struct CallOptions<Call: MethodCall>: ParsableArguments {
    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup(visibility: Self.acceptsApplication ? .default : .private)
    private var applicationOption: ApplicationOption
    @OptionGroup(visibility: Self.acceptsScene ? .default : .private)
    private var sceneOption: SceneOption

    @OptionGroup(visibility: Self.acceptsWaiting ? .default : .private)
    private var waitOption: WaitOption

    /// Bundle identifier of the application, or `nil` for the first configured application.
    var application: String? { applicationOption.application }
    /// Name of the scene, or `nil` for the application's first scene.
    var scene: String? { sceneOption.scene }
    /// Whether to wait until the change is durable.
    var waitsForDurability: Bool { waitOption.waitsForDurability }

    /// Whether the command accepts `--app`.
    static var acceptsApplication: Bool {
        Call.self is any ApplicationCall.Type && !(Call.self is any ApplicationArgumentCall.Type)
    }
    private static var acceptsScene: Bool { Call.self is any SceneCall.Type }
    private static var acceptsWaiting: Bool {
        Call.Reply.self is any SaveOutcome.Type && !(Call.self is any MultiApplicationCall.Type)
    }

    /// Rejects shared options that the command does not accept.
    ///
    /// The parser also validates the options of the commands above a subcommand. Therefore, this method is called only
    /// for the command that runs.
    func rejectUnacceptedOptions() throws {
        let takesArgument = Call.self is any ApplicationArgumentCall.Type
        try rejectOptions(
            ["--app": application != nil && !Self.acceptsApplication],
            because: takesArgument ? "takes the application as an argument and " : "")
        try rejectOptions([
            "--scene": scene != nil && !Self.acceptsScene,
            "--wait": waitsForDurability && !Self.acceptsWaiting,
        ])
    }
}

/// Command that rejects some of the shared options after the entire command line has been parsed.
protocol OptionRejecting: ParsableCommand {
    /// Throws a `ValidationError` if the command line contains an option that the command does not accept.
    func rejectUnacceptedOptions() throws
}

/// Call whose command accepts the application as an argument instead of `--app`.
protocol ApplicationArgumentCall: ApplicationCall {}

/// Call that a command can make for all applications. The command accepts `--all` and does not accept `--wait`.
protocol MultiApplicationCall: ApplicationCall {
    /// Phases of the applications that `--all` includes.
    static var applicablePhases: Set<ApplicationPhase> { get }
}

/// Options for a command that reads a file and does not call the daemon.
struct FileCommandOptions: ParsableArguments {
    /// Long names of shared options that the command rejects or ignores.
    static let ignoredOptions: Set = ["--socket", "--timeout", "--host", "--follow", "--quiet"]

    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    func validate() throws {
        try rejectOptions(["--quiet": daemon.isQuiet], because: "changes nothing and ")
        try rejectOptions(
            [
                "--socket": daemon.socket != nil, "--host": daemon.host != nil,
                "--timeout": daemon.timeout != nil,
            ], because: "does not connect to a daemon and ")
        try rejectOptions(["--app": application.application != nil, "--scene": scene.scene != nil])
    }
}
