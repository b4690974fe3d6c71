import ArgumentParser
import RepriseControl

/// `reprisectl forward`.
struct ForwardCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Goes forward by one: in pages, or in a web view's history.")
    static let method = ControlMethod.forward
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(help: "The path of a page controller or a web view.")
    var path: String

    var parameters: ObjectParameters {
        ObjectParameters(
            application: options.application, scene: options.scene, path: path)
    }
}
