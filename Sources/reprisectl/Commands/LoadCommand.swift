import ArgumentParser
import RepriseControl

/// `reprisectl load`.
struct LoadCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Shows a page in a web view.")
    static let method = ControlMethod.load
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(help: "The web view's path.")
    var path: String

    @Argument(help: "The page's URL.")
    var url: String

    var parameters: LoadParameters {
        LoadParameters(
            application: options.application, scene: options.scene, path: path, url: url)
    }
}
