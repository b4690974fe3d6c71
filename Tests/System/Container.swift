import Subprocess
import SystemPackage

/// A booted Debian system with its own systemd.
struct Container: Sendable {
    /// The Debian release of the container.
    let debian: Debian

    /// Root directory of the container on this machine, without the file systems that are mounted in the container
    /// (`/run`).
    let root: FilePath

    /// Process ID of the container's first process on this machine.
    let leader: String

    /// Returns the path on this machine of a file in the container, including files in `/run`.
    ///
    /// Clients on this machine use it to connect to sockets in the container.
    func path(_ path: String) -> FilePath {
        FilePath("/proc/\(leader)/root").pushing(FilePath(String(path.trimmingPrefix("/"))))
    }

    /// Runs a command in the container as root.
    ///
    /// - Throws: ``CommandFailure`` with the output of the command, unless its exit status is 0.
    @discardableResult
    func run(_ command: String...) async throws -> CommandResult {
        try await attempt(command).get()
    }

    /// Runs a command in the container as root, regardless of its exit status.
    func attempt(_ command: String...) async throws -> CommandResult {
        try await attempt(command)
    }

    /// Runs a command in the container as root, regardless of its exit status.
    ///
    /// The command is terminated after two minutes. Its status is then 124.
    func attempt(_ command: [String]) async throws -> CommandResult {
        let environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin", "LANG=C.UTF-8", "HOME=/root"]
        let entering = ["timeout", "--kill-after=5", "120", "nsenter", "-t", leader, "-a", "--"]
        let result = try await CommandResult.of(entering + environment + command)
        return CommandResult(
            command: command, status: result.status, output: result.output, errors: result.errors)
    }

    /// Returns the journal since the boot, in the format that the option `-o` selects.
    func journal(_ options: String...) async throws -> String {
        try await attempt(["journalctl", "--no-pager", "--boot"] + options).get().output
    }
}
