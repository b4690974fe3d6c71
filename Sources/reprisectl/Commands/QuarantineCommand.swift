import ArgumentParser
import RepriseControl

struct QuarantineCommand: ControlCommand {
    typealias Call = QuarantineCall
    static let abstract = "Lists, puts back or deletes damaged or refused state."
    static let discussion = """
        Without a subcommand, the command lists the files in quarantine. `reprisectl inspect` \
        shows the contents of a file.
        """
    static let configuration = CommandConfiguration(
        commandName: commandName, abstract: abstract, discussion: discussion,
        subcommands: [
            PutBackCommand.self, QuarantineDeleteCommand.self, AcknowledgeCommand.self,
        ])

    @OptionGroup var options: ApplicationScopeOptions

    func present(_ reply: Call.Reply) {
        if reply.quarantined.isEmpty { return Terminal.print("the quarantine is empty") }
        if Terminal.isTerminal { return printTable(reply.quarantined) }
        for state in reply.quarantined {
            let time = state.time.map { ", since \($0)" } ?? ""
            Terminal.print("\(state.name)  \(Self.contentDescription(state))\(time)")
            Terminal.print("  \(state.reason ?? "(no reason recorded)")")
            Terminal.print("  \(state.path)")
        }
    }

    private func printTable(_ quarantined: [QuarantinedDescription]) {
        var table = Table("NAME", "SINCE", "BYTES", "REASON")
        for state in quarantined {
            table.add(
                state.name, state.time ?? "", state.kind == .file ? "\(state.bytes)" : "",
                (state.kind == .file ? "" : "(\(Self.contentDescription(state))) ")
                    + (state.reason ?? "(no reason recorded)"))
        }
        table.print()
        Terminal.printDirectory(of: quarantined.last?.path)
    }

    private static func contentDescription(_ state: QuarantinedDescription) -> String {
        switch state.kind {
        case .file: count(state.bytes, "byte")
        case .folder: "a directory, which cannot be put back"
        case .link: "a symbolic link, which cannot be put back"
        case .other: "not a file, which cannot be put back"
        }
    }
}

struct PutBackCommand: ControlCommand {
    static let commandName = "put-back"
    static let abstract = "Restores the scenes in a quarantined file, or a quarantined document."
    static let discussion = """
        The current state of these scenes is saved to the history first. Running scenes are closed \
        and relaunched with the state from the file. If the file is a document of the model data, the \
        application is quit, the document is replaced, and the application is launched again. The \
        replaced document is moved to quarantine.
        """
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationChangeScopeOptions

    @Argument(
        help: "The name of the file, as listed by `reprisectl quarantine`.",
        completion: LiveCompletion.quarantinedNames)
    var name: String

    @Flag(help: "Restore the intact objects in a damaged file.")
    var salvage = false

    func setParameters(in call: inout QuarantinePutBackCall) {
        call.name = name
        if salvage { call.salvage = true }
    }

    func present(_ reply: QuarantinePutBackCall.Reply) {
        Terminal.print(
            "put back: "
                + (reply.document.map { "the document \($0)" }
                    ?? reply.scenes.joined(separator: " ")))
        if let shortfall = reply.shortfall {
            let restoredPart =
                salvage
                ? "the intact objects were put back" : "the part before the damage was put back"
            Terminal.print("incomplete: \(shortfall); \(restoredPart)")
        }
        RollbackHint(reply.generation)?.print()
        reply.presentDurability()
    }
}

struct QuarantineDeleteCommand: ControlCommand {
    typealias Call = QuarantineDeleteCall
    static let commandName = "delete"
    static let abstract = "Permanently deletes files from quarantine."
    static let discussion = "If any of the files does not exist, nothing is deleted."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScopeOptions

    @Argument(
        help: "The names of the files, as listed by `reprisectl quarantine`.",
        completion: LiveCompletion.quarantinedNames)
    var names: [String]

    func setParameters(in call: inout Call) { call.names = names }

    func present(_ reply: Call.Reply) {
        Terminal.print("deleted: \(names.joined(separator: " "))")
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

struct AcknowledgeCommand: ControlCommand {
    typealias Call = QuarantineAcknowledgeCall
    static let commandName = "acknowledge"
    static let abstract =
        "Makes `status --check` ignore the files that are currently in quarantine."
    static let discussion =
        "The files stay in quarantine. `status --check` warns about files that are added later."

    @OptionGroup var options: ApplicationScopeOptions

    func present(_ reply: Call.Reply) {
        Terminal.print("`status --check` ignores the files that are in quarantine now")
    }

    func presentQuietly(_ reply: Call.Reply) {}
}
