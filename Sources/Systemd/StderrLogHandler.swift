import Glibc
import Logging

/// A log handler that writes each event to standard error as one line of text.
struct StderrLogHandler: LogHandler {
    /// Style of the lines.
    let style: LogLine.Style
    /// Queue that writes the lines.
    let queue: LogQueue
    /// Descriptor to which the lines are written.
    ///
    /// The handler does not close the descriptor. Only tests change it.
    var descriptor = STDERR_FILENO

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Adds a line for the event to the queue.
    func log(event: LogEvent) {
        let line = LogLine(
            level: event.level, message: "\(event.message)",
            metadata: event.metadata(over: metadata, provider: metadataProvider), style: style
        ).bytes
        queue.add(byteCount: line.count) { [descriptor] in Self.write(line, to: descriptor) }
    }

    /// Writes a line without using the queue.
    ///
    /// - Returns: Whether the entire line was written.
    static func write(_ line: [UInt8], to descriptor: CInt) -> Bool {
        var remainingBytes = line[...]
        while !remainingBytes.isEmpty {
            let writtenByteCount = remainingBytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard writtenByteCount >= 0 || errno == EINTR else { return false }
            remainingBytes = remainingBytes.dropFirst(max(0, writtenByteCount))
        }
        return true
    }
}
