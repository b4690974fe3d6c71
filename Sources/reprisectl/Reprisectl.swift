import ArgumentParser
import Glibc
import LinuxIO

/// Command-line tool that controls a daemon.
@main
struct Reprisectl: CommandFamily {
    static let configuration = CommandConfiguration(
        commandName: "reprisectl",
        abstract: "Controls reprised or another program that hosts restorable applications.",
        discussion: """
            PATH is a restoration path such as nav/parent/child1/textField. `reprisectl tree` \
            lists all paths.
            Exit status:
              0  success
              1  the daemon rejected the call
              2  an argument is wrong
              3  the daemon cannot be reached
              4  the call is not permitted
              5  the daemon did not reply in time
              6  success, but the reply could not be printed
            """,
        version: "reprisectl 0.1.0",
        subcommands: [
            StatusCommand.self, ListCommand.self, ShowCommand.self, TreeCommand.self,
            GetCommand.self, MonitorCommand.self, AttachCommand.self, TypeCommand.self,
            SelectCommand.self, TapCommand.self, EditCommand.self, MoveCommand.self,
            DeleteCommand.self, UndoDeleteCommand.self, EditTextCommand.self, ScrollCommand.self,
            ZoomCommand.self, LoadCommand.self, BackCommand.self, ForwardCommand.self,
            DismissCommand.self, CallCommand.self, OpenCommand.self, CloseCommand.self,
            PreserveCommand.self, ReportCommand.self, ExplainCommand.self, HistoryCommand.self,
            DiffCommand.self, RollbackCommand.self, ResetCommand.self, QuarantineCommand.self,
            BackupCommand.self, RestoreCommand.self, InspectCommand.self, MetricsCommand.self,
            ClientsCommand.self, QuitCommand.self, LaunchCommand.self, ReloadCommand.self,
            RekeyCommand.self, DebugCommand.self, ClusterCommand.self, RelocateCommand.self,
            DrainCommand.self, BatchCommand.self, CompletionCommand.self, RelayCommand.self,
        ])

    @OptionGroup private var daemon: DaemonCallOptions
    @OptionGroup private var application: ApplicationOption
    @OptionGroup private var scene: SceneOption

    static func main() {
        // If the program that reads the output closes the pipe, this process must not be killed without a message.
        signal(SIGPIPE, SIG_IGN)
        // A process that was started with SIGCHLD ignored cannot wait for its own children.
        signal(SIGCHLD, SIG_DFL)
        FileDescriptors.openMissingStandardDescriptors()
        do {
            try CommandWords.forCurrentProcess(under: Self.self).run()
        } catch is Failure where CommandLine.arguments.dropFirst().first == "---completion" {
            // The shell displays everything that this process prints.
            Glibc.exit(Failure.Status.usage.rawValue)
        } catch let failure as Failure
            where failure.status == .usage && StatusCommand.requestsCheck(CommandLine.arguments)
        {
            // A monitoring system would interpret the exit status `usage` as critical.
            failure.report(asJSON: false)
            let requestsJSON = CommandWords.containsJSONFlag(CommandLine.arguments)
            do {
                Glibc.exit(
                    try HealthCheck(failure, isRemote: false).print(asJSON: requestsJSON).rawValue)
            } catch {
                Glibc.exit(HealthCheck.Severity.unknown.rawValue)
            }
        } catch let failure as Failure {
            failure.report(
                asJSON: CommandWords.containsJSONFlag(CommandLine.arguments.dropFirst()))
            Glibc.exit(failure.status.rawValue)
        } catch let code as ExitCode {
            Glibc.exit(code.rawValue)
        } catch let help as HelpText {
            let allowsPager = !CommandLine.arguments.contains("--no-pager")
            Pager.page(if: allowsPager && help.isMultiline) { Terminal.write(help.text) }
        } catch {
            Terminal.printError("\(error)")
            Glibc.exit(Failure.Status.refused.rawValue)
        }
    }
}
