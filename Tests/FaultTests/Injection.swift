import DaemonHost
import Glibc
import SystemPackage

/// A fault of the kernel's that strace(1) makes in calls on an application's files.
struct Injection: Sendable, CustomStringConvertible {
    /// What happens instead of the call, or with it.
    enum Effect: Sendable, Equatable {
        /// The daemon is killed.
        case kill
        /// The call fails, once.
        case error(Errno)
        /// The call fails, and all like it after it.
        case errors(Errno)
    }

    /// The system call.
    var call: String
    /// Which of these calls of a thread it is, from 1 on.
    var number: Int
    /// What happens.
    var effect: Effect

    /// The error that the daemon gets; nil if it is killed.
    var errno: Errno? {
        switch effect {
        case .kill: nil
        case .error(let errno), .errors(let errno): errno
        }
    }

    /// Whether it goes on until it is taken away.
    var lasts: Bool {
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

    /// The calls that a file can be read, written, made durable, replaced and removed with.
    static let calls = [
        "openat", "read", "pread64", "readv", "write", "pwrite64", "writev", "fsync", "fdatasync",
        "sync_file_range", "ftruncate", "fallocate", "renameat", "renameat2", "linkat", "unlinkat",
        "mkdirat", "copy_file_range", "sendfile",
    ]

    /// What becomes the daemon, with this fault in it.
    func prefix(_ host: Host) -> [String] {
        Self.prefix(host, inject: ["-e", "inject=\(call):\(rule)"])
    }

    /// What becomes the daemon, and writes its calls into the file ``trace(of:)``.
    ///
    /// The tracer is a grandchild, so that the process that was started is the daemon, and ends when
    /// it is asked to.
    static func prefix(_ host: Host, inject: [String] = []) -> [String] {
        let folder = host.savedState
        let names = ["", ".new", ".compacted", ".salvaged"].map { "data.archive\($0)" }
        let kept = ["", "/000001-data.archive", "/000001-data.archive.reason"]
        let paths =
            [folder.removingLastComponent(), folder]
            + (names + kept.map { "quarantine\($0)" }).map { folder.appending($0) }
        return ["strace", "-D", "-I", "1", "-f", "-o", trace(of: host).string]
            + paths.flatMap { ["-P", $0.string] }
            + ["-e", "trace=\(calls.joined(separator: ","))"] + inject
    }

    /// What strace(1) saw.
    static func trace(of host: Host) -> FilePath { host.folder.appending("trace") }

    /// Whether it happened.
    ///
    /// - Parameter process: The daemon that was to be killed, which has ended; its end is waited for
    ///   in the trace.
    func struck(_ host: Host, killing process: pid_t? = nil) throws -> Bool {
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
    /// Takes the tracer away, and with it the fault; returns when it is gone.
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
