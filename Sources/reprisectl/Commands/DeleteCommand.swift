import ArgumentParser
import RepriseControl

/// `reprisectl delete`.
struct DeleteCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a row.")
    static let method = ControlMethod.delete
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(help: "The table's path.")
    var path: String

    @Argument(help: "The row, counted from 0.")
    var row: Int

    var parameters: DeleteParameters {
        DeleteParameters(
            application: options.application, scene: options.scene, path: path, row: row)
    }
}
