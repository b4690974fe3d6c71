import ArgumentParser
import RepriseControl

struct HistoryCommand: ControlCommand {
    static let usesPager = true
    static let abstract = "Lists the generations (earlier saved states) of an application."
    static let discussion = """
        `reprisectl diff` compares a generation with another generation or with the saved state. \
        `reprisectl inspect` shows the contents of a generation's file.
        """
    static let subcommands: [any ParsableCommand.Type] = [HistoryDeleteCommand.self]

    @OptionGroup var options: CallOptions<HistoryCall>
    @OptionGroup var beforeOption: BeforeOption

    private var before: String? { beforeOption.before }

    var call: HistoryCall { HistoryCall(before: before) }

    func present(_ reply: HistoryCall.Reply) {
        guard let oldestGeneration = reply.generations.first else {
            let statusText = before.map { "has no generation older than \($0)" } ?? "is empty"
            return Terminal.print("the history \(statusText)")
        }
        if reply.omitted > 0 {
            Terminal.print(
                "\(countPhrase(reply.omitted, "older generation")) not listed: "
                    + "reprisectl history --before \(oldestGeneration.name) lists more")
        }
        if Terminal.isTerminal {
            Table.print(
                "GENERATION", "TIME", "OBJECTS", "BYTES", "VERSION", "REASON",
                rows: reply.generations,
                color: { $0.problem == nil ? nil : .red }
            ) { generation in
                [
                    generation.name, generation.time, "\(generation.objects)",
                    "\(generation.bytes)",
                    generation.bundleVersions.joined(separator: " "),
                    [generation.reason, generation.problem].compactMap { $0 }.joined(
                        separator: "; "),
                ]
            }
            let path = reply.generations.last?.path ?? oldestGeneration.path
            return Terminal.print("reprisectl inspect '\(path.replacing("'", with: #"'\''"#))'")
        }
        for generation in reply.generations {
            let versionList = generation.bundleVersions.joined(separator: ", ")
            Terminal.print(
                "\(generation.name)  \(generation.time), "
                    + "\(countPhrase(generation.objects, "object")), \(countPhrase(generation.bytes, "byte"))"
                    + (versionList.isEmpty ? "" : ", saved by version \(versionList)"))
            if let reason = generation.reason { Terminal.print("  because \(reason)") }
            if let problem = generation.problem { Terminal.print("  \(problem)") }
            Terminal.print("  \(generation.path)")
        }
    }
}

/// Option that limits the listed generations.
///
/// The option is part of a separate type because a command shares the values of such types with its subcommands.
struct BeforeOption: ParsableArguments {
    @Option(
        help: "List only generations older than the given generation.", completion: .generations)
    var before: String?
}

struct HistoryDeleteCommand: NonrepeatableCommand, ConfirmedCommand {
    static let commandName = "delete"
    static let abstract = "Permanently deletes generations from the history."
    static let discussion = "If any of the generations does not exist, nothing is deleted."

    @OptionGroup var options: CallOptions<HistoryDeleteCall>
    @OptionGroup(visibility: .private) private var beforeOption: BeforeOption

    @Argument(
        help: "The numbers of the generations, as listed by `reprisectl history`.",
        completion: .generations)
    var generations: [String]

    var call: HistoryDeleteCall { HistoryDeleteCall(generations: generations) }

    func rejectUnacceptedOptions() throws {
        try options.rejectUnacceptedOptions()
        try rejectOptions(
            ["--before": beforeOption.before != nil],
            because: "deletes only the generations that are named and ")
    }

    var confirmation: String { "deleted: \(generations.joined(separator: " "))" }
}

struct DiffCommand: ControlCommand {
    static let usesPager = true
    static let abstract =
        "Compares a generation with another generation or with the saved state."
    static let discussion = """
        Values that are only in the first state are marked with -. Values that are only in the \
        second state are marked with +. `reprisectl history` lists the generations.
        """

