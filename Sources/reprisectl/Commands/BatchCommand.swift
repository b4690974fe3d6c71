import ArgumentParser

/// Command that runs the commands in a file or on standard input over one connection.
struct BatchCommand: RootAwareCommand, OptionIgnoring {
    static let ignoredOptions: Set = ["--no-pager"]
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Runs commands from a file or from standard input, one per line.",
        discussion: """
            Words are quoted as in a shell, with ', " and \\. Variables and wildcards are not \
            expanded. A # begins a comment. The options --app and --scene apply to every line \
            that does not set them. The command stops at the first line that fails, and exits \
            with the status of that line.
            """)

    @OptionGroup private var daemon: DaemonCallOptions
    @OptionGroup private var applicationOption: ApplicationOption
    @OptionGroup private var sceneOption: SceneOption

    @Argument(
        help: "The file to read (default: standard input, which can also be written as -).",
        completion: .file())
    var file: String?

    @Flag(help: "Continue if a line fails, unless the daemon cannot be reached.")
    var keepGoing = false

    func run(under root: any ParsableCommand.Type) throws {
        var context = CommandContext(daemon)
        context.application = applicationOption.application
        context.scene = sceneOption.scene
        context.readsCommandsFromStandardInput = file == nil || file == "-"
        var lines = try InputLines(path: context.readsCommandsFromStandardInput ? nil : file)
        var firstFailureStatus: Int32?
        Terminal.continuesWithoutOutput = keepGoing
        while let bytes = try lines.next() {
            Terminal.batchLineNumber = lines.lineNumber
            defer { Terminal.batchLineNumber = nil }
            var status = Self.status(of: bytes, in: context, under: root)
            if status == 0, firstFailureStatus == nil, Terminal.output == .closed {
                status = Failure.Status.notPrinted.rawValue
            }
            if status == 0 { continue }
            firstFailureStatus = firstFailureStatus ?? status
            guard keepGoing, Failure.Status(rawValue: status)?.allowsFurtherCommands == true else {
                break
            }
        }
        if let firstFailureStatus { throw ExitCode(firstFailureStatus) }
    }

    /// Runs the command on a line and reports any failure.
    ///
    /// - Returns: The exit status of the command.
    private static func status(
        of bytes: [UInt8], in context: CommandContext, under root: any ParsableCommand.Type
    ) -> Int32 {
        var printsJSON = context.printsJSON
        do {
            let line = try StandardInput.decodeText(bytes, "the line")
            let words = try QuotedWords(line).words
            if words.isEmpty { return 0 }
            printsJSON = printsJSON || CommandWords.containsJSONFlag(words)
            try runCommand(words, in: context, under: root)
            return 0
        } catch let failure as Failure {
            failure.report(asJSON: printsJSON)
            return failure.status.rawValue
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            Terminal.printError("\(error)")
            return Failure.Status.refused.rawValue
        }
    }

    private static func runCommand(
        _ words: [String], in context: CommandContext, under root: any ParsableCommand.Type
    ) throws {
        let command: any ParsableCommand
        do {
            command = try CommandWords(words, under: root).parse()
        } catch is HelpText {
            throw Failure(
                "help and version cannot be used in a batch: run them separately.", status: .usage)
        }
        guard let command = command as? any DaemonCommand else {
            throw Failure(
                "\(type(of: command)._commandName) cannot be used in a batch, which accepts only commands that "
                    + "call the daemon once: run it separately.", status: .usage)
        }
        if command.daemon.hasConnectionOptions {
            throw Failure(
                "a line cannot contain --socket, --host or --timeout: specify them for the whole batch.",
                status: .usage)
        }
        var context = context
        context.printsJSON = context.printsJSON || command.daemon.json
        context.isQuiet = (context.isQuiet || command.daemon.isQuiet) && !context.printsJSON
        try command.run(in: context)
    }
}
