import ArgumentParser
import RepriseControl

/// Commands that show the state of the daemon or of a scene.
enum QueryCommands {
    static let all: [any ParsableCommand.Type] = [
        ListCommand.self, ShowCommand.self, TreeCommand.self, GetCommand.self, MonitorCommand.self,
    ]
}

struct ListCommand: ControlCommand {
    typealias Call = ListCall
    static let abstract = "Lists the applications and their scenes."
    static let discussion = """
        In a cluster, the command also shows which host runs each application that does not run on \
        this host.
        """

    @OptionGroup var options: DaemonScopeOptions

    func present(_ reply: Call.Reply) {
        var table = Table("APPLICATION", "STATE", "SCENES")
        for application in reply.applications {
            let scenes = application.scenes.map { scene in
                scene.phase == .running ? scene.name : "\(scene.name) (\(scene.phase.rawValue))"
            }
            let name = application.bundleIdentifier
            let phase = Self.state(of: application)
            let sceneList = scenes.joined(separator: " ")
            if Terminal.isTerminal {
                table.add(name, phase, sceneList, color: application.phase == .failed ? .red : nil)
            } else {
                Terminal.print("\(name)  \(phase)  \(sceneList)")
            }
        }
        if Terminal.isTerminal { table.print() }
    }

    /// Returns the phase of an application on this host, or a phrase that names the host that runs the application.
    private static func state(of application: ListedApplication) -> String {
        guard let ownership = application.ownership, application.phase == .stopped,
            ownership.notReplicated == nil
        else { return application.phase.rawValue }
        return ownership.host.map { "runs on \($0)" } ?? "no host is known to run it"
    }
}

struct ShowCommand: ControlCommand {
    typealias Call = ShowCall
    static let abstract = "Prints a scene as text, the way it would look on a screen."
    static let discussion = """
        With --saved, --generation or --quarantined, the command prints a stored snapshot instead \
        of the live scene. The snapshot shows how the scene would look after a rollback or a \
        put-back.
        """

    @OptionGroup var options: SceneScopeOptions

    @Flag(help: "Print the snapshot of the saved state, even if the scene is closed.")
    var saved = false

    @Option(
        help: "Print the snapshot of the generation with this number (see `reprisectl history`).",
        completion: LiveCompletion.generations)
    var generation: String?

    @Option(
        help: "Print the snapshot of a quarantined file.",
        completion: LiveCompletion.quarantinedNames)
    var quarantined: String?

    @Flag(help: "Print the scene again after every change. Press Ctrl-C to stop.")
    var watch = false

    func validate() throws {
        let count =
            (saved ? 1 : 0) + (generation == nil ? 0 : 1) + (quarantined == nil ? 0 : 1)
            + (watch ? 1 : 0)
        guard count < 2 else {
            throw ValidationError(
                "--saved, --generation, --quarantined and --watch cannot be used together.")
        }
    }

    func run(in context: CommandContext) throws {
        if watch {
            try followReplies(in: context) { if !context.json { Terminal.clear() } }
        } else {
            try callAndPrint(in: context)
        }
    }

    func setParameters(in call: inout Call) {
        call.saved = saved ? true : nil
        call.generation = generation
        call.quarantined = quarantined
    }

    func present(_ reply: Call.Reply) {
        Terminal.write(reply.text)
        if let time = reply.time {
            Terminal.print("the scene looked like this from \(time) onward")
        }
    }
}

struct TreeCommand: ControlCommand {
    typealias Call = TreeCall
    static let abstract =
        "Lists every object with its path and class, and shows whether it is preserved."
    static let usesPager = true

    @OptionGroup var options: SceneScopeOptions

    func present(_ reply: Call.Reply) {
        if Terminal.isTerminal { return printTable(reply.objects) }
        let pathWidth = reply.objects.map(\.path.count).max() ?? 0
        let classWidth = reply.objects.map(\.class.count).max() ?? 0
        for object in reply.objects {
            let story = object.preserved ? "preserved" : "not preserved: \(object.reason ?? "")"
            let commandSuffix = object.commandNames.map { "; has \($0)" } ?? ""
            Terminal.print(
                "\(object.path.padded(pathWidth))  \(object.class.padded(classWidth))  \(story)\(commandSuffix)"
            )
        }
    }

    private func printTable(_ objects: [TreeObject]) {
        var table = Table("PATH", "CLASS", "PRESERVED")
        for object in objects {
            let story =
                (object.preserved ? "yes" : "no: \(object.reason ?? "")")
                + (object.commandNames.map { "; has \($0)" } ?? "")
            table.add(object.path, object.class, story, color: object.preserved ? nil : .yellow)
        }
        table.print()
    }
}

extension TreeObject {
    /// Names of the commands that the object provides, or `nil` if it provides none.
    fileprivate var commandNames: String? {
        commands.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") }
    }
}

struct GetCommand: ControlCommand {
    static let abstract = "Prints the state of an object, or one of its values."

    @OptionGroup var options: SceneScopeOptions

    @Argument(help: "The object's path.", completion: LiveCompletion.paths)
    var path: String

    @Argument(
        help: "The key of the value to print (default: all values).",
        completion: LiveCompletion.keys)
    var key: String?

    @Flag(help: "Print text unescaped and without a trailing newline.")
    var raw = false

    @Flag(help: "Print the state again after every change. Press Ctrl-C to stop.")
    var watch = false

    func run(in context: CommandContext) throws {
        guard watch else { return try callAndPrint(in: context) }
        var isFirst = true
        try followReplies(in: context) {
            // An empty line separates these values from the previous values.
            if !isFirst, key == nil, !context.json { Terminal.print("") }
            isFirst = false
        }
    }

    func validate() throws {
        if raw, key == nil { throw ValidationError("--raw requires the key of a value.") }
    }

    func setParameters(in call: inout GetCall) {
        call.path = path
        call.key = key
    }

    func present(_ reply: GetCall.Reply) {
        if raw, case .string(let text)? = reply.value { return Terminal.write(raw: text) }
        if let value = reply.value { Terminal.print(value.line) }
        for (key, value) in (reply.values ?? [:]).sorted(by: { $0.key < $1.key }) {
            Terminal.print("\(key): \(value.line)")
        }
    }
}
