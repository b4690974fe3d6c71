import CSystemd
import Glibc
import Logging

/// A log handler that writes to the journal by its native protocol, with structured fields.
///
/// Each metadata entry is a field of its own, named by ``JournalField/name(of:)``. A record that
/// the journal does not take goes to standard error as a line instead.
struct JournalLogHandler: LogHandler {
    /// The logger's label, the field `LOGGER`.
    let label: String
    /// The program's name, the field `SYSLOG_IDENTIFIER`.
    let identifier: String
    /// Writes the records.
    let queue: LogQueue
    /// Takes a line that the journal does not take as a record; another one than standard error only in tests.
    var fallback = STDERR_FILENO
    /// Sends the fields of a record, each `NAME=value`; zero, or a negative error number. Another
    /// one only in tests.
    var send: @Sendable (_ fields: [[UInt8]]) -> CInt = sendToJournal

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Has the record of an event written.
    func log(event: LogEvent) {
        let all = event.metadata(over: metadata, provider: metadataProvider)
        let record = JournalRecord(
            event: event, metadata: all, label: label, identifier: identifier)
        let fields = record.fields.map(\.bytes)
        let (level, message) = (event.level, "\(event.message)")
        queue.add(byteCount: fields.reduce(0) { $0 + $1.count }) { [send, fallback] in
            if send(fields) >= 0 { return true }
            let line = LogLine(level: level, message: message, metadata: all, style: .priority)
            return StderrLogHandler.write(line.bytes, to: fallback)
        }
    }

    /// Writes the number of lost records to the journal at once.
    ///
    /// - Returns: Whether the journal has taken it.
    static func writeLoss(_ count: Int, identifier: String) -> Bool {
        let fields = [
            JournalField("MESSAGE", LogLine.loss(of: count)),
            JournalField("PRIORITY", "\(Logger.Level.warning.syslogPriority)"),
            JournalField("SYSLOG_IDENTIFIER", identifier),
            JournalField("LOST_RECORDS", "\(count)"),
        ]
        return sendToJournal(fields.map(\.bytes)) >= 0
    }

    /// Sends to the running journal through `sd_journal_sendv(3)`, which also takes line feeds and
    /// any other byte in a value.
    private static let sendToJournal: @Sendable ([[UInt8]]) -> CInt = { fields in
        // One block of memory holds all fields, so that every pointer is valid during the call.
        var block = fields.flatMap { $0 }
        return block.withUnsafeMutableBytes { memory in
            var start = memory.baseAddress
            let vectors = fields.map { field in
                defer { start = start?.advanced(by: field.count) }
                return iovec(iov_base: start, iov_len: field.count)
            }
            return sd_journal_sendv(vectors, CInt(vectors.count))
        }
    }
}
