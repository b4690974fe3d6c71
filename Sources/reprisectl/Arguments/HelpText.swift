/// Help text for a command, or the program's version.
struct HelpText: Error {
    let text: String

    /// Whether the text has several lines.
    var isMultiline: Bool { text.contains("\n") }

    /// Returns the help text without the given options.
    ///
    /// The parser cannot hide an option in the help of a single command, because commands share the types that declare
    /// options.
    func removingOptions(_ options: Set<String>) -> HelpText {
        var isInRemovedOption = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if let option = Self.option(describedBy: line) {
                isInRemovedOption = options.contains(option)
            } else if !line.hasPrefix("   ") {
                isInRemovedOption = false
            }
            return !isInRemovedOption
        }
        return HelpText(
            text: options.reduce(lines.joined(separator: "\n"), Self.removingOption(_:fromUsage:)))
    }

    /// Removes `[--option]` or `[--option <value>]` from the usage line of the help text.
    private static func removingOption(_ text: String, fromUsage option: String) -> String {
        let usageRange = text.firstRange(of: " [\(option)]") ?? text.firstRange(of: " [\(option) ")
        guard let start = usageRange?.lowerBound, let end = text[start...].firstIndex(of: "]")
        else {
            return text
        }
        return String(text[..<start] + text[text.index(after: end)...])
    }

    /// Returns the long name of the option whose description begins in a line, such as `  -q, --quiet    Print
    /// nothing.`.
    private static func option(describedBy line: Substring) -> String? {
        guard line.hasPrefix("  -") else { return nil }
        return line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
    }
}

/// Command that accepts some options although they have no effect. Its help does not list these options.
protocol OptionIgnoring {
    /// Long names of the options that have no effect, such as `--quiet`.
    static var ignoredOptions: Set<String> { get }
}
