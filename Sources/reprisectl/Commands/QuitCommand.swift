import ArgumentParser
import RepriseControl

/// `reprisectl quit`.
struct QuitCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "Saves an application and ends it; `launch` starts it again.")
    static let method = ControlMethod.quit
    static let scope = ControlScope.application
    static let isRepeatable = false

    @OptionGroup var options: ControlOptions

    var parameters: ApplicationParameters {
        ApplicationParameters(application: options.application)
    }

    func present(_ answer: SavedReply) {
        answer.present()
    }
}
