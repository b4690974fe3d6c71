package import Logging

/// Recorder for log records, which a test can inspect.
package final class LogRecorder: Sendable {
    /// A log record.
    package struct Entry: Sendable {
        /// Level of the record.
        package var level: Logger.Level
        /// Message of the record.
        package var message: String
        /// Metadata of the record.
        package var metadata: [String: String]
    }

    private let recorded = AwaitableState<[Entry]>([])
    private let prepare: @Sendable (Entry) -> Entry

    /// Creates an empty recorder.
    ///
    /// - Parameter prepare: A closure that checks a record, and returns the record to store.
    package init(_ prepare: @escaping @Sendable (Entry) -> Entry = { $0 }) {
        self.prepare = prepare
    }

    /// The records so far, in order.
    package var entries: [Entry] { recorded.state }

    /// Returns the number of messages so far that begin with a prefix.
    package func count(_ prefix: String) -> Int { entries.count { $0.message.hasPrefix(prefix) } }

    /// Returns the number of messages so far with this MESSAGE_ID.
    package func count(messageID: String) -> Int {
        entries.count { $0.metadata["MESSAGE_ID"] == messageID }
    }

    /// Waits until a number of messages with this MESSAGE_ID have been logged.
    package func wait(for count: Int, messageID: String) async {
        await recorded.wait { $0.count { $0.metadata["MESSAGE_ID"] == messageID } >= count }
    }

    /// Waits until the records satisfy a condition.
    package func wait(until condition: @escaping @Sendable ([Entry]) -> Bool) async {
        await recorded.wait(until: condition)
    }

    /// Returns the messages with at least the given level.
    package func messages(from level: Logger.Level) -> [String] {
        entries.filter { $0.level >= level }.map(\.message)
    }

    /// Returns a logger whose records are stored here, regardless of their level.
    package func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = .trace
        return logger
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
            let entry = Entry(level: event.level, message: "\(event.message)", metadata: metadata)
            recorder.recorded.change { $0.append(recorder.prepare(entry)) }
        }
    }
}

extension Logger {
    /// A logger that discards all records.
    package static var quiet: Logger {
        Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    }
}
