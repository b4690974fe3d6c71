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
    /// Takes what the journal does not.
    var fallback = StderrLogHandler(style: .priority)
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

    /// Writes one record.
    func log(event: LogEvent) {
        let all = event.metadata(over: metadata, provider: metadataProvider)
        let record = JournalRecord(
            event: event, metadata: all, label: label, identifier: identifier)
        if send(record.fields.map(\.bytes)) < 0 {
            fallback.write(event, metadata: all)
        }
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
