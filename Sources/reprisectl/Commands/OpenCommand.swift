import ArgumentParser
import RepriseControl

/// `reprisectl open`.
struct OpenCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Makes a scene, or launches one that is saved.")
    static let method = ControlMethod.open
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The scene's name.")
    var name: String

    var parameters: NameParameters {
        NameParameters(application: options.application, name: name)
    }
}
