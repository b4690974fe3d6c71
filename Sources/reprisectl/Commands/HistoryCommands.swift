import ArgumentParser
import RepriseControl

/// Commands that list, compare and restore generations, or reset state.
enum HistoryCommands {
    static let all: [any ParsableCommand.Type] = [
        HistoryCommand.self, DiffCommand.self, RollbackCommand.self, ResetCommand.self,
    ]
}

struct HistoryCommand: ControlCommand {
    typealias Call = HistoryCall
    static let usesPager = true
    static let abstract = "Lists the generations (earlier saved states) of an application."
    static let discussion = """
        `reprisectl diff` compares a generation with another generation or with the saved state. \
        `reprisectl inspect` shows the contents of a generation's file.
        """

    static let configuration = CommandConfiguration(
        commandName: commandName, abstract: abstract, discussion: discussion,
        subcommands: [HistoryDeleteCommand.self])

    @OptionGroup var options: ApplicationScopeOptions

    @Option(
        help: "List only generations older than the given generation.",
        completion: LiveCompletion.generations)
    var before: String?

    func setParameters(in call: inout Call) { call.before = before }

    func present(_ reply: Call.Reply) {
        guard let oldest = reply.generations.first else {
            let status = before.map { "has no generation older than \($0)" } ?? "is empty"
            return Terminal.print("the history \(status)")
        }
        if reply.omitted > 0 {
            Terminal.print(
                "\(count(reply.omitted, "older generation")) not listed: "
                    + "reprisectl history --before \(oldest.name) lists more")
        }
        if Terminal.isTerminal { return printTable(reply.generations) }
        for generation in reply.generations {
            let versions = generation.bundleVersions.joined(separator: ", ")
            Terminal.print(
                "\(generation.name)  \(generation.time), "
                    + "\(count(generation.objects, "object")), \(count(generation.bytes, "byte"))"
                    + (versions.isEmpty ? "" : ", saved by version \(versions)"))
            if let reason = generation.reason { Terminal.print("  because \(reason)") }
            if let problem = generation.problem { Terminal.print("  \(problem)") }
            Terminal.print("  \(generation.path)")
        }
    }

    private func printTable(_ generations: [GenerationDescription]) {
        var table = Table("GENERATION", "TIME", "OBJECTS", "BYTES", "VERSION", "REASON")
        for generation in generations {
            table.add(
                generation.name, generation.time, "\(generation.objects)", "\(generation.bytes)",
                generation.bundleVersions.joined(separator: " "),
                [generation.reason, generation.problem].compactMap { $0 }.joined(separator: "; "),
                color: generation.problem == nil ? nil : .red)
        }
        table.print()
        guard let path = generations.last?.path else { return }
        Terminal.print("reprisectl inspect '\(path.replacing("'", with: #"'\''"#))'")
    }
}

struct HistoryDeleteCommand: ControlCommand {
    typealias Call = HistoryDeleteCall
    static let commandName = "delete"
    static let abstract = "Permanently deletes generations from the history."
    static let discussion = "If any of the generations does not exist, nothing is deleted."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScopeOptions

    @Argument(
        help: "The numbers of the generations, as listed by `reprisectl history`.",
        completion: LiveCompletion.generations)
    var generations: [String]

    func setParameters(in call: inout Call) { call.generations = generations }

