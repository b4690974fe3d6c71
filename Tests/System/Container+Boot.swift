import Glibc
import Subprocess
import SystemPackage

extension Container {
    /// Boots a new container, calls a closure, and powers off the container in any case.
    ///
    /// If the closure throws an error, the journal of the container and the path of its root directory are written to
    /// standard error, and the root directory remains until the next run. Therefore, use `#require` in the closure. If
    /// `$REPRISE_KEEP` is set, the root directory remains in any case. If a signal terminates the tests, nothing
    /// remains.
    ///
    /// - Parameters:
    ///   - debian: The release.
    ///   - installation: The files to install before the boot.
    ///   - body: A closure that uses the booted container.
    /// - Throws: ``ContainerFailure`` if the container does not boot, or an error from the closure.
    static func withBooted<Value: Sendable>(
        _ debian: Debian, installing installation: Installation = Installation(),
        _ body: (Container) async throws -> Value
    ) async throws -> Value {
        let root = try await preparedRoot(of: debian, installation)
        let socket = try BootSocket()
        var platform = PlatformOptions()
        // The process is detached from the terminal, and has time to power off when the test is cancelled.
        platform.createSession = true
        platform.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(40))]
        let ended = try await Subprocess.run(
            .path(Repository.containerScript), arguments: ["boot", root.string],
            environment: .inherit.updating(["NOTIFY_SOCKET": socket.address]),
            platformOptions: platform, input: .inputWriter, output: .sequence,
            error: .string(limit: CommandResult.outputLimit)
        ) { process in
            async let console = consoleText(process.standardOutput, endingWaitOf: socket)
            let result = await outcome(of: debian, at: root, socket, body)
            if case .failure = result {
                _ = try await process.standardInputWriter.write("keep\n")
            } else if getenv("REPRISE_KEEP") != nil {
                _ = try await process.standardInputWriter.write("keep\n")
            }
            try await process.standardInputWriter.finish()
            return (result, try await console)
        }
        let (result, console) = ended.closureResult
        do {
            return try result.get()
        } catch let error as Errno {
            throw ContainerFailure(
                root: root, cause: error, console: console + ended.standardError)
        }
    }

    /// Creates a new copy of the release's root directory with the installation.
    private static func preparedRoot(
        of debian: Debian, _ installation: Installation
    ) async throws -> FilePath {
        let script = Repository.containerScript.string
        let suite = debian.rawValue + (installation.hasLogins ? "+login" : "")
        let copy = try await CommandResult.of(script, "copy", suite, "\(getpid())")
        let root = FilePath(String(copy.output.prefix { $0 != "\n" }))
        for file in installation.files {
            try await CommandResult.of(
                "install", "-D", "-m", file.mode, file.source.string,
                "\(root)\(file.destination)")
        }
        try await CommandResult.of("chroot", root.string, "systemd-sysusers")
        try await CommandResult.of("chroot", root.string, "journalctl", "--update-catalog")
        for unit in installation.enabledUnits {
            try await CommandResult.of("chroot", root.string, "systemctl", "enable", unit)
        }
        return root
    }

    /// Waits until the container has booted, and returns the result of the closure.
    private static func outcome<Value: Sendable>(
        of debian: Debian, at root: FilePath, _ socket: BootSocket,
        _ body: (Container) async throws -> Value
    ) async -> Result<Value, any Error> {
        do {
            let assignments = try await socket.waitUntilReady()
            guard let leader = assignments["X_NSPAWN_LEADER_PID"] else { throw Errno.noSuchProcess }
            let container = Container(debian: debian, root: root, leader: leader)
            do {
                return .success(try await body(container))
            } catch {
                try await container.reportFailure()
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    private func reportFailure() async throws {
        let journal = try await journal("-o", "short-monotonic")
        try FileDescriptor.standardError.writeAll(
            "\(journal)The container's root is kept until the next run: \(root)\n".utf8)
    }

    private static func consoleText(
        _ output: SubprocessOutputSequence, endingWaitOf socket: BootSocket
    ) async throws -> String {
        defer { socket.endInput() }
        var text = ""
        for try await line in output.strings() where text.utf8.count < CommandResult.outputLimit {
            text += line + "\n"
        }
        return text
    }
}
