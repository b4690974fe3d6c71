import ArgumentParser
import RepriseControl

/// `reprisectl back`.
struct BackCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "back",
        abstract: "Goes back by one: in a stack of controllers, pages, or a web view's history.")
    static let method = ControlMethod.back
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(
        help:
            "The path of a navigation or page controller or a web view; without it the stack seen.")
    var path: String?

    var parameters: BackParameters {
        BackParameters(
            application: options.application, scene: options.scene, path: path)
    }
}
