import Logging
import Synchronization
import Testing

/// Keeps what is logged, for a test to look at.
final class LogRecorder: Sendable {
    struct Entry: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]
    }

    private struct Watcher {
        var prefix: String
        var count: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var entries: [Entry] = []
        var watchers: [Watcher] = []

        func count(_ prefix: String) -> Int {
            entries.count { $0.message.hasPrefix(prefix) }
        }
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { $0.entries } }

    /// How many messages began like this so far.
    func count(_ prefix: String) -> Int { state.withLock { $0.count(prefix) } }

    /// Returns when so many messages have begun like this.
    func wait(for count: Int, _ prefix: String) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.count(prefix) >= count {
                    continuation.resume()
                } else {
                    state.watchers.append(
                        Watcher(prefix: prefix, count: count, continuation: continuation))
                }
            }
        }
    }

    /// What was logged from a level on.
    func messages(from level: Logger.Level) -> [String] {
        entries.filter { $0.level >= level }.map(\.message)
    }

    func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = .trace
        return logger
    }

    /// Keeps an entry without what every message begins with, the application and the scene.
    private func keep(_ logged: Entry) {
        var entry = logged
        let subject = [entry.metadata["REPRISE_APPLICATION"], entry.metadata["REPRISE_SCENE"]]
            .compactMap(\.self).joined(separator: " ")
        if entry.message.hasPrefix(subject + ": ") {
            entry.message.removeFirst(subject.count + 2)
        } else {
            Issue.record("\(entry.message) does not begin with \(subject)")
        }
        state.withLock { state in
            state.entries.append(entry)
            let waiting = state.watchers
            state.watchers = waiting.filter { state.count($0.prefix) < $0.count }
            for watcher in waiting where state.count(watcher.prefix) >= watcher.count {
                watcher.continuation.resume()
            }
        }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).mapValues { "\($0)" }
            recorder.keep(
                Entry(level: event.level, message: "\(event.message)", metadata: metadata))
        }
    }
}
