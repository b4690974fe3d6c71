import Foundation

/// A running program.
struct ChildProcess {
    let id: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The name or path of the program, followed by its arguments.
    ///   - environment: The complete environment, or `nil` for the environment of this process.
    ///   - input: Descriptor for standard input, or `nil` for `/dev/null`.
    ///   - output: Path of the file for standard output.
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

    /// Waits until the program exits.
    ///
    /// - Throws: ``Failure`` unless the exit status is 0.
    func wait() throws {
        var status: CInt = 0
        try check("waitpid", waitpid(id, &status, 0))
        guard status == 0 else { throw Failure("process \(id) exited with status \(status)") }
    }

    /// Sends SIGTERM to the program, and waits until it exits.
    func end() {
        kill(id, SIGTERM)
        var status: CInt = 0
        waitpid(id, &status, 0)
    }

    /// Returns the resident memory of a process in bytes.
    ///
    /// The default is this process.
    static func residentBytes(_ id: pid_t? = nil) throws -> Int {
        let path = "/proc/\(id.map { "\($0)" } ?? "self")/statm"
        let words = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
        return words.dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
    }

    /// Number of voluntary context switches of the program's threads so far.
    var voluntaryContextSwitches: Int {
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

/// A notification socket like the one that systemd passes to a service in `$NOTIFY_SOCKET`
/// (sd_notify(3)).
final class NotifySocket {
    let path: String
    private let descriptor: CInt

    /// Creates the socket at a path, which must not exist yet.
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

    /// Waits for `READY=1`, for at most one minute per message.
    ///
    /// - Returns: All assignments received until then.
    @discardableResult func waitForReady() throws -> [Substring: Substring] {
        var assignments: [Substring: Substring] = [:]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while assignments["READY"] != "1" {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 60_000) == 1 else { throw Failure("no READY=1 within a minute") }
            let count = try check("recv", recv(descriptor, &buffer, buffer.count, 0))
            for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
                guard let sign = line.firstIndex(of: "=") else { continue }
                assignments[line[..<sign]] = line[line.index(after: sign)...]
            }
        }
        return assignments
    }

    /// Discards unread messages.
    ///
    /// Otherwise, the sender would block once the queue is full.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)) >= 0 {}
    }
}

/// Calls a closure with the address of a socket.
func withSocketAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw Failure("\(path) is too long for a socket: use a directory with a shorter path")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try withUnsafePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
