import ArgumentParser
import ExactText
import Glibc
import SystemPackage
import TerminalText

/// Command line of a program that consists only of a daemon.
struct DaemonCommandLine: ParsableCommand {
    /// Program whose name and version the command prints.
    @TaskLocal static var program = ProgramDescription.reprised

    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: program.name,
            abstract: "Hosts applications whose state survives restarts, crashes and power cuts.",
            discussion: discussion, version: "\(program.name) \(program.version)")
    }

    private static var defaultsSentence: String {
        program.needsConfiguration ? "" : " If neither file exists, it uses the defaults."
    }

    private static var discussion: String {
        """
        Without --config, the daemon reads \(program.name).yaml in $CONFIGURATION_DIRECTORY or, if \
        that file does not exist, /etc/\(program.directoryName)/\(program.name).yaml.\(defaultsSentence)
        Exit status: 0 after an orderly stop or a check without errors, 1 if a system problem \
        prevents the daemon from starting or from saving its latest state, 2 if the arguments are \
        invalid, 78 if the configuration is invalid.
        """
    }

    @Option(name: .customLong("config"), help: "The configuration file.")
    var configurationFile: String?

    @Option(help: "The state directory.")
    var stateDirectory: String?

    @Option(help: "The path of the control socket (not used if systemd passes a socket).")
    var socket: String?

    @Option(help: "The log level: trace, debug, info, notice, warning, error or critical.")
    var logLevel: LogLevel?

    /// Log level parsed from an argument.
    struct LogLevel: ExpressibleByArgument {
        let level: DaemonOptions.LogLevel

        init?(argument: String) {
            guard let level = DaemonOptions.LogLevel(rawValue: argument) else { return nil }
            self.level = level
        }

        static var allValueStrings: [String] { DaemonOptions.LogLevel.allCases.map(\.rawValue) }
    }

    @Flag(
        name: .customLong("check"), help: "Only check the configuration and the storyboards.")
    var onlyChecks = false

    @Flag(
        name: .customLong("print-config"),
        help: ArgumentHelp(
            "Print every value in the configuration with its file and line. Values from options "
                + "are not included."))
    var printsConfiguration = false

    @Option(
        help: ArgumentHelp(
            "With --check: the storyboard directory of a configuration that is not yet installed.",
            valueName: "directory"))
    var storyboards: String?

    @Option(
        help: ArgumentHelp(
            "With --check: a drop-in that is not yet installed, checked as if it were installed.",
            valueName: "file"))
    var dropIn: String?

    @Option(
        help: ArgumentHelp(
            "With --check: check the configuration as this service's user and with the service's "
                + "limits. Requires root.",
            valueName: "service"))
    var unit: String?

    func validate() throws {
        if onlyChecks, printsConfiguration {
            throw ValidationError(
                "--check and --print-config cannot be used together: remove one of them.")
        }
        guard !onlyChecks else { return }
        for (name, value) in [
            ("--storyboards", storyboards), ("--drop-in", dropIn), ("--unit", unit),
        ] where value != nil {
            throw ValidationError("\(name) requires --check: add --check, or remove the option.")
        }
    }

    /// Action requested by the arguments.
    enum Action {
        /// Run the daemon.
        case run
        /// Check the configuration and storyboards that the daemon would read.
        case check(ConfigurationCheckOverrides)
        /// Print the configuration that the daemon would use.
        case printConfiguration
    }

    var action: Action {
        if printsConfiguration { return .printConfiguration }
        return onlyChecks
            ? .check(
                ConfigurationCheckOverrides(
                    storyboardsDirectory: storyboards, dropIn: dropIn, unit: unit))
            : .run
    }

    var options: DaemonOptions {
        DaemonOptions(
            configuration: configurationFile, stateDirectory: stateDirectory, socket: socket,
            logLevel: logLevel?.level)
    }
}

extension DaemonCommandLine {
    /// Parses the arguments of this process.
    ///
    /// If the arguments request the help text or the version, this method prints it and exits the process.
    ///
    /// - Throws: ``DaemonError`` if the arguments are invalid.
    static func parseArguments(
        of program: ProgramDescription
    ) throws(DaemonError) -> (DaemonOptions, Action) {
        // systemd starts the daemon without arguments. In that case, parsing would take a third of the startup time.
        if CommandLine.argc < 2 { return (DaemonOptions(), .run) }
        for index in 1..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            throw DaemonError(arguments: "argument \(index) is not UTF-8: encode it as UTF-8.")
        }
        return try $program.withValue(program) { parseProcessArguments() }.get()
    }

    private static func parseProcessArguments() -> Result<(DaemonOptions, Action), DaemonError> {
        do {
            let command = try Self.parse()
            return .success((command.options, command.action))
        } catch {
            let unprintableArguments = CommandLine.arguments.filter { $0 != $0.printable }
            let message = unprintableArguments.reduce(fullMessage(for: error)) {
                $0.replacing($1, with: $1.printable)
            }
            if exitCode(for: error) == .success {
                DaemonOutput.write(message + "\n", to: .standardOutput)
                Glibc.exit(0)
            }
            return .failure(DaemonError(arguments: String(message.trimmingPrefix("Error: "))))
        }
    }
}
