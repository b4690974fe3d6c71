import ArgumentParser
import RepriseControl

/// `reprisectl type`.
struct TypeCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "type",
        abstract: "Types a text in the place of the one that is there, and selects.")
    static let method = ControlMethod.type

    @OptionGroup var options: SceneScope

    @Argument(help: "The path of a text field or text view.")
    var path: String

    @Argument(help: "The text.")
    var text: String?

    @Flag(help: "Write the text behind the one that is there.")
    var append = false

    @Option(
        help: ArgumentHelp(
            "Then select the characters from A up to, but without, B, counted from 0; A..A places "
                + "the caret.", valueName: "a..b"),
        transform: TextRange.init(written:))
    var select: TextRange?

    var isRepeatable: Bool { !append }

    func validate() throws {
        if text != nil { return }
        if append { throw ValidationError("Name the text that --append is to write.") }
        if select == nil {
            throw ValidationError(
                "Missing expected argument '<text>', or --select A..B to select without typing.")
        }
    }

    var parameters: TypeParameters {
        TypeParameters(
            application: options.application, scene: options.scene, path: path, text: text,
            append: append ? true : nil, select: select)
    }
}

extension TextRange {
    /// - Parameter written: `A..B`, two whole numbers in their order.
    fileprivate init(written: String) throws {
        let parts = written.split(separator: "..", omittingEmptySubsequences: false)
        guard parts.count == 2, let lower = Int(parts[0]), let upper = Int(parts[1]),
            lower >= 0, lower <= upper
        else {
            throw ValidationError(
                "write it like 2..5, the first character and the first one behind them.")
        }
        self.init(lowerBound: lower, upperBound: upper)
    }
}
