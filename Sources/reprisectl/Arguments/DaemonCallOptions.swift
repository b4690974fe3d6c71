import ArgumentParser
import RepriseControl

/// Options shared by all commands that call the daemon.
///
/// The options are not split into nested groups, because in a debug build the parser checks a nested group several
/// times for each enclosing group.
struct DaemonCallOptions: ParsableArguments {
    @Option(help: "The path of the daemon's socket.", completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The timeout for connecting and for the reply, such as 500ms, 5s or 2m "
                + "(default: 5s to connect, 60s for the reply)."),
        transform: Duration.init(validating:))
    var timeout: Duration?

    @Option(
        name: [.customShort("H"), .long],
        help: "The daemon's host, as an ssh destination: [user@]name.")
    var host: String?

    @Flag(
        name: .customLong("follow"),
        help: "If another host in the cluster runs the application, connect to that host over ssh.")
    var followsOwner = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(
        name: [.customShort("q"), .customLong("quiet")],
        help: "Print nothing if the change is saved.")
    var isQuiet = false

    @Flag(help: "Do not use a pager.")
    var noPager = false

    /// Whether the command line specifies a socket, a host or a timeout.
    var hasConnectionOptions: Bool { socket != nil || host != nil || timeout != nil }
    /// Whether long output may be shown in a pager.
    var allowsPager: Bool { !noPager }

    func validate() throws {
        if let host, host.isEmpty || host.hasPrefix("-") {
            throw ValidationError(
                "--host has no value: specify a host as for ssh, or remove the option.")
        }
        if json, isQuiet { throw ValidationError("--json and --quiet cannot be used together.") }
    }
}

extension Duration {
    /// Parses a duration such as `500ms`.
    fileprivate init(validating argument: String) throws {
        guard let duration = Duration(argument: argument) else {
            throw ValidationError("write a time above 0 such as 500ms, 5s or 2m")
        }
        self = duration
    }
}

/// Option that names an application.
struct ApplicationOption: ParsableArguments {
    @Option(
        name: .customLong("app"), help: "The application's bundle identifier.",
        completion: .applications)
    var application: String?
}

/// Option that names a scene.
struct SceneOption: ParsableArguments {
    @Option(help: "The scene's name.", completion: .scenes)
    var scene: String?
}

/// Option that makes a command wait for durability.
///
/// The option is part of a separate type because a command shares the values of such types with its subcommands.
struct WaitOption: ParsableArguments {
    @Flag(name: .customLong("wait"), help: "Wait until the change is durable.")
    var waitsForDurability = false
}

/// Rejects shared options that the command does not accept.
///
/// - Parameters:
///   - options: Names of shared options. The value is `true` if the command line contains the option but the command
///     does not accept it.
///   - reason: Reason to insert into the error's sentence, such as `changes nothing and `, or an empty string.
/// - Throws: `ValidationError` if any value is `true`.
func rejectOptions(_ options: KeyValuePairs<String, Bool>, because reason: String = "") throws {
    guard let option = options.first(where: \.value) else { return }
    throw ValidationError("The command \(reason)does not accept \(option.key): remove the option.")
}
