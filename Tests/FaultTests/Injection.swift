import DaemonHost
import Glibc
import SystemPackage

/// A fault that strace(1) injects into system calls on an application's files.
struct Injection: Sendable, CustomStringConvertible {
    /// Effect that replaces or accompanies the call.
    enum Effect: Sendable, Equatable {
        /// The daemon is killed.
        case kill
        /// The call fails once.
        case error(Errno)
        /// The call fails, and so does every later call of its kind.
        case errors(Errno)
    }

    /// The system call.
    var call: String
    /// Index of the call among the calls of its kind in a thread, beginning with 1.
    var number: Int
    /// Effect of the fault.
    var effect: Effect

    /// Error that the daemon receives, or `nil` if the daemon is killed.
    var errno: Errno? {
        switch effect {
        case .kill: nil
        case .error(let errno), .errors(let errno): errno
        }
    }

    /// Whether the fault persists until the tracer is detached.
    var isPersistent: Bool {
        if case .errors = effect { true } else { false }
    }

    var description: String { "\(call):\(rule)" }

    private var rule: String {
        switch effect {
        case .kill: "signal=KILL:when=\(number)"
        case .error(let errno): "error=\(Self.name(errno)):when=\(number)"
        case .errors(let errno): "error=\(Self.name(errno)):when=\(number)+"
        }
    }

    private static func name(_ errno: Errno) -> String {
        switch errno {
        case .ioError: "EIO"
        case .noSpace: "ENOSPC"
        case .readOnlyFileSystem: "EROFS"
        default: "\(errno.rawValue)"
        }
    }

    /// System calls that read, write, sync, replace and remove files.
    static let calls = [
        "openat", "read", "pread64", "readv", "write", "pwrite64", "writev", "fsync", "fdatasync",
        "sync_file_range", "ftruncate", "fallocate", "renameat", "renameat2", "linkat", "unlinkat",
        "mkdirat", "copy_file_range", "sendfile",
    ]

    /// Returns the command that runs the daemon with this fault.
    func prefix(_ host: Host) -> [String] {
        Self.prefix(host, inject: ["-e", "inject=\(call):\(rule)"])
    }

    /// Returns the command that runs the daemon and writes its system calls to the file ``trace(of:)``.
    ///
    /// The tracer is a grandchild. The started process is therefore the daemon itself, and signals reach it.
    static func prefix(_ host: Host, inject: [String] = []) -> [String] {
        let directory = host.savedState
        let names = ["", ".new", ".compacted", ".salvaged"].map { "data.archive\($0)" }
        let quarantineSuffixes = ["", "/000001-data.archive", "/000001-data.archive.reason"]
        let paths =
            [directory.removingLastComponent(), directory]
            + (names + quarantineSuffixes.map { "quarantine\($0)" }).map { directory.appending($0) }
        return ["strace", "-D", "-I", "1", "-f", "-o", trace(of: host).string]
            + paths.flatMap { ["-P", $0.string] }
            + ["-e", "trace=\(calls.joined(separator: ","))"] + inject
    }

    /// Returns the path of the output of strace(1).
    static func trace(of host: Host) -> FilePath { host.directory.appending("trace") }

    /// Returns whether the fault occurred.
    ///
    /// - Parameter process: The daemon that should have been killed, which has exited. The function waits until the
    ///   trace contains its exit.
    func occurred(_ host: Host, killing process: pid_t? = nil) throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let trace = try Self.trace(of: host).text()
            guard let process else { return trace.contains("(INJECTED)") }
            let end = trace.split(separator: "\n").last {
                $0.hasPrefix("\(process) ") && $0.contains("+++")
            }
            if let end { return end.contains("killed by SIGKILL") }
            try Violation.unless(.now < deadline, "strace does not tell of the end: \(trace)")
            sched_yield()
        }
    }
}

extension Daemon {
    /// Detaches the tracer, which ends the fault, and waits until the tracer has exited.
    func detachTracer() throws {
        let status = FilePath("/proc/\(process)/status")
        func tracer() throws -> pid_t {
            let line = try status.text().split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
            return line?.split(whereSeparator: \.isWhitespace).last.flatMap { pid_t($0) } ?? 0
        }
        let process = try tracer()
        try Violation.unless(process != 0, "the daemon has no tracer")
        try Violation.unless(kill(process, SIGTERM) == 0, "strace cannot be ended")
        let deadline = ContinuousClock.now + .seconds(10)
        while try tracer() != 0 {
            try Violation.unless(.now < deadline, "strace does not end")
            sched_yield()
        }
    }
}
