import ArgumentParser
import RepriseControl

/// `reprisectl edit`.
struct EditCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Turns the edit mode of a table or a controller on or off.")
    static let method = ControlMethod.edit

    @OptionGroup var options: SceneScope

    @Argument(help: "The table's or controller's path.")
    var path: String

    @Argument(help: "on or off.")
    var mode: EditMode

    var parameters: EditParameters {
        EditParameters(
            application: options.application, scene: options.scene, path: path, on: mode == .on)
    }
}

/// What an edit mode can be.
enum EditMode: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}
