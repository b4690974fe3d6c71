import ArgumentParser
import RepriseControl
import Varlink

/// Prints what happens, until it is ended.
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Prints what happens, as it happens.",
        discussion: """
            Without options it prints what happens in all applications, and to the daemon, until it is \
            ended with Ctrl-C. It goes on after the daemon was restarted, and tells on stderr if events \
            were missed meanwhile.
            """)

    @OptionGroup private var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup private var namedScene: SceneOption

    @Option(
        help: "Print what happens to the object at this path, and below it, alone.",
        completion: LiveCompletion.paths)
    private var path: String?

    @Option(
        name: .customLong("kind"),
        help: ArgumentHelp(
            "Print events of this kind alone, such as changed or problem; may stand several times.",
            valueName: "kind"))
    private var kinds: [EventKind] = []

    @Option(help: "End after so many events.")
    private var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number above 0.") }
        if path?.isEmpty == true { throw ValidationError("--path has no path: name an object's.") }
    }

    func run() throws {
        var call = MonitorCall()
        call.application = named.application
        call.scene = namedScene.scene
        call.path = path
        call.kinds = kinds.isEmpty ? nil : kinds
        var left = count ?? .max
        try Session(daemon).daemon.follow {
            call
        } body: { bytes in
            let reply = try MonitorCall.decode(bytes)
            (call.instance, call.after) = (reply.instance, reply.number)
            guard let event = reply.event else { return true }
            if daemon.json {
                Terminal.write(json: String(decoding: bytes, as: UTF8.self))
            } else {
                Terminal.print(event.line)
            }
            left -= 1
            return left > 0
        } missed: { instance, number in
            Terminal.complain("events were missed: what was known of objects may be old.")
            (call.instance, call.after) = (instance, number)
        }
    }
}

extension EventKind: ExpressibleByArgument {}

extension Event {
    /// What a person reads of it, in a line.
    fileprivate var line: String {
        let about = [application, scene, path].compactMap(\.self).joined(separator: " ")
        var details = (values ?? [:]).sorted { $0.key < $1.key }.map {
            "\($0.key): \($0.value.line)"
        }
        details += (large ?? [:]).sorted { $0.key < $1.key }.map {
            "\($0.key): a value of \($0.value) bytes"
        }
        details += (removed ?? []).map { "\($0): no value any more" }
        details += [message, generation.map { "kept as \($0)" }].compactMap(\.self)
        return [time, kind.rawValue, about, details.joined(separator: "; ")]
            .filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
