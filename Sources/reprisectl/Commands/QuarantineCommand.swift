import ArgumentParser
import RepriseControl

struct QuarantineCommand: ControlCommand {
    typealias Call = QuarantineCall
    static let abstract = "Lists, puts back or deletes saved state that was refused or damaged."
    static let discussion = """
        Without a subcommand it lists what there is. `reprisectl inspect` tells what one of the \
        files holds.
        """
    static let configuration = CommandConfiguration(
        commandName: commandName, abstract: abstract, discussion: discussion,
        subcommands: [
            PutBackCommand.self, QuarantineDeleteCommand.self, AcknowledgeCommand.self,
        ])

    @OptionGroup var options: ApplicationScope

    func present(_ reply: Call.Reply) {
        if reply.quarantined.isEmpty { return Terminal.print("nothing is in quarantine") }
        if Terminal.isTerminal { return printTable(reply.quarantined) }
        for state in reply.quarantined {
            let time = state.time.map { ", since \($0)" } ?? ""
            Terminal.print("\(state.name)  \(Self.content(state))\(time)")
            Terminal.print("  \(state.reason ?? "(no reason recorded)")")
            Terminal.print("  \(state.path)")
        }
    }

    private func printTable(_ quarantined: [QuarantinedDescription]) {
        var table = Table("NAME", "SINCE", "BYTES", "REASON")
        for state in quarantined {
            table.add(
                state.name, state.time ?? "", state.kind == .file ? "\(state.bytes)" : "",
                (state.kind == .file ? "" : "(\(Self.content(state))) ")
                    + (state.reason ?? "(no reason recorded)"))
        }
        table.print()
        Terminal.printFolder(of: quarantined.last?.path)
    }

    private static func content(_ state: QuarantinedDescription) -> String {
        switch state.kind {
        case .file: count(state.bytes, "byte")
        case .folder: "a folder, which cannot be put back"
        case .link: "a symbolic link, which cannot be put back"
        case .other: "no file, which cannot be put back"
        }
    }
}

struct PutBackCommand: ControlCommand {
    static let commandName = "put-back"
    static let abstract = "Puts back the scenes that something in quarantine holds."
    static let discussion = """
        What is saved of these scenes now is kept in the history before. Those that run end, and \
        are launched again from what came back.
        """
    var isRepeatable: Bool { false }

    @OptionGroup var options: ChangedApplication

    @Argument(
        help: "The name in quarantine, as `reprisectl quarantine` lists it.",
        completion: LiveCompletion.quarantined)
    var name: String

    @Flag(help: "Of a damaged file put back every object that is intact.")
    var salvage = false

    func state(in call: inout QuarantinePutBackCall) {
        call.name = name
        if salvage { call.salvage = true }
    }

    func present(_ reply: QuarantinePutBackCall.Reply) {
        Terminal.print("put back: \(reply.scenes.joined(separator: " "))")
        if let shortfall = reply.shortfall {
            let came =
                salvage ? "what is intact came back" : "what was complete before that came back"
            Terminal.print("not all of it: \(shortfall); \(came)")
        }
        RollbackHint(reply.generation)?.print()
        reply.presentSaved()
    }
}

struct QuarantineDeleteCommand: ControlCommand {
    typealias Call = QuarantineDeleteCall
    static let commandName = "delete"
    static let abstract = "Deletes files from quarantine for good."
    static let discussion = "If one of the names does not exist, nothing is deleted."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScope

    @Argument(
        help: "Names in quarantine, as `reprisectl quarantine` lists them.",
        completion: LiveCompletion.quarantined)
    var names: [String]

    func state(in call: inout Call) { call.names = names }

    func present(_ reply: Call.Reply) {
        Terminal.print("deleted: \(names.joined(separator: " "))")
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

struct AcknowledgeCommand: ControlCommand {
    typealias Call = QuarantineAcknowledgeCall
    static let commandName = "acknowledge"
    static let abstract = "Makes `status --check` ignore what is in quarantine now."
    static let discussion =
        "The files stay in quarantine. `status --check` warns of files that come later."

    @OptionGroup var options: ApplicationScope

    func present(_ reply: Call.Reply) {
        Terminal.print("`status --check` ignores what is in quarantine now")
    }

    func presentQuietly(_ reply: Call.Reply) {}
}
