import Glibc
package import Logging
import Synchronization

/// A log handler that writes lines to standard error, each in one `write(2)`.
package struct StderrLogHandler: LogHandler {
    /// The least severe level that is logged.
    package var logLevel: Logger.Level = .info

    /// What goes with every event of this logger.
    package var metadata: Logger.Metadata = [:]

    /// What is asked at each event for more metadata.
    package var metadataProvider: Logger.MetadataProvider?

    private let style: LogLine.Style
    private let descriptor: CInt

    /// Lines that standard error did not take; the next one that it takes tells how many.
    private static let lost = Atomic<Int>(0)

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - style: What a line begins with.
    ///   - descriptor: Where to write, not closed by the handler; another one only in tests.
    package init(
        style: LogLine.Style, descriptor: CInt = STDERR_FILENO
    ) {
        self.style = style
        self.descriptor = descriptor
    }

    /// One entry of ``metadata``.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    package func log(event: LogEvent) {
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
