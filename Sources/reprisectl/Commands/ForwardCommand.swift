import ArgumentParser
import RepriseControl

/// `reprisectl forward`.
struct ForwardCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Goes forward by one in a history of pages.")
    static let method = ControlMethod.forward
    var isRepeatable: Bool { false }

    @OptionGroup var options: ControlOptions

    @Argument(help: "The web view's path.")
    var path: String

    var parameters: ObjectParameters {
        ObjectParameters(
            application: options.application, scene: options.scene, path: path)
    }
}
