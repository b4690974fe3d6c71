import ArgumentParser
import RepriseControl

/// Commands that change the visible part of a scene.
enum NavigationCommands {
    static let all: [any ParsableCommand.Type] = [
        ScrollCommand.self, ZoomCommand.self, LoadCommand.self, BackCommand.self,
        ForwardCommand.self, DismissCommand.self,
    ]
}

struct ScrollCommand: ControlCommand {
    static let abstract =
        "Scrolls a view so that the given point of its content is in the upper left corner."
    static let configuration = CommandConfiguration(
        commandName: commandName, abstract: abstract,
        usage: "reprisectl scroll [<options>] <path> <x> <y>")

    @OptionGroup var options: SceneChangeScopeOptions

    @Argument(help: "The path of the scroll view.", completion: LiveCompletion.paths)
    var path: String

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The column and line to scroll to. Negative numbers are allowed.",
            valueName: "x> <y"),
        transform: ScrollArgument.init(argument:))
    var words: [ScrollArgument]

    func validate() throws {
        guard coordinates.count == 2 else {
            throw ValidationError("Specify two numbers to scroll to, X and Y.")
        }
    }

    private var coordinates: [Double] { words.compactMap(\.number) }

    func setParameters(in call: inout ScrollCall) {
        call.path = path
        call.x = coordinates[0]
        call.y = coordinates[1]
    }
}

/// Word that follows the path in a `scroll` command: a number, or the `--` that may precede a negative number.
struct ScrollArgument: Decodable {
    /// The number, or `nil` for `--`.
    let number: Double?

    fileprivate init(argument: String) throws {
        number = argument == "--" ? nil : try NumberArgument.finite(argument)
    }
}

struct ZoomCommand: ControlCommand {
    static let abstract = "Zooms the content of a scroll view or a picture."

    @OptionGroup var options: SceneChangeScopeOptions

    @Argument(help: "The path of the scroll view or picture.", completion: LiveCompletion.paths)
    var path: String

    @Argument(
        help: "The scale, where 1 is the natural size.", transform: NumberArgument.aboveZero)
    var scale: Double

    func setParameters(in call: inout ZoomCall) {
        call.path = path
        call.scale = scale
    }
}

struct LoadCommand: ControlCommand {
    static let abstract = "Loads a page into a web view."
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneChangeScopeOptions

    @Argument(help: "The web view's path.", completion: LiveCompletion.paths)
    var path: String

    @Argument(help: "The page's URL.")
    var url: String

    func setParameters(in call: inout LoadCall) {
        call.path = path
        call.url = url
    }
}

struct BackCommand: ControlCommand {
    static let abstract =
        "Goes back one controller, one page, or one entry in the history of a web view."
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneChangeScopeOptions

    @Argument(
        help: ArgumentHelp(
            "The path of a navigation controller, page controller or web view (default: the "
                + "visible navigation stack)."),
        completion: LiveCompletion.paths)
    var path: String?

    func setParameters(in call: inout BackCall) { call.path = path }
}

struct ForwardCommand: ControlCommand {
    static let abstract = "Goes forward one page, or one entry in the history of a web view."
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneChangeScopeOptions

    @Argument(
        help: "The path of a page controller or a web view.", completion: LiveCompletion.paths)
    var path: String

    func setParameters(in call: inout ForwardCall) { call.path = path }
}

struct DismissCommand: ControlCommand {
    typealias Call = DismissCall
    static let abstract = "Dismisses the topmost presented controller."
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneChangeScopeOptions
}

/// Parser for numbers on the command line.
enum NumberArgument {
    /// Parses a number.
    ///
    /// - Throws: `ValidationError` if the text is not a finite number.
    static func finite(_ text: String) throws -> Double {
        guard let number = Double(text), number.isFinite else {
            throw ValidationError("write a number such as 12, 0.5 or -3.")
        }
        return number
    }

    /// Parses a positive number.
    ///
    /// - Throws: `ValidationError` if the text is not a finite number above 0.
    static func aboveZero(_ text: String) throws -> Double {
        guard let number = Double(text), number.isFinite, number > 0 else {
            throw ValidationError("write a number above 0, such as 2 or 0.5.")
        }
        return number
    }
}
