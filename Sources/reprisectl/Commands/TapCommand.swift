import ArgumentParser
import RepriseControl

/// `reprisectl tap`.
struct TapCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "tap",
        abstract: "Taps a button, a switch or a row.")
    static let method = ControlMethod.tap
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(help: "The path of what is tapped.")
    var path: String

    @Option(help: "Of what has rows the row, counted from 0.")
    var row: Int?

    var parameters: TapParameters {
        TapParameters(
            application: options.application, scene: options.scene, path: path, row: row)
    }
}
