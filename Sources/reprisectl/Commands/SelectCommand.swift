import ArgumentParser
import RepriseControl

/// `reprisectl select`.
struct SelectCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Chooses elements: a segment, a tab, a page, rows.")
    static let method = ControlMethod.select

    @OptionGroup var options: ControlOptions

    @Argument(help: "The path of what has the elements.")
    var path: String

    @Argument(help: "The elements' places, counted from 0.")
    var indexes: [Int] = []

    @Option(
        name: .customLong("id"), parsing: .upToNextOption,
        help: "The model's identifiers of what the elements show.")
    var identifiers: [String] = []

    func validate() throws {
        switch (indexes.isEmpty, identifiers.isEmpty) {
        case (true, true):
            throw ValidationError(
                "Missing expected argument '<indexes> ...', or --id and identifiers.")
        case (false, false):
            throw ValidationError("Name elements by their places or with --id, not by both.")
        default: break
        }
    }

    var parameters: SelectParameters {
        SelectParameters(
            application: options.application, scene: options.scene, path: path,
            indexes: indexes.isEmpty ? nil : indexes,
            identifiers: identifiers.isEmpty ? nil : identifiers)
    }
}
