import ArgumentParser
import RepriseControl

/// `reprisectl move`.
struct MoveCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves a row to another place.")
    static let method = ControlMethod.move
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(help: "The table's path.")
    var path: String

    @Argument(help: "Where the row is, counted from 0.")
    var from: Int

    @Argument(help: "Where it is afterwards.")
    var to: Int

    var parameters: MoveParameters {
        MoveParameters(
            application: options.application, scene: options.scene, path: path, from: from, to: to)
    }
}
