import ArgumentParser
import TerminalText

/// Words on a command line, with checks for words that the argument parser would misinterpret.
struct CommandWords {
    /// Shared options that take a value. They may precede a command.
    static let optionsWithValue: Set = [
        "--socket", "--timeout", "--app", "--scene", "--host", "-H",
    ]

    /// Options that may precede a command and take no value.
    private static let flags: Set = ["--json", "--quiet", "-q", "--no-pager", "--follow"]

    /// Maximum number of commands that an error lists. A longer list would not fit on one line.
    private static let maximumListedCommands = 8

    private let words: [String]
    private let root: any ParsableCommand.Type
    /// Command or command family that the words name.
    private let command: any ParsableCommand.Type

    /// Checks the words and finds the command that they name.
    ///
    /// - Parameter root: The command whose subcommands the words may name.
    /// - Throws: ``Failure`` if a word is invalid.
    init(_ words: [String], under root: any ParsableCommand.Type) throws {
        self.words = words
        self.root = root
        try Self.rejectEmptyValues(words)
        command = try Self.resolveCommand(words, under: root)
    }

    /// Returns the arguments of this process.
    ///
    /// - Throws: ``Failure`` if a word is invalid, for example because it is not valid UTF-8, which the parser would
    ///   silently repair.
    static func forCurrentProcess(under root: any ParsableCommand.Type) throws -> CommandWords {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { continue }
            guard let word = String(validatingCString: bytes) else {
                throw Failure("argument \(index) is not UTF-8: encode it as UTF-8.", status: .usage)
            }
            words.append(word)
        }
        return try CommandWords(words, under: root)
    }

    /// Returns whether the words contain `--json` as an option, that is, not after `--`.
    static func containsJSONFlag(_ words: some Sequence<String>) -> Bool {
        words.prefix { $0 != "--" }.contains("--json")
    }

    /// Parses the command with its arguments.
    ///
    /// - Throws: ``Failure`` if the arguments are invalid, or ``HelpText`` if the user requested help.
    func parse() throws -> any ParsableCommand {
        do {
            let command = try root.parseAsRoot(markedWords)
            try (command as? any OptionRejecting)?.rejectUnacceptedOptions()
            return command
        } catch let error as ValidationError {
            throw Failure(error.message, status: .usage)
        } catch {
            throw convertedError(error)
        }
    }

    /// Parses the command and runs it.
    ///
    /// - Throws: ``Failure`` or `ExitCode` if the command fails, or ``HelpText`` if the user requested help.
    func run() throws {
        var command = try parse()
        do {
            if let command = command as? any RootAwareCommand {
                try command.run(under: root)
            } else {
                try command.run()
            }
        } catch  where !(error is ExitCode) {
            throw convertedError(error)
        }
    }

    /// Prefix that marks a word. Words on a command line cannot contain this character.
    private static let marker = "\0"

    /// Words for the parser, with marks on some words.
    ///
    /// Negative numbers are marked, because the parser would interpret them as options. A `-` after `--` is marked,
    /// because it does not stand for standard input. Option values are not marked.
    private var markedWords: [String] {
        let terminatorIndex = words.firstIndex(of: "--") ?? words.endIndex
        return words.enumerated().map { index, word in
            let isValue = index > 0 && Self.optionsWithValue.contains(words[index - 1])
            let isMarked =
                index < terminatorIndex
                ? command is any NegativeNumberCommand.Type && !isValue
                    && Self.isNegativeNumber(word)
                : command is any StandardInputCommand.Type && word == "-"
            return isMarked ? Self.marker + word : word
        }
    }

    private static func isNegativeNumber(_ word: String) -> Bool {
        let digits = word.dropFirst()
        return word.hasPrefix("-")
            && digits.first.map { $0.isASCII && ($0.isNumber || $0 == ".") } == true
            && Double(word) != nil
    }

    /// Returns an argument without the marker.
    static func removingMarker(_ word: String) -> String {
        word.hasPrefix(marker) ? String(word.dropFirst()) : word
    }

    /// Converts a parser error to a ``Failure`` or ``HelpText``.
    ///
    /// An error of any other type indicates a bug, and its description becomes a ``Failure``.
    func convertedError(_ error: any Error) -> any Error {
        if error is Failure { return error }
        let message = root.fullMessage(for: error).replacing(Self.marker, with: "")
        return switch root.exitCode(for: error) {
        case .success:
            HelpText(text: message).removingOptions(
                (command as? any OptionIgnoring.Type)?.ignoredOptions ?? [])
        case .validationFailure:
            Failure(String(message.trimmingPrefix("Error: ")), status: .usage, isMultiline: true)
        default: Failure("\(error)")
        }
    }

    /// Options whose value must not be empty, with a description of the value.
    private static let requiredValues = [
        "--socket": "the daemon's socket", "--app": "a bundle identifier", "--scene": "a scene",
        "--path": "the path of an object",
    ]

    /// Rejects options without a value. If an option ends with `=`, the parser would use the next argument as its
    /// value.
    private static func rejectEmptyValues(_ words: [String]) throws {
        let words = words.prefix { $0 != "--" }
        for word in words where word.hasPrefix("--") && word.hasSuffix("=") {
            throw Failure(
                "\(word) has no value: add one after the =, or remove the option.", status: .usage)
        }
        for (word, nextWord) in zip(words, words.dropFirst()) where nextWord.isEmpty {
            guard let value = requiredValues[word] else { continue }
            throw Failure(
                "\(word) has no value: specify \(value), or remove the option.", status: .usage)
        }
    }

    /// Returns the command that the words name.
    ///
    /// - Throws: ``Failure`` if the command does not exist. Without this check, the parser would treat the name as an
    ///   argument of a different command, and would show the help of that command.
    private static func resolveCommand(
        _ words: [String], under root: any ParsableCommand.Type
    ) throws -> any ParsableCommand.Type {
        var words = words[...]
        var currentCommand = root
        dropOptions(&words)
        let isHelp = words.first == "help"
        if isHelp { words.removeFirst() }
        while let name = words.first, !name.hasPrefix("-") {
            let commands = currentCommand.configuration.subcommands
            // The words after a command without subcommands are its arguments.
            if commands.isEmpty, !isHelp { break }
            guard let command = commands.first(where: { $0._commandName == name }) else {
                throw noSuchCommandFailure(name, among: commands)
            }
            currentCommand = command
            words.removeFirst()
            dropOptions(&words)
        }
        return currentCommand
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

    private static func noSuchCommandFailure(
        _ name: String, among commands: [any ParsableCommand.Type]
    ) -> Failure {
        let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let remedy =
            switch names.count {
            case 0: "."
            case ...maximumListedCommands: ": the commands are \(names.joined(separator: ", "))."
            default: ": `reprisectl help` lists the commands."
            }
        let failure = Failure("There is no command \(name.printable)\(remedy)", status: .usage)
        return failure.suggesting(NearestName(to: name, among: names)?.name)
    }
}

/// Command that reads text from standard input if its argument is `-` and no `--` precedes the argument.
protocol StandardInputCommand: ParsableCommand {}

/// Command that accepts negative numbers as arguments.
protocol NegativeNumberCommand: ParsableCommand {}
