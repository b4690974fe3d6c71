import DaemonHost
import Glibc
import Subprocess
import SystemPackage

/// A host of one application that has a problem.
final class TroubledHost {
    let host: Host
    /// Command that starts the daemon.
    var prefix: [String] = []
    /// Additional environment variables of the daemon.
    var environment: [Environment.Key: String] = [:]
    /// Values for the names in the document's commands, such as `FILE`.
    var names: [String: String] = [:]
    /// Command that shows the restored state, with its expected output, or `nil` if the state is not restored.
    var restoreCheck: (command: String, output: String)? = (
        "reprisectl get nav/parent/child1/textField text", "hello"
    )
    /// Everything that was shown so far: replies, and the logs of daemons that have exited.
    private(set) var messages = ""
    private var mounts: [FilePath] = []
    private var daemon: (end: Task<String, any Error>, stop: AsyncStream<Signal>.Continuation)?

    init(_ host: Host) { self.host = host }

    /// Whether a daemon runs.
    var isRunning: Bool { daemon != nil }

    // MARK: Daemon

    /// Configures the daemon to run a single application.
    func configure(_ application: String = "ChildViews", _ more: String = "") throws {
        let directory = host.directory.appending("config/reprised.d")
        if directory.entries.isEmpty { try directory.createDirectory() }
        try directory.appending("only.yaml").write(
            """
            applications: [{ bundleIdentifier: org.reprise.\(application), scenes: [main] }]
            preservation: { interval: 50ms }
            debug: { exits: true }
            \(more)

            """.utf8)
    }

    /// Starts the daemon, and waits until it is ready.
    func start() async throws {
        let (readyStream, readyContinuation) = AsyncStream.makeStream(of: Void.self)
        let (signals, stop) = AsyncStream.makeStream(of: Signal.self)
        let end = Task { [host, prefix, environment] in
            defer { readyContinuation.finish() }
            let end = try await host.run(
                by: prefix, environment: environment, endingBy: nil
            ) { daemon in
                readyContinuation.yield()
                for await signal in signals { return try daemon.send(signal) }
            }
            return end.log
        }
        var iterator = readyStream.makeAsyncIterator()
        if await iterator.next() == nil { return record(try await end.value) }
        daemon = (end, stop)
    }

    /// Stops the daemon.
    func stop(_ signal: Signal = .terminate) async throws {
        guard let (end, stop) = daemon else { return }
        daemon = nil
        stop.yield(signal)
        record(try await end.value)
    }

    /// Waits until the daemon has exited by itself.
    func awaitExit() async throws {
        guard let (end, stop) = daemon else { return }
        daemon = nil
        stop.finish()
        record(try await end.value)
    }

    /// Starts a daemon, and requires that the start fails.
    func startExpectingFailure() async throws {
        let result = try await host.attempt(by: prefix, environment: environment)
        try Violation.unless(!result.status.isSuccess, "it starts: \(result)")
        record(result.errors)
    }

    // MARK: Commands

    /// Runs a command of the user, and requires that it succeeds.
    @discardableResult
    func type(_ command: String) async throws -> String {
        let result = try await attempt(command)
        try Violation.unless(result.status.isSuccess, "\(command): \(result)")
        return result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
    }

    /// Runs a command of the user in the directory of the storyboards, regardless of its exit status.
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
                in: host.directory.appending("config/storyboards"))
            record(result.output + result.errors)
            return result
        }
        return try await ProgramResult.of(["true"], in: "/")
    }

    /// Repeats a command until its output contains a sentence.
    func `await`(_ command: String, _ sentence: String) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while try await !attempt(command).output.contains(sentence) {
            try Violation.unless(.now < deadline, "\(command) does not tell: \(sentence)")
        }
    }

    /// Runs all commands with which a user would look for problems.
    func diagnose() async throws {
        for command in [
            "status", "report", "history", "quarantine", "explain nav/parent/child1/textField",
        ] {
            try await attempt("reprisectl \(command)")
        }
    }

    /// Adds text that was shown.
    func record(_ text: String) { messages += text.hasSuffix("\n") ? text : "\(text)\n" }

    // MARK: Common steps

    /// Starts the daemon, types a text, and stops the daemon.
    func save(_ text: String = "hello", endingBy signal: Signal = .terminate) async throws {
        try await start()
        try await type("reprisectl type nav/parent/child1/textField \(text)")
        try await type("reprisectl preserve")
        try await stop(signal)
    }

    /// Replaces text in the storyboard, and stores the previous storyboard next to it.
    func editStoryboard(_ text: String, _ replacement: String) throws {
        let before = try host.storyboard.read()
        try FilePath(host.storyboard.string + "~").write(before)
        try host.replace(text, by: replacement, in: host.storyboard)
    }

    /// Changes the bytes of the archive.
    func changeArchive(_ change: ([UInt8]) -> [UInt8]) throws {
        try host.archive.write(change(try host.archive.read()))
    }

    // MARK: Mounts

    /// Mounts a small file system for the state.
    func mountDisk() async throws -> Disk {
        let disk = try await Disk.mounted(on: host)
        mounts.append(disk.directory)
        return disk
    }

    /// Mounts an empty file system over the state directory.
    func mountOver() async throws {
        try await host.run(command: ["mount", "-t", "tmpfs", "tmpfs", host.state.string])
        mounts.append(host.state)
    }

    /// Unmounts everything that is still mounted.
    func unmount() {
        for path in mounts.reversed() { umount2(path.string, CInt(MNT_DETACH)) }
    }
}
