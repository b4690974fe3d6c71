import Glibc
import LinuxIO
import Logging
import Preservation
import ServiceLifecycle

/// Writes the metrics to a file, where a collector of others finds them, such as the one of node exporter
/// for text files: at the start, when the configuration names it, and from then on after something was
/// counted, at most every 15 seconds.
struct MetricsFile: Service {
    static let pause = Duration.seconds(15)

    let condition: DaemonCondition
    /// The text.
    let text: @Sendable () async -> String
    let registry: MetricsRegistry
    let clock: any Clock<Duration>
    let log: DaemonLog
    /// A disk that hangs is to hold up nothing else.
    private let queue = DiskQueue(label: "metrics")

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { tasks in
                tasks.addTask {
                    for await _ in condition.updates.subscribe() { registry.wake() }
                }
                tasks.addTask { await write() }
            }
        }
    }

    private func write() async {
        var last: String?
        for await _ in registry.changes {
            guard let path = condition.values.configuration.metrics.file else { continue }
            registry.awaitChange()
            let bytes = Array(await text().utf8)
            let failure = await queue.run { () -> String? in
                do throws(IOError) {
                    try Self.write(bytes, to: path)
                    return nil
                } catch {
                    return "the metrics could not be written: \(error)"
                }
            }
            if let failure, failure != last { log.tell(.warning, .metricsFailed, failure) }
            last = failure
            do { try await clock.sleep(for: Self.pause) } catch { return }
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(IOError) {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        let name = String(path[slash...].dropFirst())
        guard let directory = try Directory.open(folder) else {
            throw IOError(.openFolder, path: folder, code: ENOENT)
        }
        let temporary = ".\(name).new"
        try directory.remove(temporary)
        let file = try directory.createFile(temporary)
        try file.write(bytes)
        try file.makeReadableByAll()
        try directory.rename(temporary, to: name)
    }
}
