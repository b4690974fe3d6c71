import ArgumentParser
import RepriseControl

/// `reprisectl scroll`.
struct ScrollCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "scroll",
        abstract: "Scrolls: a place of the content comes to the upper left corner.",
        usage: "reprisectl scroll [<options>] <path> <x> <y>")
    static let method = ControlMethod.scroll

    @OptionGroup var options: SceneScope

    @Argument(help: "The path of what is scrolled.")
    var path: String

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "Columns from the left and lines from the top; they may be below 0.",
            valueName: "x> <y"),
        transform: ScrollWord.init(written:))
    var words: [ScrollWord]

    func validate() throws {
        guard place.count == 2 else {
            throw ValidationError("Name two numbers, X and Y, to scroll to.")
        }
    }

    private var place: [Double] { words.compactMap(\.number) }

    var parameters: ScrollParameters {
        ScrollParameters(
            application: options.application, scene: options.scene, path: path, x: place[0],
            y: place[1])
    }
}

/// A word behind the path: a number, or the `--` that may stand in front of one below 0.
struct ScrollWord: Decodable {
    /// Nil: it is `--`.
    let number: Double?

    fileprivate init(written: String) throws {
        number = written == "--" ? nil : try Number.finite(written)
    }
}
