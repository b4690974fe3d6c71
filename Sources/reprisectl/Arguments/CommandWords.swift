import ArgumentParser
import TerminalText

/// The words of a command line, checked where the parser would take them for something else.
struct CommandWords {
    /// The options of all commands that have a value, which is no argument of the command.
    static let optionsWithValue: Set = [
        "--socket", "--timeout", "--app", "--scene", "--host", "-H", "--row", "--id", "--select",
        "--generation", "--insert", "--quarantined", "--key", "--path", "--kind", "--count",
        "--status", "--before", "--format", "--state-directory",
    ]
    /// Options that may stand before a command and have none.
    private static let flags: Set = ["--json", "--quiet", "-q", "--no-pager", "--follow"]

    /// Maximum number of commands that an error lists, so that the error stays one line.
    private static let listableCount = 8

    private let words: [String]
    /// The command that the words name, as far as they name one.
    private let command: any ParsableCommand.Type

    /// - Throws: ``Failure`` about a word.
    init(_ words: [String]) throws {
        self.words = words
        try Self.checkValues(words)
        command = try Self.command(words)
    }

    /// The words that this process was started with.
    ///
    /// - Throws: ``Failure`` also about what is not UTF-8, which the parser would repair.
    static func ofProcess() throws -> CommandWords {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { continue }
            guard let word = String(validatingCString: bytes) else {
                throw Failure("argument \(index) is not UTF-8: write it in UTF-8.", status: .usage)
            }
            words.append(word)
        }
        return try CommandWords(words)
    }

    /// Whether JSON is asked for.
    static func areForJSON(_ words: some Sequence<String>) -> Bool {
        words.prefix { $0 != "--" }.contains("--json")
    }

    /// The command with its arguments.
    ///
    /// - Throws: ``Failure`` if they are wrong; ``HelpText`` if help is what was asked for.
    func parse() throws -> any ParsableCommand {
        do {
            let command = try Reprisectl.parseAsRoot(words)
            guard var type = command as? TypeCommand, let end = words.firstIndex(of: "--") else {
                return command
            }
            type.isTextLiteral = words[end...].contains("-")
            return type
        } catch {
            throw failure(error)
        }
    }

    /// What an error of the parser means. Any other is a fault, unless it is a failure already.
    func failure(_ error: any Error) -> any Error {
        if error is Failure { return error }
        let message = Reprisectl.fullMessage(for: error)
        return switch Reprisectl.exitCode(for: error) {
        case .success:
            HelpText(text: message).removing(
                (command as? any OptionIgnoring.Type)?.ignoredOptions ?? [])
        case .validationFailure:
            Failure(String(message.trimmingPrefix("Error: ")), status: .usage, hasLines: true)
        default: Failure("\(error)")
        }
    }

    /// An option that ends with = would get the argument behind it.
    private static func checkValues(_ words: [String]) throws {
        for word in words.prefix(while: { $0 != "--" }) {
            if word.hasPrefix("--"), word.hasSuffix("=") {
                throw Failure(
                    "\(word) has no value: write one after the =, or leave it out.",
                    status: .usage)
            }
        }
    }

    /// The command that the words name.
    ///
    /// - Throws: ``Failure`` if there is no such command. The parser would take its name for an argument of another one,
    ///   and show the help of that one.
    private static func command(_ words: [String]) throws -> any ParsableCommand.Type {
        var words = words[...]
        var family: any ParsableCommand.Type = Reprisectl.self
        dropOptions(&words)
        let isHelp = words.first == "help"
        if isHelp { words.removeFirst() }
        while let name = words.first, !name.hasPrefix("-") {
            let commands = family.configuration.subcommands
            // What stands behind a command without subcommands is its arguments.
            if commands.isEmpty, !isHelp { break }
            guard let command = commands.first(where: { $0._commandName == name }) else {
                throw noSuchCommand(name, among: commands)
            }
            family = command
            words.removeFirst()
            dropOptions(&words)
        }
        return family
    }

    private static func dropOptions(_ words: inout ArraySlice<String>) {
        while let word = words.first {
            if optionsWithValue.contains(word) {
                words = words.dropFirst(2)
            } else if flags.contains(word)
                || optionsWithValue.contains(where: { word.hasPrefix("\($0)=") })
            {
                words.removeFirst()
            } else {
                return
            }
        }
    }

    private static func noSuchCommand(
        _ name: String, among commands: [any ParsableCommand.Type]
    ) -> Failure {
        let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let remedy =
            switch names.count {
            case 0: "."
            case ...listableCount: ": the commands are \(names.joined(separator: ", "))."
            default: ": `reprisectl help` lists the commands."
            }
        let failure = Failure("There is no command \(name.printable)\(remedy)", status: .usage)
        return failure.suggesting(NearestName(to: name, among: names)?.name)
    }
}
