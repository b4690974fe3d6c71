import Glibc
import Logging
import Synchronization

/// A log handler that writes lines to standard error, each in one `write(2)`.
struct StderrLogHandler: LogHandler {
    /// What a line begins with.
    let style: LogLine.Style
    /// Where to write, not closed by the handler; another one only in tests.
    var descriptor = STDERR_FILENO

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    /// Lines that standard error did not take; the next one that it takes tells how many.
    private static let lost = Atomic<Int>(0)

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    func log(event: LogEvent) {
        write(event, metadata: event.metadata(over: metadata, provider: metadataProvider))
    }

    /// Writes the line of an event with all metadata that goes with it.
    func write(_ event: LogEvent, metadata: Logger.Metadata) {
        let lost = Self.lost.exchange(0, ordering: .relaxed)
        let line = LogLine(
            level: event.level, message: "\(event.message)", metadata: metadata, style: style,
            linesLost: lost)
        if !write(line.bytes) {
            Self.lost.add(lost + 1, ordering: .relaxed)
        }
    }

    private func write(_ line: [UInt8]) -> Bool {
        while true {
            let written = Glibc.write(descriptor, line, line.count)
            if written == line.count { return true }
            guard written < 0, errno == EINTR else { return false }
        }
    }
}
