import ArgumentParser
import RepriseControl
import Varlink

/// Command that prints events until the user stops it.
struct MonitorCommand: ParsableCommand, OptionIgnoring, OptionRejecting {
    static let ignoredOptions: Set = ["--quiet", "--no-pager"]
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Prints events as they happen.",
        discussion: """
            Without options, the command prints the events of all applications and of the daemon \
            until you press Ctrl-C. If the daemon restarts, the command reconnects and continues. \
            If the command missed events, it prints a warning to standard error.
            """)

    @OptionGroup private var options: CallOptions<MonitorCall>

    @Option(
        help: "Print only events of the object at this path and of the objects below it.",
        completion: .paths)
    private var path: String?

    @Option(
        name: .customLong("kind"),
        help: ArgumentHelp(
            "Print only events of this kind, such as changed or problem. The option can be "
                + "repeated.",
            valueName: "kind"))
    private var kinds: [EventKind] = []

    @Option(help: "Exit after this many events.")
    private var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count requires a number above 0.") }
        if options.daemon.isQuiet {
            throw ValidationError(
                "monitor changes nothing and does not accept --quiet: remove the option.")
        }
    }

    func rejectUnacceptedOptions() throws { try options.rejectUnacceptedOptions() }

    func run() throws {
        var call = MonitorCall(
            application: options.application, scene: options.scene,
            path: path, kinds: kinds.isEmpty ? nil : kinds)
        let context = CommandContext(options.daemon)
        warnIfTargetAbsent(in: context)
        var remainingCount = count ?? .max
        try context.suggestingNames(for: call) {
            try context.daemon.follow {
                call
            } body: { bytes in
                let reply = try MonitorCall.decode(bytes)
                (call.instance, call.after) = (reply.instance, reply.number)
                guard let event = reply.event else { return true }
                if context.printsJSON {
                    Terminal.write(json: bytes)
                } else {
                    Terminal.print(event.line)
                }
                remainingCount -= 1
                return remainingCount > 0
            } onMissedEvents: { instance, number in
                Terminal.printError("events were missed: known values may be outdated.")
                (call.instance, call.after) = (instance, number)
            }
        }
    }
}

extension MonitorCommand {
    /// Prints a warning if the scene or the path does not exist, because the name might be misspelled.
    ///
    /// No warning is printed if the daemon does not reply in time. If the daemon is on another host, nothing is
    /// checked, because replies take longer.
    private func warnIfTargetAbsent(in context: CommandContext) {
        guard options.scene != nil || path != nil, options.daemon.host == nil else { return }
        let liveNames = LiveNames(context.daemon, within: .seconds(1))
        let applications = liveNames.applications().filter {
            options.application == nil
                || $0.bundleIdentifier == options.application
        }
        if applications.isEmpty { return }
        let scenes = applications.flatMap { application in
            application.scenes.map { (application: application, scene: $0) }
        }
        let matchingScenes = scenes.filter {
            options.scene == nil || $0.scene.name == options.scene
        }
        if let scene = options.scene, matchingScenes.isEmpty {
            return warnAboutAbsence("scene \(scene)", scene, among: scenes.map(\.scene.name))
        }
        guard let path else { return }
        // Only running scenes are searched, because the call would launch any other scene.
        let paths = matchingScenes.filter { $0.scene.phase == .running }.flatMap {
            liveNames.paths($0.application.bundleIdentifier, $0.scene.name)
        }
        if paths.isEmpty || ContinuousClock.now >= liveNames.deadline { return }
        let pathExists = paths.contains { $0.isAtOrBelow(path) }
        if !pathExists { warnAboutAbsence("object at \(path)", path, among: paths) }
    }

    private func warnAboutAbsence(_ subject: String, _ name: String, among names: [String]) {
        let suggestion =
            NearestName(to: name, among: names).map { " Did you mean \($0.name)?" } ?? ""
        Terminal.printError("there is no \(subject) now; monitor waits for it.\(suggestion)")
    }
}

extension EventKind: ExpressibleByArgument {}

extension Event {
    /// One line of text that describes the event to the user.
    fileprivate var line: String {
        let subject = [application, scene, path].compactMap(\.self).joined(separator: " ")
        var details = (values ?? [:]).sorted { $0.key < $1.key }.map {
            "\($0.key): \($0.value.singleLineText)"
        }
        details += (large ?? [:]).sorted { $0.key < $1.key }.map {
            "\($0.key): a value of \($0.value) bytes"
        }
        details += (removed ?? []).map { "\($0): value removed" }
        // The message of an `exchanged` event already names the generation.
        let generationText = kind == .exchanged ? nil : generation.map { "generation \($0)" }
        details += [message, generationText].compactMap(\.self)
        return [time, kind.rawValue, subject, details.joined(separator: "; ")]
            .filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