    func present(_ reply: Call.Reply) {
        Terminal.print("deleted: \(generations.joined(separator: " "))")
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

struct DiffCommand: ControlCommand {
    static let usesPager = true
    static let abstract =
        "Compares a generation with another generation or with the saved state."
    static let discussion = """
        Values that are only in the first state are marked with -. Values that are only in the \
        second state are marked with +. `reprisectl history` lists the generations.
        """

    @OptionGroup var options: ApplicationScopeOptions

    @Argument(
        help: "The number of the first generation, as listed by `reprisectl history`.",
        completion: LiveCompletion.generations)
    var from: String

    @Argument(
        help: "The number of the second generation (default: the saved state).",
        completion: LiveCompletion.generations)
    var to: String?

    func setParameters(in call: inout DiffCall) {
        call.from = from
        call.to = to
    }

    func presentProblems(_ reply: DiffCall.Reply) {
        for problem in reply.problems { Terminal.printError(problem) }
    }

    func present(_ reply: DiffCall.Reply) {
        if reply.differences.isEmpty, reply.unlisted == 0 {
            let secondStateName = reply.to.map { "and \($0)" } ?? "and the saved state"
            Terminal.print("\(reply.from) \(secondStateName) are equal")
        }
        for line in DifferenceText(reply.differences).lines {
            if let color = line.color {
                Terminal.print(line.text, color)
            } else {
                Terminal.print(line.text)
            }
        }
        if reply.unlisted > 0 { Terminal.print("and \(reply.unlisted) more") }
    }
}

struct RollbackCommand: ControlCommand {
    static let abstract = "Rolls an application or a scene back to a generation."
    static let discussion = """
        You do not need to stop the application. The current state is saved to the history first. \
        Without --scene, all scenes of the application are rolled back. Scenes that are not in the \
        generation are launched without state if they are configured, and closed otherwise. The \
        model data does not change.
        """
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneChangeScopeOptions

    @Argument(
        help: "The number of the generation, as listed by `reprisectl history`.",
        completion: LiveCompletion.generations)
    var generation: String

    func setParameters(in call: inout RollbackCall) { call.generation = generation }

    func present(_ reply: RollbackCall.Reply) { reply.present("rolled back") }
}

extension ReplacementReply {
    /// Prints the scenes, the generation with the replaced state, and the durability level of the change.
    ///
    /// - Parameter verb: Past participle that states what happened to the scenes, such as `rolled back`.
    func present(_ verb: String) {
        Terminal.print(scenes.isEmpty ? "\(verb)" : "\(verb): \(scenes.joined(separator: " "))")
        RollbackHint(generation)?.print()
        presentDurability()
    }
}

/// Hint that names the command for restoring the replaced state.
struct RollbackHint {
    private let generationPath: String
    /// Number of the generation, or its path if the number is unknown.
    private let generationNumber: String
    /// `reprisectl` with the option that names the application.
    private let programCommand: String

    /// Creates a hint for a generation.
    ///
    /// - Parameter path: Path of the generation with the replaced state, or `nil` if no state had been saved.
    init?(_ path: String?) {
        guard let path else { return nil }
        self.generationPath = path
        let parts = path.split(separator: "/").suffix(3)
        let suffix = ".savedState"
        let application = parts.first.flatMap {
            $0.hasSuffix(suffix) ? $0.dropLast(suffix.count) : nil
        }
        programCommand = "reprisectl" + (application.map { " --app \($0)" } ?? "")
        generationNumber =
            parts.last.flatMap { Int($0.prefix { $0 != "." }) }.map(String.init) ?? path
    }

    /// Prints the path of the generation, and the command that restores it.
    ///
    /// - Parameter isStopped: Whether the user must launch the application afterwards.
    func print(isStopped: Bool = false) {
        Terminal.print(
            "the previous state is in the history as \(generationPath): `\(programCommand) rollback \(generationNumber)` "
                + (isStopped ? "and then `\(programCommand) launch` restore it" : "restores it"))
    }
}

struct ResetCommand: ControlCommand {
    static let abstract = "Removes the saved state and relaunches the scenes without it."
    static let discussion = """
        The current state is saved to the history first. Without --scene, the whole application is \
        reset. The model data does not change.
        """
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneChangeScopeOptions

    @Flag(help: "Keep the saved state and relaunch the scenes from it, as after a restart.")
    var toSaved = false

    func setParameters(in call: inout ResetCall) { call.toSaved = toSaved ? true : nil }

    func present(_ reply: ResetCall.Reply) {
        let resetVerb = reply.scenes.isEmpty ? "reset" : "relaunched without saved state"
        reply.present(toSaved ? "relaunched" : resetVerb)
    }
}
