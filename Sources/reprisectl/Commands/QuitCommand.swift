import ArgumentParser
import RepriseControl

/// `reprisectl quit`.
struct QuitCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "Saves an application and ends it; `launch` starts it again.")
    static let method = ControlMethod.quit
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScope

    @Flag(help: "Save nothing more, and take away what is saved: the next launch begins anew.")
    var force = false

    var parameters: QuitParameters {
        QuitParameters(application: options.application, force: force ? true : nil)
    }

    func present(_ answer: SavedReply) {
        if force {
            Terminal.print("ended, and nothing of it is saved any more; its history keeps what was")
        } else {
            answer.present()
        }
    }
}
