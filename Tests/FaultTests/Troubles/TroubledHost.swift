import DaemonHost
import Glibc
import Subprocess
import SystemPackage

/// A host of one application that something happens to.
final class TroubledHost {
    let host: Host
    /// What the daemon is started by.
    var prefix: [String] = []
    /// What the daemon's environment has beside the common one.
    var environment: [Environment.Key: String] = [:]
    /// What stands for a name of the document's commands: `FILE`.
    var names: [String: String] = [:]
    /// What must be seen when the state is back, and the command that shows it; nil: it does not
    /// come back.
    var back: (command: String, output: String)? = (
        "reprisectl get nav/parent/child1/textField text", "hello"
    )
    /// All that was shown so far: replies, and the logs of daemons that ended.
    private(set) var shown = ""
    private var mounts: [FilePath] = []
    private var daemon: (end: Task<String, any Error>, stop: AsyncStream<Signal>.Continuation)?

    init(_ host: Host) { self.host = host }

    /// Whether a daemon runs.
    var isRunning: Bool { daemon != nil }

    // MARK: The daemon

    /// Hosts one application alone.
    func hostOnly(_ application: String = "ChildViews", _ more: String = "") throws {
        let folder = host.folder.appending("config/reprised.d")
        if folder.entries.isEmpty { try folder.makeFolder() }
        try folder.appending("only.yaml").write(
            """
            applications: [{ bundleIdentifier: org.reprise.\(application), scenes: [main] }]
            preservation: { interval: 50ms }
            debug: { exits: true }
            \(more)

            """.utf8)
    }

    /// Starts the daemon, and returns when it is ready.
    func start() async throws {
        let (readies, readied) = AsyncStream.makeStream(of: Void.self)
        let (stops, stop) = AsyncStream.makeStream(of: Signal.self)
        let end = Task { [host, prefix, environment] in
            defer { readied.finish() }
            let end = try await host.run(
                by: prefix, environment: environment, endingBy: nil
            ) { daemon in
                readied.yield()
                for await signal in stops { return try daemon.send(signal) }
            }
            return end.log
        }
        var iterator = readies.makeAsyncIterator()
        if await iterator.next() == nil { return note(try await end.value) }
        daemon = (end, stop)
    }

    /// Ends the daemon.
    func stop(_ signal: Signal = .terminate) async throws {
        guard let (end, stop) = daemon else { return }
        daemon = nil
        stop.yield(signal)
        note(try await end.value)
    }

    /// Waits until the daemon has died by itself.
    func awaitDeath() async throws {
        guard let (end, stop) = daemon else { return }
        daemon = nil
        stop.finish()
        note(try await end.value)
    }

    /// Starts a daemon that must refuse to.
    func startInVain() async throws {
        let result = try await host.attempt(by: prefix, environment: environment)
        try Violation.unless(!result.status.isSuccess, "it starts: \(result)")
        note(result.errors)
    }

    // MARK: Commands

    /// What a person types, which has to succeed.
    @discardableResult
    func type(_ command: String) async throws -> String {
        let result = try await attempt(command)
        try Violation.unless(result.status.isSuccess, "\(command): \(result)")
        return result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
    }

    /// What a person types, in the folder of the storyboards, however it ends.
    @discardableResult
    func attempt(_ command: String) async throws -> ProgramResult {
        switch command {
        case "systemctl start reprised": try await start()
        case "systemctl stop reprised": try await stop()
        case "systemctl restart reprised":
            try await stop()
            try await start()
        default:
            var command = command
            for (name, value) in names {
                command = command.split(separator: name, omittingEmptySubsequences: false)
                    .joined(separator: "'\(value)'")
            }
            let program = try Programs.reprisectl().string
            let script = "reprisectl() { '\(program)' --socket '\(host.socket)' \"$@\"; }\n"
            let result = try await ProgramResult.of(
                ["sh", "-c", script + command],
                in: host.folder.appending("config/storyboards"))
            note(result.output + result.errors)
            return result
        }
        return try await ProgramResult.of(["true"], in: "/")
    }

    /// Looks until something is shown.
    func `await`(_ command: String, _ sentence: String) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while try await !attempt(command).output.contains(sentence) {
            try Violation.unless(.now < deadline, "\(command) does not tell: \(sentence)")
        }
    }

    /// Looks everywhere where a person would.
    func look() async throws {
        for command in [
            "status", "report", "history", "quarantine", "explain nav/parent/child1/textField",
        ] {
            try await attempt("reprisectl \(command)")
        }
    }

    /// Something was shown.
    func note(_ text: String) { shown += text.hasSuffix("\n") ? text : "\(text)\n" }

    // MARK: What most cases begin with

    /// Somebody types a text, and the daemon ends.
    func save(_ text: String = "hello", endingBy signal: Signal = .terminate) async throws {
        try await start()
        try await type("reprisectl type nav/parent/child1/textField \(text)")
        try await type("reprisectl preserve")
        try await stop(signal)
    }

    /// A line of the storyboard becomes another; the one before lies beside it.
    func editStoryboard(_ text: String, _ replacement: String) throws {
        let before = try host.storyboard.read()
        try FilePath(host.storyboard.string + "~").write(before)
        try host.replace(text, by: replacement, in: host.storyboard)
    }

    /// Something is changed in the archive.
    func changeArchive(_ change: ([UInt8]) -> [UInt8]) throws {
        try host.archive.write(change(try host.archive.read()))
    }

    // MARK: Mounts

    /// Has the state lie on a small disk of its own.
    func mountDisk() async throws -> Disk {
        let disk = try await Disk.mounted(on: host)
        mounts.append(disk.folder)
        return disk
    }

    /// Mounts an empty file system over the state directory.
    func mountOver() async throws {
        try await host.run(command: ["mount", "-t", "tmpfs", "tmpfs", host.state.string])
        mounts.append(host.state)
    }

    /// Takes away what is still mounted.
    func unmount() {
        for path in mounts.reversed() { umount2(path.string, CInt(MNT_DETACH)) }
    }
}
