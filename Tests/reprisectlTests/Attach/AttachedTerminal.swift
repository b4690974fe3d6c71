import Dispatch
import FoundationEssentials
import Glibc
import RepriseControl
import Synchronization
import SystemPackage
import TestSupport

/// The built `reprisectl attach` in a pseudo-terminal, into which a test types.
final class AttachedTerminal {
    /// Number of lines of the terminal. The last one is the client's bar.
    private static let lineCount = 12

    let daemon: SceneDaemon
    private(set) var contents = TerminalContents(lines: AttachedTerminal.lineCount)
    private let terminal: PseudoTerminal
    private let process: pid_t
    private let errorFile: String
    /// Time by which each condition must hold.
    private let deadline = ContinuousClock.now + .seconds(120)

    /// Attaches a terminal to a scene, and calls a closure once the client follows the scene.
    ///
    /// - Parameters:
    ///   - scene: The scene.
    ///   - answers: The replies to other calls, keyed by method name.
    ///   - followAnswers: The replies to successive calls that follow the scene. The default is the scene. The last
    ///     line of the renderings among them is `followed`.
    ///   - options: The options of the command.
    ///   - environment: Environment variables of the command, in addition to the path of the socket.
    ///   - columns: The width of the terminal.
    static func with(
        _ scene: AttachCall.Reply, answers: [String: Answer] = [:],
        following followAnswers: [Answer]? = nil, options: [String] = [],
        environment: [String: String] = [:], columns: Int = 100,
        _ body: @escaping @Sendable (AttachedTerminal) throws -> Void
    ) async throws {
        let answers = answers.merging(["Attach": .reply(scene)]) { $1 }
        let followAnswers = (followAnswers ?? [.reply(scene)]).map { answer -> Answer in
            guard case .reply(let reply) = answer, var rendering = reply as? AttachCall.Reply else {
                return answer
            }
            rendering.lines[rendering.lines.count - 1].text = "followed"
            return .reply(rendering)
        }
        try await runOnOwnThread {
            let daemon = try SceneDaemon(answers, following: followAnswers)
            defer { daemon.stop() }
            let terminal = try AttachedTerminal(daemon, options, environment, columns: columns)
            defer { terminal.end() }
            try terminal.waitUntilShown("followed")
            try terminal.waitForBar("F1 keys")
            try body(terminal)
        }
    }

    private init(
        _ daemon: SceneDaemon, _ options: [String], _ environment: [String: String], columns: Int
    ) throws {
        self.daemon = daemon
        terminal = try PseudoTerminal(lines: Self.lineCount, columns: columns)
        errorFile = daemon.socket.scratch.file("errors")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, terminal.path, O_RDWR | O_NOCTTY, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_addopen(&actions, 2, errorFile, O_WRONLY | O_CREAT, 0o600)
        // A stop signal to the group of the client must not stop the tests, and threads of this process block signals.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        let program = try ProgramRun.program()
        let words = ([program, "attach"] + options).map { strdup($0) } + [nil]
        let settings = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm",
            "ESCDELAY": "0", "REPRISE_SOCKET": daemon.socket.path,
        ].merging(environment) { $1 }
        let variables = settings.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let code = StubDaemon.inheritance.withLock { _ in
            posix_spawn(&process, program, &actions, &attributes, words, variables)
        }
        guard code == 0 else { throw Errno(rawValue: code) }
        self.process = process
    }

    // MARK: Typing

    func type(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(terminal.controller, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest.removeFirst(count)
            } else if errno != EINTR {
                throw Errno(rawValue: errno)
            }
        }
    }

    /// Changes the width of the terminal, and waits until the client has redrawn the screen.
    func resize(columns: Int) throws {
        let clearCount = contents.clearCount
        try terminal.resize(lines: Self.lineCount, columns: columns)
        // The terminal does not control the client's process, so the kernel sends no signal.
        send(signal: SIGWINCH)
        try wait("the screen is redrawn") {
            contents.clearCount > clearCount && !contents.bar.isEmpty
        }
    }

    /// Presses Ctrl-L, and waits until the client has redrawn the screen.
    func redraw() throws {
        let clearCount = contents.clearCount
        try type("\u{C}")
        try wait("the screen is redrawn") {
            contents.clearCount > clearCount && !contents.bar.isEmpty
        }
    }

    // MARK: Screen

    func waitUntilShown(_ text: String) throws {
        try wait("\"\(text)\" is shown") { contents.text.contains { $0.contains(text) } }
    }

    func waitForBar(_ text: String) throws {
        try wait("the bar shows \"\(text)\"") { contents.bar.contains(text) }
    }

    func waitForBar(without text: String) throws {
        try wait("the bar does not show \"\(text)\"") { !contents.bar.contains(text) }
    }

    /// Reads the client's output until a condition holds.
    func wait(_ expected: String, until condition: () -> Bool) throws {
        while !condition() {
            guard try readOutput(until: expected) else { throw failure(expected) }
        }
    }

    /// Reads the next output, or returns `false` if the client has closed the terminal.
    private func readOutput(until expected: String) throws -> Bool {
        let rest = (deadline - ContinuousClock.now) / .milliseconds(1)
        var entry = pollfd(fd: terminal.controller, events: Int16(POLLIN), revents: 0)
        let readyCount = poll(&entry, 1, CInt(max(0, rest)))
        if readyCount < 0, errno == EINTR { return true }
        guard readyCount > 0 else { throw failure(expected) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(terminal.controller, &bytes, bytes.count)
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { return false }
        contents.add(bytes[..<count])
        return true
    }

    private func failure(_ expected: String) -> ConditionTimeout {
        ConditionTimeout(
            description: "It never happened that \(expected).\n"
                + contents.text.joined(separator: "\n") + "\n\(errors)\n\(daemon.calls)")
    }

    /// Text that the client wrote to its standard error output.
    var errors: String { (try? ProgramRun.text(errorFile)) ?? "" }

    /// Whether the terminal processes lines, as it does before and after the client uses it.
    var processesLines: Bool {
        var settings = termios()
        return tcgetattr(terminal.controller, &settings) == 0
            && settings.c_lflag & tcflag_t(ICANON) != 0
    }

    // MARK: Process

    func send(signal number: CInt) { _ = Glibc.kill(process, number) }

    /// Waits until the client has this number of child processes, including those that have exited but are zombies.
    func waitForChildren(_ count: Int) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        var children = -1
        while children != count {
            guard ContinuousClock.now < deadline else {
                throw failure("the client has \(count) instead of \(children) child processes")
            }
            usleep(10_000)
            children = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
                .reduce(0) { sum, thread in
                    let path = "/proc/\(process)/task/\(thread)/children"
                    return sum + ((try? ProgramRun.text(path))?.split(separator: " ").count ?? 0)
                }
        }
    }

    /// Waits until a signal has stopped the client.
    func waitUntilStopped() throws {
        let isStopped = DispatchSemaphore(value: 0)
        DispatchQueue(label: "own thread").async { [process] in
            var status: CInt = 0
            while waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
            if status & 0xFF == 0x7F { isStopped.signal() }
        }
        guard isStopped.wait(timeout: .now() + .seconds(120)) == .success else {
            throw failure("the client is stopped")
        }
    }

    /// Waits until the client exits, and returns its exit status. After a signal, it is 128 plus the signal number.
    func waitForExit() throws -> CInt {
        while try readOutput(until: "the client exits") {}
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Kills the client if it is still running.
    private func end() {
        var status: CInt = 0
        guard waitpid(process, &status, WNOHANG) == 0 else { return }
        _ = Glibc.kill(process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
