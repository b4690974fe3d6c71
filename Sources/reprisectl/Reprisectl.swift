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
            Exit status: 0 done, 1 the daemon refused, 2 wrong arguments, 3 no daemon.
            """,
        version: "reprisectl 0.1.0",
        subcommands: [StatusCommand.self] + LookingCommands.all + OperatingCommands.all
            + ViewingCommands.all + SceneCommands.all + HistoryCommands.all
            + [QuarantineCommand.self, InspectCommand.self] + DaemonCommands.all)

    @OptionGroup private var daemon: DaemonOptions
    @OptionGroup private var application: ApplicationOption
    @OptionGroup private var scene: SceneOption

    static func main() {
        // A reader of the output that went away is no reason to be killed without a word.
        signal(SIGPIPE, SIG_IGN)
        checkArguments()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            end(failure.description, status: failure.status)
        } catch let missing as MissingCommand {
            end("Name a command.\n\n\(helpMessage(for: missing.family))", status: 2)
        } catch {
            let message = fullMessage(for: error)
            if exitCode(for: error) == .success {
                Terminal.write(message)
                Glibc.exit(0)
            }
            end(String(message.trimmingPrefix("Error: ")), status: 2)
        }
    }

    /// Arguments that are not UTF-8 would be repaired silently on the way to the parser.
    private static func checkArguments() {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            end("argument \(index) is not UTF-8: write it in UTF-8.", status: 2)
        }
    }

    private static func end(_ message: String, status: Int32) -> Never {
        Terminal.complain(message)
        Glibc.exit(status)
    }
}
