import ArgumentParser
import RepriseControl

/// `reprisectl select`.
struct SelectCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Chooses elements: a segment, a tab, a page, rows; or no row.")
    static let method = ControlMethod.select

    @OptionGroup var options: SceneScope

    @Argument(help: "The path of what has the elements.")
    var path: String

    @Argument(help: "The elements' places, counted from 0.")
    var indexes: [Int] = []

    @Option(
        name: .customLong("id"), parsing: .upToNextOption,
        help: "The model's identifiers of what the elements show.")
    var identifiers: [String] = []

    @Flag(help: "Choose none: no row is chosen any more.")
    var none = false

    func validate() throws {
        switch (indexes.isEmpty, identifiers.isEmpty, none) {
        case (true, true, false):
            throw ValidationError(
                "Missing expected argument '<indexes> ...', or --id and identifiers, or --none.")
        case (false, true, false), (true, false, false), (true, true, true): break
        default:
            throw ValidationError(
                "Name elements by their places or with --id, or give --none: one of the three.")
        }
    }

    var parameters: SelectParameters {
        SelectParameters(
            application: options.application, scene: options.scene, path: path,
            indexes: identifiers.isEmpty ? indexes : nil,
            identifiers: identifiers.isEmpty ? nil : identifiers)
    }
}
