import ArgumentParser
import RepriseControl

/// `reprisectl open`.
struct OpenCommand: ControlCommand {
    typealias Call = OpenCall

    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Makes a scene, or launches one that is saved.")
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The scene's name.")
    var name: String

    func state(in call: inout Call) { call.name = name }
}

/// `reprisectl close`.
struct CloseCommand: ControlCommand {
    typealias Call = CloseCall

    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Saves a scene and ends it; `open` brings it back as it was.")

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The scene's name.")
    var name: String

    func state(in call: inout Call) { call.name = name }
}

/// `reprisectl preserve`.
struct PreserveCommand: ControlCommand {
    typealias Call = PreserveCall

    static let configuration = CommandConfiguration(
        commandName: "preserve",
        abstract: "Saves everything of an application, and waits until it is durable.")

    @OptionGroup var options: ApplicationScope
}

/// `reprisectl quit`.
struct QuitCommand: ControlCommand {
    typealias Call = QuitCall

    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "Saves an application and ends it; `launch` starts it again.")
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScope

    @Flag(help: "Save nothing more, and take away what is saved: the next launch begins anew.")
    var force = false

    func state(in call: inout Call) { call.force = force ? true : nil }

    func present(_ reply: Call.Reply) {
        if force {
            Terminal.print("ended, and nothing of it is saved any more; its history keeps what was")
        } else {
            reply.presentSaved()
        }
    }
}

/// `reprisectl launch`.
struct LaunchCommand: ControlCommand {
    typealias Call = LaunchCall

    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Launches an application that has ended or could not be launched.")
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScope

    func present(_ reply: Call.Reply) {
        for scene in reply.scenes { SceneLines(scene).print() }
    }
}

/// `reprisectl reload`.
struct ReloadCommand: ControlCommand {
    typealias Call = ReloadCall

    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reads configuration and storyboards again, and takes over what changed.",
        discussion: """
            The daemon does so by itself when one of the files changes, and at SIGHUP. If they have \
            errors, nothing changes.
            """)

    @OptionGroup var options: DaemonScope

    func present(_ reply: Call.Reply) {
        for clause in reply.changed { Terminal.print("taken over: \(clause)") }
        for clause in reply.waiting { Terminal.print("waits for the next restart: \(clause)") }
        if reply.changed.isEmpty {
            Terminal.print(
                reply.waiting.isEmpty ? "nothing changed" : "nothing changed that takes effect now"
            )
        }
    }
}
