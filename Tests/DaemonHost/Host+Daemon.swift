package import Subprocess
import SystemPackage

/// Daemon that runs during a part of a test.
package struct Daemon: Sendable {
    /// Process ID.
    package let process: Int32

    /// Notification that the daemon sent when it became ready. Empty if the test did not wait for it.
    package let ready: [String]

    /// Socket that receives the daemon's notifications.
    package let notifications: NotifySocket

    /// File that contains the daemon's standard error.
    private let logPath: FilePath

    private let sendSignal: @Sendable (Signal) throws -> Void

    init(
        process: Int32, ready: [String], notifications: NotifySocket, logPath: FilePath,
        sendSignal: @escaping @Sendable (Signal) throws -> Void
    ) {
        self.process = process
        self.ready = ready
        self.notifications = notifications
        self.logPath = logPath
        self.sendSignal = sendSignal
    }

    /// Returns the log so far.
    package func log() throws -> String { try logPath.text() }

    /// Sends a signal to the daemon.
    package func send(_ signal: Signal) throws { try sendSignal(signal) }
}

/// Result of running a daemon.
package struct DaemonResult<Value: Sendable>: Sendable {
    /// Result of the body.
    package let value: Value

    /// Termination status of the process.
    package let status: TerminationStatus

    /// Standard error of the daemon, which is its log.
    package let log: String

    /// All messages that the daemon sent to its service manager, each with its assignments.
    package let messages: [[String]]
}

extension Host {
    /// Starts the daemon, waits until it is ready, runs a body, and stops the daemon with a signal.
    ///
    /// - Parameters:
    ///   - prefix: Program that executes the daemon, with the program's arguments.
    ///   - arguments: Arguments of the daemon, or `nil` for ``daemonArguments``.
    ///   - environment: Variables in addition to the common environment.
    ///   - waitsUntilReady: Whether to wait until the daemon is ready before the body runs.
    ///   - signal: Signal that stops the daemon, or `nil` if the daemon exits by itself.
    ///   - body: Closure that runs while the daemon runs.
    /// - Throws: Any error of the wait or the body, after the daemon has been killed.
    @discardableResult
    package func run<Value: Sendable>(
        by prefix: [String] = [], _ arguments: [String]? = nil,
        environment: [Environment.Key: String] = [:], waitsUntilReady: Bool = true,
        endingBy signal: Signal? = .terminate, _ body: (Daemon) async throws -> Value
    ) async throws -> DaemonResult<Value> {
        let notifications = try NotifySocket(path: directory.appending("notify"))
        let logPath = directory.appending("log")
        let log = try FileDescriptor.open(
            logPath, .writeOnly, options: [.create, .truncate, .append],
            permissions: .ownerReadWrite)
        let command =
            prefix + [try Programs.reprised().string] + (arguments ?? daemonArguments)
        let inherited = ProgramResult.environment.merging(
            ["NOTIFY_SOCKET": notifications.path.string]) { $1 }
        let ended = try await Subprocess.run(
            command[0].contains("/") ? .path(FilePath(command[0])) : .name(command[0]),
            arguments: Arguments(Array(command.dropFirst())),
            environment: .custom(
                inherited.merging(self.environment) { $1 }.merging(environment) { $1 }),
            workingDirectory: directory, input: .none, output: .sequence,
            error: .fileDescriptor(log, closeAfterSpawningProcess: true)
        ) { execution in
            async let outputEnd: Void = Self.awaitEnd(of: execution.standardOutput, notifications)
            var outcome: Result<Value, any Error>
            do {
                let ready = waitsUntilReady ? try await notifications.wait(for: "READY=1") : []
                let daemon = Daemon(
                    process: execution.processIdentifier.value, ready: ready,
                    notifications: notifications, logPath: logPath,
                    sendSignal: { try execution.send(signal: $0) })
                outcome = .success(try await body(daemon))
                if let signal { try execution.send(signal: signal) }
            } catch {
                outcome = .failure(error)
                do {
                    try execution.send(signal: .kill)
                } catch is SubprocessError {
                    // The daemon has already exited.
                }
            }
            try await outputEnd
            return outcome
        }
        await notifications.end()
        switch ended.closureResult {
        case .success(let value):
            return DaemonResult(
                value: value, status: ended.terminationStatus, log: try logPath.text(),
                messages: notifications.messages)
        case .failure(let error):
            throw DaemonFailure(cause: error, log: try logPath.text())
        }
    }

    /// Waits until the daemon exits, which closes its standard output.
    private static func awaitEnd(
        of output: SubprocessOutputSequence, _ notifications: NotifySocket
    ) async throws {
        defer { notifications.endInput() }
        for try await _ in output {}
    }
}

/// Error that occurred while a daemon ran.
package struct DaemonFailure: Error, CustomStringConvertible {
    /// Thrown error.
    package let cause: any Error

    /// Log of the daemon.
    package let log: String

    /// Error and log.
    package var description: String { "\(cause)\nThe daemon's log:\n\(log)" }
}
