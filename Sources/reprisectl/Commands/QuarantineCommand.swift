import ArgumentParser
import LinuxIO
import RepriseControl

struct QuarantineCommand: ControlCommand {
    static let abstract = "Lists, puts back or deletes damaged or refused state."
    static let discussion = """
        Without a subcommand, the command lists the files in quarantine. `reprisectl inspect` \
        shows the contents of a file.
        """
    static let subcommands: [any ParsableCommand.Type] = [
        PutBackCommand.self, QuarantineDeleteCommand.self, AcknowledgeCommand.self,
    ]

    @OptionGroup var options: CallOptions<QuarantineCall>

    func present(_ reply: QuarantineCall.Reply) {
        let quarantinedEntries = reply.quarantined
        if quarantinedEntries.isEmpty { return Terminal.print("the quarantine is empty") }
        if Terminal.isTerminal {
            Table.print("NAME", "SINCE", "BYTES", "REASON", rows: quarantinedEntries) { state in
                let reason = state.reason ?? "(no reason recorded)"
                return state.kind == .file
                    ? [state.name, state.time ?? "", "\(state.bytes)", reason]
                    : [
                        state.name, state.time ?? "", "",
                        "(\(Self.contentDescription(state))) \(reason)",
                    ]
            }
            return Terminal.print("in \(quarantinedEntries[0].path.containingDirectory)")
        }
        for state in quarantinedEntries {
            let time = state.time.map { ", since \($0)" } ?? ""
            Terminal.print("\(state.name)  \(Self.contentDescription(state))\(time)")
            Terminal.print("  \(state.reason ?? "(no reason recorded)")")
            Terminal.print("  \(state.path)")
        }
    }

    private static func contentDescription(_ state: QuarantinedDescription) -> String {
        switch state.kind {
        case .file: countPhrase(state.bytes, "byte")
        case .folder: "a directory, which cannot be put back"
        case .link: "a symbolic link, which cannot be put back"
        case .other: "not a file, which cannot be put back"
        }
    }
}

struct PutBackCommand: NonrepeatableCommand {
    static let commandName = "put-back"
    static let abstract = "Restores the scenes in a quarantined file, or a quarantined document."
    static let discussion = """
        The current state of these scenes is saved to the history first. Running scenes are closed \
        and relaunched with the state from the file. If the file is a document of the model data, the \
        application is quit, the document is replaced, and the application is launched again. The \
        replaced document is moved to quarantine.
        """

    @OptionGroup var options: CallOptions<QuarantinePutBackCall>

    @Argument(
        help: "The name of the file, as listed by `reprisectl quarantine`.",
        completion: .quarantinedNames)
    var name: String

    @Flag(help: "Restore the intact objects in a damaged file.")
    var salvage = false

    var call: QuarantinePutBackCall {
        QuarantinePutBackCall(name: name, salvage: salvage ? true : nil)
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
        printRollbackHint(reply.generation)
        reply.presentDurability()
    }
}

struct QuarantineDeleteCommand: NonrepeatableCommand, ConfirmedCommand {
    static let commandName = "delete"
    static let abstract = "Permanently deletes files from quarantine."
    static let discussion = "If any of the files does not exist, nothing is deleted."

    @OptionGroup var options: CallOptions<QuarantineDeleteCall>

    @Argument(
        help: "The names of the files, as listed by `reprisectl quarantine`.",
        completion: .quarantinedNames)
    var names: [String]

    var call: QuarantineDeleteCall { QuarantineDeleteCall(names: names) }

    var confirmation: String { "deleted: \(names.joined(separator: " "))" }
}

struct AcknowledgeCommand: ConfirmedCommand {
    static let commandName = "acknowledge"
    static let abstract =
        "Makes `status --check` ignore the files that are currently in quarantine."
    static let discussion =
        "The files stay in quarantine. `status --check` warns about files that are added later."

    @OptionGroup var options: CallOptions<QuarantineAcknowledgeCall>

    var confirmation: String { "`status --check` ignores the files that are in quarantine now" }
}
