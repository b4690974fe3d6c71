import ExactText
import Glibc
import LinuxIO
import Logging
import Preservation
import RepriseControl
import ServiceLifecycle

/// Service that writes the metrics to a file in the format of node exporter's textfile collector.
///
/// The service writes the file at startup, and when a file is first configured. Afterwards, it rewrites the file
/// whenever a metric or an application's status changes, but at most every 15 seconds, and once more at shutdown.
struct MetricsFileWriter: Service {
    /// Minimum time between two writes.
    static let minimumInterval = Duration.seconds(15)
    /// Maximum time that the shutdown waits for the last text to be written to disk.
    static let finalWriteTimeout = Duration.seconds(1)

    let daemonState: DaemonState
    let applications: ApplicationList
    /// Closure that returns the metrics as text.
    let makeText: @Sendable (MetricsFormat) async -> String
    let registry: MetricsRegistry
    let clock: any Clock<Duration>
    let log: DaemonLog
    /// Closure that writes bytes to the file at a path.
    var writeFile: @Sendable (_ bytes: [UInt8], _ path: String) throws(IOError) -> Void =
        Self.replaceFile
    /// Queue for writing, so that a stalled disk does not block the service.
    private let queue = DiskQueue(label: "metrics")

    /// Writes the file after each change until graceful shutdown begins, and again after all services that started
    /// later have stopped.
    func run() async throws {
        for application in applications.applications {
            application.observeChanges { [registry] in registry.signalChange() }
        }
        let lastFailure = await cancelWhenGracefulShutdown {
            await withTaskGroup { tasks -> String? in
                tasks.addTask {
                    for await _ in daemonState.changeBroadcast.subscribe() { registry.wake() }
                }
                defer { tasks.cancelAll() }
                return await writeChanges()
            }
        }
        await writeFinalText(after: lastFailure)
    }

    /// Writes the file after each change.
    ///
    /// - Returns: The last logged failure, or `nil` if the last write succeeded.
    private func writeChanges() async -> String? {
        var lastFailure: String?
        for await _ in registry.changes {
            guard let path = daemonState.values.configuration.metrics.filePath else { continue }
            registry.armChangeSignal()
            guard let outcome = await write(to: path) else { return lastFailure }
            if let failure = outcome.failure, failure != lastFailure {
                log.log(.warning, .metricsFailed, failure)
            }
            lastFailure = outcome.failure
            do { try await clock.sleep(for: Self.minimumInterval) } catch { return lastFailure }
        }
        return lastFailure
    }

    private func writeFinalText(after lastFailure: String?) async {
        guard let path = daemonState.values.configuration.metrics.filePath else { return }
        let outcome = await withTaskGroup(of: Outcome?.self) { tasks in
            tasks.addTask { await write(to: path) }
            tasks.addTask {
                do { try await clock.sleep(for: Self.finalWriteTimeout) } catch {}
                return nil
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? nil
        }
        let failure =
            outcome.map(\.failure) ?? "the metrics could not be written in time to \(path)"
        if let failure, failure != lastFailure { log.log(.warning, .metricsFailed, failure) }
    }

    /// Outcome of a write.
    private struct Outcome: Sendable {
        /// Sentence that describes the failure, or `nil` if the file was written.
        let failure: String?
    }

    /// Writes the file, unless the task is cancelled first.
    ///
    /// - Returns: The outcome, or `nil` if the task was cancelled before the outcome was known. In that case, the write
    ///   continues in the background.
    private func write(to path: String) async -> Outcome? {
        let bytes = Array(await makeText(.prometheus).utf8)
        return await queue.runUnlessCancelled { [writeFile] _ in
            do throws(IOError) {
                try writeFile(bytes, path)
                return Outcome(failure: nil)
            } catch {
                return Outcome(failure: "the metrics could not be written: \(error)")
            }
        }
    }

    private static func replaceFile(with bytes: [UInt8], at path: String) throws(IOError) {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let directoryPath = slash == path.startIndex ? "/" : String(path[..<slash])
        let name = String(path[slash...].dropFirst())
        guard let directory = try Directory.open(directoryPath) else {
            throw IOError(.openDirectory, path: directoryPath, code: ENOENT)
        }
        let temporaryName = ".\(name).new"
        try directory.remove(temporaryName)
        let file = try directory.createFile(temporaryName)
        try file.write(bytes)
        try file.makeReadableByAll()
        try directory.rename(temporaryName, to: name)
    }
}
