package import Subprocess
import SystemPackage

/// A daemon that runs for a part of a test.
package struct Daemon: Sendable {
    /// Its process.
    package let process: Int32

    /// What it told when it became ready; empty if that was not waited for.
    package let ready: [String]

    /// What it tells its service manager.
    package let notifications: NotifySocket

    /// File that standard error of the daemon is written to.
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

    /// Sends it a signal.
    package func send(_ signal: Signal) throws { try sendSignal(signal) }
}

/// How a daemon ended, and what it told until then.
package struct DaemonEnd<Value: Sendable>: Sendable {
    /// What the body gave.
    package let value: Value

    /// How it ended.
    package let status: TerminationStatus

    /// Its standard error, which is its log.
    package let log: String

    /// All that it told its service manager, message by message.
    package let messages: [[String]]
}

extension Host {
    /// Starts the daemon, waits until it is ready, and ends it after the body with a signal.
    ///
    /// - Parameters:
    ///   - prefix: A program that becomes the daemon, and its arguments.
    ///   - arguments: Its arguments; nil: those of ``daemonArguments``.
    ///   - environment: What its environment holds beside the common one.
    ///   - isAwaited: Whether to wait until it is ready before the body.
    ///   - signal: What ends it; nil: it ends by itself.
    ///   - body: What to do while it runs.
    /// - Throws: What waiting or the body throws; the daemon has been killed then.
    @discardableResult
    package func run<Value: Sendable>(
        by prefix: [String] = [], _ arguments: [String]? = nil,
        environment: [Environment.Key: String] = [:], isAwaited: Bool = true,
        endingBy signal: Signal? = .terminate, _ body: (Daemon) async throws -> Value
    ) async throws -> DaemonEnd<Value> {
        let notifications = try NotifySocket(path: folder.appending("notify"))
        let logPath = folder.appending("log")
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
            workingDirectory: folder, input: .none, output: .sequence,
            error: .fileDescriptor(log, closeAfterSpawningProcess: true)
        ) { execution in
            async let isOver: Void = Self.awaitEnd(of: execution.standardOutput, notifications)
            var outcome: Result<Value, any Error>
            do {
                let ready = isAwaited ? try await notifications.wait(for: "READY=1") : []
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
                    // It has ended already.
                }
            }
            try await isOver
            return outcome
        }
        await notifications.end()
        switch ended.closureResult {
        case .success(let value):
            return DaemonEnd(
                value: value, status: ended.terminationStatus, log: try logPath.text(),
                messages: notifications.messages)
        case .failure(let error):
            throw DaemonFailure(cause: error, log: try logPath.text())
        }
    }

    /// Standard output, on which the daemon says nothing, ends with it.
    private static func awaitEnd(
        of output: SubprocessOutputSequence, _ notifications: NotifySocket
    ) async throws {
        defer { notifications.giveUp() }
        for try await _ in output {}
    }
}

/// What went wrong while a daemon ran.
package struct DaemonFailure: Error, CustomStringConvertible {
    /// What was thrown.
    package let cause: any Error

    /// The daemon's log.
    package let log: String

    /// Both.
    package var description: String { "\(cause)\nThe daemon's log:\n\(log)" }
}
