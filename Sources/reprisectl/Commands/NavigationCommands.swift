import ArgumentParser
import RepriseControl

struct ScrollCommand: ControlCommand, NegativeNumberCommand {
    static let abstract =
        "Scrolls a view so that the given point of its content is in the upper left corner."

    @OptionGroup var options: CallOptions<ScrollCall>

    @Argument(
        help: "The path of the scroll view.", completion: .paths,
        transform: CommandWords.removingMarker)
    var path: String

    @Argument(
        help: "The column to scroll to. Negative numbers are allowed.",
        transform: NumberArgument.parseFinite)
    var x: Double

    @Argument(
        help: "The line to scroll to. Negative numbers are allowed.",
        transform: NumberArgument.parseFinite)
    var y: Double

    var call: ScrollCall { ScrollCall(path: path, x: x, y: y) }
}

struct ZoomCommand: ControlCommand {
    static let abstract = "Zooms the content of a scroll view or a picture."

    @OptionGroup var options: CallOptions<ZoomCall>

    @Argument(help: "The path of the scroll view or picture.", completion: .paths)
    var path: String

    @Argument(
        help: "The scale, where 1 is the natural size.", transform: NumberArgument.parsePositive)
    var scale: Double

    var call: ZoomCall { ZoomCall(path: path, scale: scale) }
}

struct LoadCommand: NonrepeatableCommand {
    static let abstract = "Loads a page into a web view."

    @OptionGroup var options: CallOptions<LoadCall>

    @Argument(help: "The web view's path.", completion: .paths)
    var path: String

    @Argument(help: "The page's URL.")
    var url: String

    var call: LoadCall { LoadCall(path: path, url: url) }
}

struct BackCommand: NonrepeatableCommand {
    static let abstract =
        "Goes back one controller, one page, or one entry in the history of a web view."

    @OptionGroup var options: CallOptions<BackCall>

    @Argument(
        help: ArgumentHelp(
            "The path of a navigation controller, page controller or web view (default: the "
                + "visible navigation stack)."),
        completion: .paths)
    var path: String?

    var call: BackCall { BackCall(path: path) }
}

struct ForwardCommand: NonrepeatableCommand {
    static let abstract = "Goes forward one page, or one entry in the history of a web view."

    @OptionGroup var options: CallOptions<ForwardCall>

    @Argument(help: "The path of a page controller or a web view.", completion: .paths)
    var path: String

    var call: ForwardCall { ForwardCall(path: path) }
}

struct DismissCommand: NonrepeatableCommand {
    static let abstract = "Dismisses the topmost presented controller."

    @OptionGroup var options: CallOptions<DismissCall>
}

/// Parser for numbers on the command line.
enum NumberArgument {
    /// Parses a finite number.
    static func parseFinite(_ text: String) throws -> Double {
        try parse(text, "a number such as 12, 0.5 or -3") { _ in true }
    }

    /// Parses a finite number above 0.
    static func parsePositive(_ text: String) throws -> Double {
        try parse(text, "a number above 0, such as 2 or 0.5") { $0 > 0 }
    }

    private static func parse(
        _ text: String, _ expectation: String, isValid: (Double) -> Bool
    ) throws -> Double {
        let number = Double(CommandWords.removingMarker(text))
        guard let number, number.isFinite, isValid(number) else {
            throw ValidationError("write \(expectation).")
        }
        return number
    }
}
