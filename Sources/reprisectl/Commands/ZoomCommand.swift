import ArgumentParser
import RepriseControl

/// `reprisectl zoom`.
struct ZoomCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "zoom",
        abstract: "Enlarges what a scroll view or a picture shows.")
    static let method = ControlMethod.zoom

    @OptionGroup var options: SceneScope

    @Argument(help: "The path of what is enlarged.")
    var path: String

    @Argument(
        help: "How much: 1 is the natural size.", transform: Number.aboveZero)
    var scale: Double

    var parameters: ZoomParameters {
        ZoomParameters(
            application: options.application, scene: options.scene, path: path, scale: scale)
    }
}
