import ArgumentParser
import RepriseControl

/// `reprisectl close`.
struct CloseCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Saves a scene and ends it; `open` brings it back as it was.")
    static let method = ControlMethod.close

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The scene's name.")
    var name: String

    var parameters: NameParameters {
        NameParameters(application: options.application, name: name)
    }
}
