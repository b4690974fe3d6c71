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

    var options: DaemonOptions {
        DaemonOptions(
            configuration: configurationFile, stateDirectory: stateDirectory, socket: socket,
            logLevel: logLevel)
    }
}

extension DaemonOptions.LogLevel: ExpressibleByArgument {}
