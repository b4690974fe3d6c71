import ArgumentParser
import RepriseControl

struct QuarantineCommand: ControlCommand {
    typealias Call = QuarantineCall
    static let abstract = "Lists saved state that was refused or damaged, and puts it back."
    static let discussion = """
        Without a subcommand it lists what there is. `reprisectl inspect` tells what one of the \
        files holds.
        """
    static let configuration = CommandConfiguration(
        commandName: commandName, abstract: abstract, discussion: discussion,
        subcommands: [PutBackCommand.self])

    @OptionGroup var options: ApplicationScope

    func present(_ reply: Call.Reply) {
        if reply.quarantined.isEmpty { return Terminal.print("nothing is in quarantine") }
        if Terminal.isTerminal { return printTable(reply.quarantined) }
        for state in reply.quarantined {
            let time = state.time.map { ", since \($0)" } ?? ""
            Terminal.print("\(state.name)  \(Self.told(state))\(time)")
            Terminal.print("  \(state.reason ?? "(no reason recorded)")")
            Terminal.print("  \(state.path)")
        }
    }

    private func printTable(_ quarantined: [QuarantinedDescription]) {
        var table = Table("NAME", "SINCE", "BYTES", "REASON")
        for state in quarantined {
            table.add(
                state.name, state.time ?? "", state.kind == .file ? "\(state.bytes)" : "",
                (state.kind == .file ? "" : "(\(Self.told(state))) ")
                    + (state.reason ?? "(no reason recorded)"))
        }
        table.print()
        Terminal.printFolder(of: quarantined.last?.path)
    }

    private static func told(_ state: QuarantinedDescription) -> String {
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
        if let generation = reply.generation {
            Terminal.print("what was saved before is kept as \(generation)")
        }
        reply.presentSaved()
    }
}
