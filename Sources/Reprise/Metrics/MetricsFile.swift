import Glibc
import LinuxIO
import Logging
import ServiceLifecycle

/// Writes the metrics to a file, where a collector of others finds them, such as the one of node exporter
/// for text files: at the start, and from then on after something happened, at most every 15 seconds.
struct MetricsFile: Service {
    static let pause = Duration.seconds(15)

    /// The path; asked for each time, as the configuration may change.
    let path: @Sendable () -> String?
    /// The text.
    let text: @Sendable () async -> String
    let registry: MetricsRegistry
    let clock: any Clock<Duration>
    let log: DaemonLog

    func run() async throws {
        await withGracefulShutdownHandler {
            var failure: String?
            for await _ in registry.changes {
                registry.awaitChange()
                guard let path = path() else { continue }
                do throws(IOError) {
                    try write(Array(await text().utf8), to: path)
                    failure = nil
                } catch {
                    let sentence = "the metrics could not be written: \(error)"
                    if failure != sentence { log.tell(.warning, .metricsFailed, sentence) }
                    failure = sentence
                }
                do { try await clock.sleep(for: Self.pause) } catch { return }
            }
        } onGracefulShutdown: {
            registry.endChanges()
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(IOError) {
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
