import Glibc
import Logging

/// A log handler that writes lines to standard error, each in one `write(2)`.
struct StderrLogHandler: LogHandler {
    /// What a line begins with.
    let style: LogLine.Style
    /// Writes the lines.
    let queue: LogQueue
    /// Where to write, not closed by the handler; another one only in tests.
    var descriptor = STDERR_FILENO

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Has the line of an event written.
    func log(event: LogEvent) {
        let line = LogLine(
            level: event.level, message: "\(event.message)",
            metadata: event.metadata(over: metadata, provider: metadataProvider), style: style
        ).bytes
        queue.add(byteCount: line.count) { [descriptor] in Self.write(line, to: descriptor) }
    }

    /// Writes a line at once.
    ///
    /// - Returns: Whether all of it is written.
    static func write(_ line: [UInt8], to descriptor: CInt) -> Bool {
        var rest = line[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard written >= 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, written))
        }
        return true
    }
}
