import Foundation

/// A program that was started.
struct ChildProcess {
    let id: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: its name or path, and its arguments.
    ///   - environment: its whole environment; nil: that of this process.
    ///   - input: a descriptor that it gets as standard input; nil: none.
    ///   - output: the file that its standard output goes to.
    init(
        _ words: [String], environment: [String]? = nil, input: CInt? = nil,
        output: String = "/dev/null"
    ) throws {
        var arguments = words.map { strdup($0) } + [nil]
        var settings = (environment ?? []).map { strdup($0) } + [nil]
        defer { (arguments + settings).forEach { free($0) } }
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        if let input {
            posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(
            &files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var id: pid_t = 0
        let result = settings.withUnsafeMutableBufferPointer {
            posix_spawnp(
                &id, words[0], &files, nil, &arguments,
                environment == nil ? environ : $0.baseAddress)
        }
        guard result == 0 else {
            throw Failure("\(words[0]): \(String(cString: strerror(result)))")
        }
        self.id = id
    }

    /// Waits for its end.
    ///
    /// - Throws: ``Failure`` unless it ended by itself and well.
    func wait() throws {
        var status: CInt = 0
        try check("waitpid", waitpid(id, &status, 0))
        guard status == 0 else { throw Failure("process \(id) ended with status \(status)") }
    }

    /// Ends it in an orderly way, and waits for that.
    func end() {
        kill(id, SIGTERM)
        var status: CInt = 0
        waitpid(id, &status, 0)
    }

    /// How much memory of a process is resident; nil: of this one.
    static func residentBytes(_ id: pid_t? = nil) throws -> Int {
        let path = "/proc/\(id.map { "\($0)" } ?? "self")/statm"
        let words = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
        return words.dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
    }

    /// How often its threads have begun to wait so far.
    var waits: Int {
        get throws {
            let tasks = "/proc/\(id)/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) {
                let text = try String(contentsOfFile: "\(tasks)/\($1)/status", encoding: .utf8)
                let line = text.split(separator: "\n").first {
                    $0.hasPrefix("voluntary_ctxt_switches")
                }
                return $0 + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
            }
        }
    }
}

/// A socket of the kind that systemd gives to a service in $NOTIFY_SOCKET (sd_notify(3)).
final class NotifySocket {
    let path: String
    private let descriptor: CInt

    /// Makes it at a path where nothing is.
    init(path: String) throws {
        self.path = path
        descriptor = try check("socket", socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        try withSocketAddress(path) { try check("bind \(path)", bind(descriptor, $0, $1)) }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Waits for READY=1, at most a minute for each message.
    ///
    /// - Returns: all assignments until then.
    @discardableResult func waitForReady() throws -> [Substring: Substring] {
        var told: [Substring: Substring] = [:]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while told["READY"] != "1" {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 60_000) == 1 else { throw Failure("no READY=1 came in a minute") }
            let count = try check("recv", recv(descriptor, &buffer, buffer.count, 0))
            for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
                guard let sign = line.firstIndex(of: "=") else { continue }
                told[line[..<sign]] = line[line.index(after: sign)...]
            }
        }
        return told
    }

    /// Forgets messages that nobody waited for: their sender waits when there are many.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)) >= 0 {}
    }
}

/// Hands over the address of a socket.
func withSocketAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw Failure("\(path) is too long for a socket: run this in a folder with a shorter path")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try withUnsafePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
