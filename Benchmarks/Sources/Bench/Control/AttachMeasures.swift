import Foundation

/// Benchmarks for the latency of a terminal client that shows a scene, and for the cost of idle
/// clients to the daemon.
///
/// The peer is tmux, which shows a program's screen as `reprisectl attach` shows a scene.
@LoopActor struct AttachMeasures {
    let run: Run
    let results: Results

    private static let clients = 50
    private static let columns = 80

    func measure() async throws {
        let daemon = try Daemon(run, in: run.directory + "/attached")
        defer { daemon.end() }
        let tmux = try Multiplexer(in: run.directory)
        defer { tmux.end() }
        try measureKeys(daemon, tmux, clients: 1)
        try measureFirstScreen(daemon, tmux)
        try await measureIdle(daemon, of: .peer("no clients attached"))
        // The measured client is attached in addition to these clients.
        let others = try Followers(
            run, daemon.control, Self.clients, "Attach", "{\"columns\":\(Self.columns)}")
        try measureKeys(daemon, nil, clients: Self.clients + 1)
        try await measureIdle(daemon, of: .ours)
        try others.end()
    }

    /// Measures the time from a key press on one connection to the changed line on another
    /// connection.
    private func measureKeys(_ daemon: Daemon, _ tmux: Multiplexer?, clients: Int) throws {
        let clientsText = clients == 1 ? "1 client" : "\(clients) clients"
        let time = Measure(
            "time from a key press to the changed line, \(clientsText)", .milliseconds)
        let bytes = Measure("data sent to a client for each key press, \(clientsText)", .bytes)
        var keys = try Connection(path: daemon.control)
        defer { keys.close() }
        var screen = try Connection(path: daemon.control)
        defer { screen.close() }
        _ = try keys.call("EditText", "{\(Request.field),\"action\":\"moveToEndOfDocument\"}")
        try screen.sendRequest(
            Request.varlink(
                "org.reprise.Control.Attach", "{\"columns\":\(Self.columns)}", more: true)
        )
        _ = try screen.reply()
        for number in 0..<(run.isQuick ? 200 : 1000) {
            let edit =
                number % 40 == 39 ? "\"action\":\"deleteToBeginningOfLine\"" : "\"text\":\"x\""
            let start = ContinuousClock.now
            try keys.sendRequest(
                Request.varlink("org.reprise.Control.EditText", "{\(Request.field),\(edit)}"))
            let reply = try screen.reply()
            let duration = (ContinuousClock.now - start).milliseconds
            _ = try keys.reply()
            try tmux?.pressKey { duration in
                if number >= 20 {
                    results.add(duration, to: time, of: .peer("tmux"))
                    results.add(duration, to: time.p99, of: .peer("tmux"))
                }
            }
            // No user types faster than this, and the daemon updates a client at most every 8
            // milliseconds.
            usleep(12_000)
            guard number >= 20 else { continue }
            results.add(duration, to: time)
            results.add(duration, to: time.p99)
            results.add(Double(reply.utf8.count), to: bytes)
        }
    }

    /// Measures the time from the start of a client to its first complete screen.
    private func measureFirstScreen(_ daemon: Daemon, _ tmux: Multiplexer) throws {
        let first = Measure("time from a client's start to its first screen", .milliseconds)
        let ours = [run.program("reprisectl"), "attach"]
        let environment = [
            "REPRISE_SOCKET=\(daemon.control)", "LC_ALL=C.UTF-8", "TERM=xterm-256color",
            "PATH=/usr/bin:/bin",
        ]
        for round in 0..<(run.isQuick ? 10 : 40) {
            let (ownTime, peerTime) = (
                try Screen.time(ours, environment, until: "F1 keys"),
                try Screen.time(tmux.attachCommand, environment, until: "[bench]")
            )
            if round == 0 { continue }
            results.add(ownTime, to: first)
            results.add(peerTime, to: first, of: .peer("tmux"))
        }
    }

    /// Measures how often the daemon wakes up while clients are attached but idle.
    private func measureIdle(_ daemon: Daemon, of subject: Subject) async throws {
        let seconds = run.isQuick ? 10 : 60
        // Wait until the typed text is durable and the clients have been notified.
        try await Task.sleep(for: .seconds(8))
        let before = try daemon.process.voluntaryContextSwitches
        try await Task.sleep(for: .seconds(seconds))
        results.add(
            Double((try daemon.process.voluntaryContextSwitches - before) * 60 / seconds),
            to: Measure("wake-ups, \(Self.clients) idle attached clients", .perMinute), of: subject)
    }
}

/// A tmux server with one session, and a client in control mode.
private final class Multiplexer {
    private let socket: String
    private let process: ChildProcess
    private let input: CInt
    private let output: CInt

    init(in directory: String) throws {
        socket = directory + "/tmux"
        let path = directory + "/tmux-output"
        try check("mkfifo", mkfifo(path, 0o600))
        output = try check("open \(path)", open(path, O_RDWR | O_CLOEXEC))
        var pipe: [CInt] = [0, 0]
        try check("pipe", Glibc.pipe(&pipe))
        _ = fcntl(pipe[1], F_SETFD, FD_CLOEXEC)
        input = pipe[1]
        process = try ChildProcess(
            ["tmux", "-S", socket, "-f", "/dev/null", "-C", "new-session", "-s", "bench", "cat"],
            environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TERM=xterm-256color"],
            input: pipe[0], output: path)
        close(pipe[0])
        try pressKey { _ in }
    }

    var attachCommand: [String] { ["tmux", "-S", socket, "attach"] }

    /// Sends a key, and passes the time until the client shows the change, in milliseconds, to a
    /// closure.
    func pressKey(_ report: (Double) -> Void) throws {
        let start = ContinuousClock.now
        let command = Array("send-keys -t bench x\n".utf8)
        try check("write", write(input, command, command.count))
        var received = ""
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !received.contains("%output") {
            let count = try check("read", read(output, &buffer, buffer.count))
            received += String(decoding: buffer[..<count], as: UTF8.self)
        }
        report((ContinuousClock.now - start).milliseconds)
        // Read any further output, which would otherwise count as output for the next key.
        usleep(5_000)
        var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) > 0 { _ = read(output, &buffer, buffer.count) }
    }

    func end() {
        close(input)
        try? ChildProcess(["tmux", "-S", socket, "kill-server"]).wait()
        process.end()
        close(output)
    }
}

/// A pseudoterminal in which a program runs.
private enum Screen {
    /// Runs a program until its screen contains the given text, then terminates the program.
    ///
    /// - Returns: The time until the text was on the screen, in milliseconds.
    static func time(
        _ words: [String], _ environment: [String], until text: String
    ) throws -> Double {
        var (master, slave): (CInt, CInt) = (0, 0)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        try check("openpty", openpty(&master, &slave, nil, nil, &size))
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
        defer { close(master) }
        let start = ContinuousClock.now
        let process = try ChildProcess(
            words, environment: environment, input: slave, output: "/proc/self/fd/\(slave)")
        defer { process.end() }
        close(slave)
        var shown = ""
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !shown.contains(text) {
            let count = try check("read", read(master, &buffer, buffer.count))
            shown += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return (ContinuousClock.now - start).milliseconds
    }
}
