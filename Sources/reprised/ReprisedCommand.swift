public import ArgumentParser
import Reprise

/// The arguments of `reprised`.
struct ReprisedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprised",
        abstract: "Hosts applications whose state survives restarts, crashes and power cuts.",
        discussion: """
            Configuration: --config, else reprised.yaml in $CONFIGURATION_DIRECTORY, else \
            /etc/reprise/reprised.yaml.
            Exit status: 0 after an orderly stop or a check that found nothing wrong, 1 if the system does not let it run, 2 for wrong \
            arguments, 78 for a wrong configuration.
            """,
        version: "reprised \(Daemon.version)")

    @Option(name: .customLong("config"), help: "The configuration file.")
    var configurationFile: String?

    @Option(help: "Where state is kept.")
    var stateDirectory: String?

    @Option(help: "Where to listen, unless systemd passes a socket.")
    var socket: String?

    @Option(help: "What is logged: trace, debug, info, notice, warning, error or critical.")
    var logLevel: DaemonOptions.LogLevel?

    @Flag(
        name: .customLong("check"), help: "Check configuration and storyboards, and start nothing.")
    var isCheck = false

    @Option(
        help: ArgumentHelp(
            "With --check: the folder of the storyboards, for a configuration that is not in its place yet.",
            valueName: "folder"))
    var storyboards: String?

    @Option(
        help: ArgumentHelp(
            "With --check: a drop-in that is not in its place yet, laid over the configuration.",
            valueName: "file"))
    var dropIn: String?

    @Option(
        help: ArgumentHelp(
            "With --check: check as the user, and with the limits, of this service; as root.",
            valueName: "service"))
    var unit: String?

    func validate() throws {
        guard !isCheck else { return }
        for (name, value) in [
            ("--storyboards", storyboards), ("--drop-in", dropIn), ("--unit", unit),
        ] where value != nil {
            throw ValidationError("\(name) goes with --check: add that, or leave it out.")
        }
    }

    var trial: DaemonTrial { DaemonTrial(storyboards: storyboards, dropIn: dropIn, unit: unit) }

    var options: DaemonOptions {
        DaemonOptions(
            configuration: configurationFile, stateDirectory: stateDirectory, socket: socket,
            logLevel: logLevel)
    }
}

extension DaemonOptions.LogLevel: ExpressibleByArgument {}
