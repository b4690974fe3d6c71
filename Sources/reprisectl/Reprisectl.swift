import ArgumentParser
import Glibc

/// The command line that controls a daemon.
@main
struct Reprisectl: CommandFamily {
    static let configuration = CommandConfiguration(
        commandName: "reprisectl",
        abstract: "Controls reprised, the daemon that hosts restorable applications.",
        discussion: """
            PATH is a restoration path such as nav/parent/child1/textField; `reprisectl tree` \
            shows them all.
            Exit status: 0 done, 1 the daemon refused, 2 wrong arguments, 3 no daemon, \
            4 not permitted, 5 no answer in time, 6 done, but the answer could not be printed.
            """,
        version: "reprisectl 0.1.0",
        subcommands: [StatusCommand.self] + LookingCommands.all + OperatingCommands.all
            + ViewingCommands.all + SceneCommands.all + HistoryCommands.all
            + [QuarantineCommand.self, InspectCommand.self] + MonitoringCommands.all
            + DaemonCommands.all)

    @OptionGroup private var daemon: DaemonOptions
    @OptionGroup private var application: ApplicationOption
    @OptionGroup private var scene: SceneOption

    static func main() {
        // A reader of the output that went away is no reason to be killed without a word.
        signal(SIGPIPE, SIG_IGN)
        checkArguments()
        checkHelp()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            let options = CommandLine.arguments.prefix { $0 != "--" }
            if options.contains("--json"), !failure.isAnswered {
                Terminal.write(json: failure.json)
            }
            end(failure.description, failure.status)
        } catch let code as ExitCode {
            Glibc.exit(code.rawValue)
        } catch let missing as MissingCommand {
            end("Name a command.\n\n\(helpMessage(for: missing.family))", .usage)
        } catch {
            let message = fullMessage(for: error)
            if exitCode(for: error) == .success {
                Terminal.write(message)
                Glibc.exit(0)
            }
            end(String(message.trimmingPrefix("Error: ")), .usage)
        }
    }

    /// Refuses what the parser would take for something else: it repairs what is not UTF-8, and gives
    /// an option without a value the argument behind it.
    private static func checkArguments() {
        var areOptionsOver = false
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { continue }
            guard let argument = String(validatingCString: bytes) else {
                end("argument \(index) is not UTF-8: write it in UTF-8.", .usage)
            }
            if argument == "--" { areOptionsOver = true }
            if !areOptionsOver, argument.hasPrefix("--"), argument.hasSuffix("=") {
                end("\(argument) has no value: write one behind the =, or leave it out.", .usage)
            }
        }
    }

    /// Refuses to help with a command that there is none of: the parser would help with another.
    private static func checkHelp() {
        var words = CommandLine.arguments.dropFirst()
        while let word = words.first, word.hasPrefix("--") {
            // All but one of the options that may stand before a command have a value.
            words = words.dropFirst(word == "--json" || word.contains("=") ? 1 : 2)
        }
        guard words.first == "help" else { return }
        var family: any ParsableCommand.Type = Reprisectl.self
        for name in words.dropFirst() where !name.hasPrefix("-") {
            let commands = family.configuration.subcommands
            guard let command = commands.first(where: { $0._commandName == name }) else {
                let names = commands.map { $0._commandName }.joined(separator: ", ")
                end(
                    "There is no command \(name)"
                        + (names.isEmpty ? "." : ": the commands are \(names)."), .usage)
            }
            family = command
        }
    }

    private static func end(_ message: String, _ status: Failure.Status) -> Never {
        Terminal.complain(message)
        Glibc.exit(status.rawValue)
    }
}
