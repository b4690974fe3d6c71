package import Logging

/// Keeps what is logged, for a test to look at.
package final class LogRecorder: Sendable {
    /// A record as it was logged.
    package struct Entry: Sendable {
        /// How grave it is.
        package var level: Logger.Level
        /// The sentence.
        package var message: String
        /// The fields beside it.
        package var metadata: [String: String]
    }

    private let recorded = Awaited<[Entry]>([])
    private let prepare: @Sendable (Entry) -> Entry

    /// Begins with nothing.
    ///
    /// - Parameter prepare: checks a record, and gives it as it is to be kept.
    package init(_ prepare: @escaping @Sendable (Entry) -> Entry = { $0 }) {
        self.prepare = prepare
    }

    /// What was logged so far, in order.
    package var entries: [Entry] { recorded.state }

    /// How many messages began like this so far.
    package func count(_ prefix: String) -> Int { entries.count { $0.message.hasPrefix(prefix) } }

    /// How many messages were logged with this MESSAGE_ID so far.
    package func count(messageID: String) -> Int {
        entries.count { $0.metadata["MESSAGE_ID"] == messageID }
    }

    /// Returns when so many messages were logged with this MESSAGE_ID.
    package func wait(for count: Int, messageID: String) async {
        await recorded.wait { $0.count { $0.metadata["MESSAGE_ID"] == messageID } >= count }
    }

    /// Returns when what was logged is as a condition wants it.
    package func wait(until condition: @escaping @Sendable ([Entry]) -> Bool) async {
        await recorded.wait(until: condition)
    }

    /// What was logged from a level on.
    package func messages(from level: Logger.Level) -> [String] {
        entries.filter { $0.level >= level }.map(\.message)
    }

    /// A logger whose records are kept here, whatever their level.
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
    /// A logger for what a test does not look at.
    package static var quiet: Logger {
        Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    }
}
