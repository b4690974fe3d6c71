import ArgumentParser
import RepriseControl

/// The root of the command line.
struct ReprisectlCommand: CommandFamily {
    static let configuration = CommandConfiguration(
        commandName: "reprisectl",
        abstract: "Controls reprised, the daemon that hosts restorable applications.",
        discussion: """
            PATH is a restoration path such as nav/parent/child1/textField; `reprisectl tree` \
            shows them all.
            Exit status: 0 done, 1 the daemon refused, 2 wrong arguments, 3 no daemon.
            """,
        version: "reprisectl 0.1.0",
        subcommands: [
            StatusCommand.self, ListCommand.self, ShowCommand.self, TreeCommand.self,
            GetCommand.self, TypeCommand.self, SelectCommand.self, TapCommand.self,
            EditCommand.self, MoveCommand.self, DeleteCommand.self, ScrollCommand.self,
            ZoomCommand.self, LoadCommand.self, BackCommand.self, ForwardCommand.self,
            DismissCommand.self, OpenCommand.self, CloseCommand.self, PreserveCommand.self,
            ReportCommand.self, ExplainCommand.self, HistoryCommand.self, DiffCommand.self,
            RollbackCommand.self, ResetCommand.self, QuarantineCommand.self, InspectCommand.self,
            QuitCommand.self, LaunchCommand.self, ReloadCommand.self, DebugCommand.self,
        ])

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var application: ApplicationOption
    @OptionGroup var scene: SceneOption
}