    @OptionGroup var options: CallOptions<DiffCall>

    @Argument(
        help: "The number of the first generation, as listed by `reprisectl history`.",
        completion: .generations)
    var from: String

    @Argument(
        help: "The number of the second generation (default: the saved state).",
        completion: .generations)
    var to: String?

    var call: DiffCall { DiffCall(from: from, to: to) }

    func presentProblems(_ reply: DiffCall.Reply) {
        for problem in reply.problems { Terminal.printError(problem) }
    }

    func present(_ reply: DiffCall.Reply) {
        if reply.differences.isEmpty, reply.unlisted == 0 {
            let secondStateName = reply.to.map { "and \($0)" } ?? "and the saved state"
            Terminal.print("\(reply.from) \(secondStateName) are equal")
        }
        for line in DifferenceText(reply.differences).lines {
            Terminal.print(line.text, line.color)
        }
        if reply.unlisted > 0 { Terminal.print("and \(reply.unlisted) more") }
    }
}

struct RollbackCommand: NonrepeatableCommand {
    static let abstract = "Rolls an application or a scene back to a generation."
    static let discussion = """
        You do not need to stop the application. The current state is saved to the history first. \
        Without --scene, all scenes of the application are rolled back. Scenes that are not in the \
        generation are launched without state if they are configured, and closed otherwise. The \
        model data does not change.
        """

    @OptionGroup var options: CallOptions<RollbackCall>

    @Argument(
        help: "The number of the generation, as listed by `reprisectl history`.",
        completion: .generations)
    var generation: String

    var call: RollbackCall { RollbackCall(generation: generation) }

    func present(_ reply: RollbackCall.Reply) { reply.present("rolled back") }
}

extension ReplacementReply {
    /// Prints the scenes, the generation with the replaced state, and the durability level of the change.
    ///
    /// - Parameter verb: Past participle that states what happened to the scenes, such as `rolled back`.
    func present(_ verb: String) {
        Terminal.print(scenes.isEmpty ? "\(verb)" : "\(verb): \(scenes.joined(separator: " "))")
        printRollbackHint(generation)
        presentDurability()
    }
}

/// Prints the path of the generation with the replaced state, and the command that restores it.
///
/// - Parameters:
///   - path: Path of the generation, or `nil` if no state had been saved.
///   - isStopped: Whether the user must launch the application afterwards.
func printRollbackHint(_ path: String?, isStopped: Bool = false) {
    guard let path else { return }
    let pathComponents = path.split(separator: "/").suffix(3)
    let directorySuffix = ".savedState"
    let application = pathComponents.first.flatMap {
        $0.hasSuffix(directorySuffix) ? $0.dropLast(directorySuffix.count) : nil
    }
    let commandPrefix = "reprisectl" + (application.map { " --app \($0)" } ?? "")
    let generation =
        pathComponents.last.flatMap { Int($0.prefix { $0 != "." }) }.map(String.init) ?? path
    Terminal.print(
        "the previous state is in the history as \(path): `\(commandPrefix) rollback \(generation)` "
            + (isStopped ? "and then `\(commandPrefix) launch` restore it" : "restores it"))
}

struct ResetCommand: NonrepeatableCommand {
    static let abstract = "Removes the saved state and relaunches the scenes without it."
    static let discussion = """
        The current state is saved to the history first. Without --scene, the whole application is \
        reset. The model data does not change.
        """

    @OptionGroup var options: CallOptions<ResetCall>

    @Flag(help: "Keep the saved state and relaunch the scenes from it, as after a restart.")
    var toSaved = false

    var call: ResetCall { ResetCall(toSaved: toSaved ? true : nil) }

    func present(_ reply: ResetCall.Reply) {
        let resetVerb = reply.scenes.isEmpty ? "reset" : "relaunched without saved state"
        reply.present(toSaved ? "relaunched" : resetVerb)
    }
}
