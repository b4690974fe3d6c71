import Foundation

/// A daemon with its own state directory.
final class Daemon {
    let process: ChildProcess
    /// Path of the control socket.
    let control: String
    /// Directory of the saved state of ChildViews.
    let savedState: String
    private let socket: NotifySocket

    /// Starts the installed daemon, and returns when it is ready.
    ///
    /// - Parameters:
    ///   - directory: Directory for the state, the socket and the configuration, which is created if
    ///     necessary.
    ///   - dropIn: Configuration that overrides the installed configuration.
    init(_ run: Run, in directory: String, dropIn: String = "") throws {
        let files = FileManager.default
        if !files.fileExists(atPath: directory) {
            try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try files.copyItem(atPath: run.repository + "/config", toPath: directory + "/config")
            try files.createDirectory(
                atPath: directory + "/config/reprised.d", withIntermediateDirectories: true)
            try Data(dropIn.utf8).write(
                to: URL(filePath: directory + "/config/reprised.d/bench.yaml"))
        }
        control = directory + "/control"
        savedState =
            directory + "/state/Saved Application State/org.reprise.ChildViews.savedState"
        socket = try NotifySocket(path: directory + "/notify")
        process = try ChildProcess(
            [run.program("reprised")],
            environment: [
                "NOTIFY_SOCKET=\(socket.path)", "CONFIGURATION_DIRECTORY=\(directory)/config",
                "STATE_DIRECTORY=\(directory)/state", "RUNTIME_DIRECTORY=\(directory)",
            ])
        try socket.waitForReady()
    }

    /// Discards the daemon's notifications.
    func drainNotifications() { socket.drain() }

    func end() { process.end() }
}

/// A `redis-server` with an append-only file.
struct RedisServer {
    let process: ChildProcess
    let socket: String

    /// Starts the server, and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - directory: Directory for the file and the socket, which is created.
    ///   - sync: The policy for syncing the file, `everysec` or `always`.
    init(in directory: String, sync: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        socket = directory + "/redis"
        process = try ChildProcess([
            "redis-server", "--port", "0", "--unixsocket", socket, "--dir", directory,
            "--appendonly", "yes", "--appendfsync", sync, "--auto-aof-rewrite-percentage", "0",
            "--save", "", "--logfile", directory + "/redis.log",
        ])
        try Connection.waitForServer(at: socket)
    }

    func end() { process.end() }

    /// Returns the number of seconds that the server takes to load an append-only file of the given
    /// size, according to its log.
    ///
    /// The file sets five fields for each key.
    static func secondsToLoad(_ bytes: Int, in parent: String) throws -> Double {
        let directory = parent + "/redis-load"
        try? FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        var file: [UInt8] = []
        for number in 0... {
            if file.count >= bytes { break }
            let values = ItemValues(number: number)
            let words = [
                "HSET", "item:\(number)", "count", "\(values.count)", "position",
                "\(values.position)", "title", values.title, "isOpen", "\(values.isOpen)", "id",
                values.id.uuidString,
            ]
            file += "*\(words.count)\r\n".utf8
            for word in words { file += "$\(word.utf8.count)\r\n\(word)\r\n".utf8 }
        }
        try Data(file).write(to: URL(filePath: directory + "/appendonly.aof"))
        let server = try RedisServer(in: directory, sync: "everysec")
        defer { server.end() }
        for _ in 0..<1000 {
            let log = try String(contentsOfFile: directory + "/redis.log", encoding: .utf8)
            let found = log.split(separator: "\n").first { $0.contains("DB loaded from") }
            if let seconds = found?.split(separator: " ").dropLast().last.flatMap({ Double($0) }) {
                return seconds
            }
            usleep(10_000)
        }
        throw Failure("redis-server did not log that it loaded \(directory)/appendonly.aof")
    }
}

/// A booted Debian 13 container whose sockets this process can access.
final class DebianContainer {
    private let process: ChildProcess
    private let input: CInt
    private let leader: Substring
    private var client: CInt = -1

    /// Boots a new copy of the container.
    ///
    /// The container is powered off when this process exits, for whatever reason.
    init(_ run: Run) throws {
        let script = run.repository + "/script/container"
        let output = run.directory + "/container"
        try ChildProcess([script, "copy", "trixie", "\(getpid())"], output: output).wait()
        let root = try String(contentsOfFile: output, encoding: .utf8)
        let socket = try NotifySocket(path: run.directory + "/notify")
        var pipe: [CInt] = [0, 0]
        try check("pipe", Glibc.pipe(&pipe))
        input = pipe[1]
        _ = fcntl(input, F_SETFD, FD_CLOEXEC)
        var environment = ProcessInfo.processInfo.environment
        environment["NOTIFY_SOCKET"] = socket.path
        process = try ChildProcess(
            [script, "boot", root.trimmingCharacters(in: .whitespacesAndNewlines)],
            environment: environment.map { "\($0)=\($1)" }, input: pipe[0])
        close(pipe[0])
        guard let leader = try socket.waitForReady()["X_NSPAWN_LEADER_PID"] else {
            throw Failure("script/container boot did not send X_NSPAWN_LEADER_PID")
        }
        self.leader = leader
    }

    /// Prefix that runs a command in the container's PID namespace.
    var enterCommand: [String] { ["nsenter", "--target", "\(leader)", "--pid", "--"] }

    /// Path of systemd-hostnamed's socket, which accepts connections only from its own PID namespace.
    var hostnamed: String { "/proc/\(leader)/root/run/systemd/io.systemd.Hostname" }

    /// Opens connections to systemd-hostnamed.
    func connections(_ run: Run, count: Int) throws -> [Connection] {
        var pair: [CInt] = [0, 0]
        try check("socketpair", socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair))
        defer { close(pair[0]) }
        for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        client = pair[1]
        _ = try ChildProcess(
            enterCommand + [run.barePeer, hostnamed, "\(count)"], input: pair[0])
        // A control message (cmsg(3)) consists of its length, level and type, followed by the
        // descriptors.
        var control = [CInt](repeating: 0, count: 4 + count)
        var byte: UInt8 = 0
        let received = try withUnsafeMutablePointer(to: &byte) { byte in
            var part = iovec(iov_base: byte, iov_len: 1)
            return try control.withUnsafeMutableBytes { control in
                try withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    return try check(
                        "recvmsg", recvmsg(pair[1], &message, CInt(MSG_CMSG_CLOEXEC)))
                }
            }
        }
        guard received == 1 else { throw Failure("cannot connect to systemd-hostnamed") }
        return control[4...].map { Connection($0) }
    }

    func end() throws {
        if client >= 0 { close(client) }
        close(input)
        try process.wait()
    }
}
