import ArgumentParser
import RepriseControl

/// `reprisectl back`.
struct BackCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "back",
        abstract: "Goes back by one in a stack of controllers or a history of pages.")
    static let method = ControlMethod.back
    var isRepeatable: Bool { false }

    @OptionGroup var options: ControlOptions

    @Argument(
        help: "The path of a navigation controller or web view; without it the stack that is seen.")
    var path: String?

    var parameters: BackParameters {
        BackParameters(
            application: options.application, scene: options.scene, path: path)
    }
}
