import ArgumentParser
import RepriseControl

/// `reprisectl debug`: not in the list of commands, as it is for tests.
struct DebugCommand: CommandFamily {
    static let configuration = CommandConfiguration(
        commandName: "debug",
        abstract: "Makes the daemon end at a stage of a launch, turn or pass, to try out a crash.",
        discussion: """
            Refused unless the daemon's configuration has debug: { exits: true }. \
            A stage that does not exist is answered with all that do.
            """,
        shouldDisplay: false, subcommands: [DebugExitCommand.self, DebugTrapCommand.self])
}

/// `reprisectl debug exit`.
struct DebugExitCommand: ControlCommand {
    typealias Call = DebugExitCall

    static let configuration = CommandConfiguration(
        commandName: "exit", abstract: "Makes the daemon exit when it reaches a stage.")

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    @Option(help: "The exit status, 0 to 255.")
    var status: UInt8?

    func state(in call: inout Call) {
        call.stage = stage
        call.status = status.map(Int.init)
    }

    func present(_ reply: Call.Reply) {
        Terminal.print("the daemon will exit at \(stage)")
    }
}

/// `reprisectl debug trap`.
struct DebugTrapCommand: ControlCommand {
    typealias Call = DebugTrapCall

    static let configuration = CommandConfiguration(
        commandName: "trap", abstract: "Makes the daemon trap when it reaches a stage.")

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The stage, such as launch-found.")
    var stage: String

    func state(in call: inout Call) { call.stage = stage }

    func present(_ reply: Call.Reply) {
        Terminal.print("the daemon will trap at \(stage)")
    }
}
