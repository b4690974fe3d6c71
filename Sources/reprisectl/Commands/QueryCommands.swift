import ArgumentParser
import RepriseControl

struct ListCommand: ControlCommand {
    static let abstract = "Lists the applications and their scenes."
    static let discussion = """
        In a cluster, the command also shows which host runs each application that does not run on \
        this host.
        """

    @OptionGroup var options: CallOptions<ListCall>

    func present(_ reply: ListCall.Reply) {
        let cells = { (application: ListedApplication) in
            let scenes = application.scenes.map { scene in
                scene.phase == .running ? scene.name : "\(scene.name) (\(scene.phase.rawValue))"
            }
            return [
                application.bundleIdentifier, Self.phaseText(of: application),
                scenes.joined(separator: " "),
            ]
        }
        guard Terminal.isTerminal else {
            for application in reply.applications {
                Terminal.print(cells(application).joined(separator: "  "))
            }
            return
        }
        Table.print(
            "APPLICATION", "STATE", "SCENES", rows: reply.applications,
            color: { $0.phase == .failed ? .red : nil }, cells: cells)
    }

    /// Returns the phase of an application on this host, or a phrase that names the host that runs the application.
    private static func phaseText(of application: ListedApplication) -> String {
        guard let ownership = application.ownership, application.phase == .stopped,
            ownership.notReplicated == nil
        else { return application.phase.rawValue }
        return ownership.host.map { "runs on \($0)" } ?? "no host is known to run it"
    }
}

struct ShowCommand: ControlCommand {
    static let abstract = "Prints a scene as text, the way it would look on a screen."
    static let discussion = """
        With --saved, --generation or --quarantined, the command prints a stored snapshot instead \
        of the live scene. The snapshot shows how the scene would look after a rollback or a \
        put-back.
        """

    @OptionGroup var options: CallOptions<ShowCall>

    @Flag(help: "Print the snapshot of the saved state, even if the scene is closed.")
    var saved = false

    @Option(
        help: "Print the snapshot of the generation with this number (see `reprisectl history`).",
        completion: .generations)
    var generation: String?

    @Option(help: "Print the snapshot of a quarantined file.", completion: .quarantinedNames)
    var quarantined: String?

    @Flag(help: "Print the scene again after every change. Press Ctrl-C to stop.")
    var watch = false

    func validate() throws {
        let givenOptions = [saved, generation != nil, quarantined != nil, watch]
        guard givenOptions.count(where: \.self) < 2 else {
            throw ValidationError(
                "--saved, --generation, --quarantined and --watch cannot be used together.")
        }
    }

    func run(in context: CommandContext) throws {
        if watch {
            try followReplies(in: context) { if !context.printsJSON { Terminal.clear() } }
        } else {
            try callAndPrint(resolvedCall(in: context), in: context)
        }
    }

    var call: ShowCall {
        ShowCall(saved: saved ? true : nil, generation: generation, quarantined: quarantined)
    }

    func present(_ reply: ShowCall.Reply) {
        Terminal.write(reply.text)
        if let time = reply.time {
            Terminal.print("the scene looked like this from \(time) onward")
        }
    }
}

struct TreeCommand: ControlCommand {
    static let abstract =
        "Lists every object with its path and class, and shows whether it is preserved."
    static let usesPager = true

    @OptionGroup var options: CallOptions<TreeCall>

    func present(_ reply: TreeCall.Reply) {
        func preservationText(
            _ object: TreeObject, ifPreserved preservedText: String,
            otherwise notPreservedText: String
        ) -> String {
            let commands = object.commands ?? []
            return
                (object.preserved ? preservedText : "\(notPreservedText): \(object.reason ?? "")")
                + (commands.isEmpty ? "" : "; has \(commands.joined(separator: ", "))")
        }
        if Terminal.isTerminal {
            return Table.print(
                "PATH", "CLASS", "PRESERVED", rows: reply.objects,
                color: { $0.preserved ? nil : .yellow }
            ) { [$0.path, $0.class, preservationText($0, ifPreserved: "yes", otherwise: "no")] }
        }
        let rows = reply.objects.map {
            [
                $0.path, $0.class,
                preservationText($0, ifPreserved: "preserved", otherwise: "not preserved"),
            ]
        }
        for line in Table.alignedLines(rows) { Terminal.print(line) }
    }
}

struct GetCommand: ControlCommand {
    static let abstract = "Prints the state of an object, or one of its values."

    @OptionGroup var options: CallOptions<GetCall>

    @Argument(help: "The object's path.", completion: .paths)
    var path: String

    @Argument(help: "The key of the value to print (default: all values).", completion: .keys)
    var key: String?

    @Flag(help: "Print text unescaped and without a trailing newline.")
    var raw = false

    @Flag(help: "Print the state again after every change. Press Ctrl-C to stop.")
    var watch = false

    func run(in context: CommandContext) throws {
        guard watch else { return try callAndPrint(resolvedCall(in: context), in: context) }
        var isFirst = true
        try followReplies(in: context) {
            // An empty line separates these values from the previous values.
            if !isFirst, key == nil, !context.printsJSON { Terminal.print("") }
            isFirst = false
        }
    }

    func validate() throws {
        if raw, key == nil { throw ValidationError("--raw requires the key of a value.") }
    }

    var call: GetCall { GetCall(path: path, key: key) }

    func present(_ reply: GetCall.Reply) {
        if raw, case .string(let text)? = reply.value { return Terminal.write(raw: text) }
        if let value = reply.value { Terminal.print(value.singleLineText) }
        for (key, value) in (reply.values ?? [:]).sorted(by: { $0.key < $1.key }) {
            Terminal.print("\(key): \(value.singleLineText)")
        }
    }
}
