import Subprocess
import SystemPackage

/// A booted Debian with a systemd of its own.
struct Container: Sendable {
    /// The release it is made of.
    let debian: Debian

    /// Its root folder on this machine; what is mounted inside (`/run`) is not in it.
    let root: FilePath

    /// Its first process, as this machine counts.
    let leader: String

    /// The name of a file in the container, for this machine, also below `/run`.
    ///
    /// Clients on this machine reach the container's sockets by it.
    func path(_ path: String) -> FilePath {
        FilePath("/proc/\(leader)/root").pushing(FilePath(String(path.trimmingPrefix("/"))))
    }

    /// Runs a command in the container as root, and waits for its end.
    ///
    /// - Throws: ``CommandFailure``, with all the command wrote, unless it exits with 0.
    @discardableResult
    func run(_ command: String...) async throws -> CommandResult {
        try await attempt(command).get()
    }

    /// Runs a command in the container as root, however it ends.
    func attempt(_ command: String...) async throws -> CommandResult {
        try await attempt(command)
    }

    /// Runs a command in the container as root, however it ends.
    ///
    /// It is ended after two minutes, which gives the status 124.
    func attempt(_ command: [String]) async throws -> CommandResult {
        let environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin", "LANG=C.UTF-8", "HOME=/root"]
        let entering = ["timeout", "--kill-after=5", "120", "nsenter", "-t", leader, "-a", "--"]
        let result = try await CommandResult.of(entering + environment + command)
        return CommandResult(
            command: command, status: result.status, output: result.output, errors: result.errors)
    }

    /// What the journal holds since the boot, with the fields of each record if `-o` says so.
    func journal(_ options: String...) async throws -> String {
        try await attempt(["journalctl", "--no-pager", "--boot"] + options).get().output
    }
}
