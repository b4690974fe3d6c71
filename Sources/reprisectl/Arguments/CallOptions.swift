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

    @Flag(
        name: .customLong("wait"),
        help: ArgumentHelp(
            "Wait until the change is durable.",
            visibility: Self.acceptsWaiting ? .default : .private))
    var waitsForDurability = false

    /// Bundle identifier of the application, or `nil` for the first configured application.
    var application: String? { applicationOption.application }
    /// Name of the scene, or `nil` for the application's first scene.
    var scene: String? { sceneOption.scene }

    /// Whether the command accepts `--app`.
    static var acceptsApplication: Bool {
        Call.self is any ApplicationCall.Type && !(Call.self is any ApplicationArgumentCall.Type)
    }
    private static var acceptsScene: Bool { Call.self is any SceneCall.Type }
    private static var acceptsWaiting: Bool {
        Call.Reply.self is any SaveOutcome.Type && !(Call.self is any MultiApplicationCall.Type)
    }

    func validate() throws {
        try reject([
            "--app": application != nil && !Self.acceptsApplication,
            "--scene": scene != nil && !Self.acceptsScene,
            "--wait": waitsForDurability && !Self.acceptsWaiting,
        ])
    }
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
        try reject(["--quiet": daemon.isQuiet], because: "changes nothing and ")
        try reject(
            [
                "--socket": daemon.socket != nil, "--host": daemon.host != nil,
                "--timeout": daemon.timeout != nil,
            ], because: "does not connect to a daemon and ")
        try reject(["--app": application.application != nil, "--scene": scene.scene != nil])
    }
}
