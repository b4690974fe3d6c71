import CSystemd
import Glibc
import Logging

/// A log handler that sends records with structured fields to the journal, through its native protocol.
///
/// Each metadata entry becomes a field. ``JournalField/name(of:)`` determines the name of the field. If the journal
/// does not accept a record, the handler writes it to standard error as a line of text.
struct JournalLogHandler: LogHandler {
    /// Label of the logger, sent in the `LOGGER` field.
    let label: String
    /// Name of the program, sent in the `SYSLOG_IDENTIFIER` field.
    let programName: String
    /// Queue that writes the records.
    let queue: LogQueue
    /// Descriptor for records that the journal does not accept.
    ///
    /// Only tests change the descriptor.
    var fallbackDescriptor = STDERR_FILENO
    /// Closure that sends the fields of a record, each in the form `NAME=value`.
    ///
    /// The closure returns zero, or a negative error number. Only tests replace the closure.
    var send: @Sendable (_ fields: [[UInt8]]) -> CInt = sendToJournal

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Adds a record of the event to the queue.
    func log(event: LogEvent) {
        let mergedMetadata = event.metadata(over: metadata, provider: metadataProvider)
        let record = JournalRecord(
            event: event, metadata: mergedMetadata, label: label, programName: programName)
        let fields = record.fields.map(\.bytes)
        let (level, message) = (event.level, "\(event.message)")
        queue.add(byteCount: fields.reduce(0) { $0 + $1.count }) { [send, fallbackDescriptor] in
            if send(fields) >= 0 { return true }
            let line = LogLine(
                level: level, message: message, metadata: mergedMetadata, style: .priorityPrefix)
            return StderrLogHandler.write(line.bytes, to: fallbackDescriptor)
        }
    }

    /// Writes a record with the number of lost records to the journal, without using the queue.
    ///
    /// - Parameters:
    ///   - count: The number of lost records.
    ///   - programName: The name of the program, sent in the `SYSLOG_IDENTIFIER` field.
    ///   - send: A closure that sends the fields of the record. Only tests replace it.
    /// - Returns: Whether the journal accepted the record.
    static func writeLostRecordCount(
        _ count: Int, programName: String,
        send: (_ fields: [[UInt8]]) -> CInt = JournalLogHandler.sendToJournal
    ) -> Bool {
        let fields = [
            JournalField("MESSAGE", LogLine.lostRecordsMessage(of: count)),
            JournalField("PRIORITY", "\(Logger.Level.warning.syslogPriority)"),
            JournalField("SYSLOG_IDENTIFIER", programName),
            JournalField("LOST_RECORDS", "\(count)"),
        ]
        return send(fields.map(\.bytes)) >= 0
    }

    /// Sends a record to the journal through `sd_journal_sendv(3)`.
    ///
    /// Values may contain line feeds and any other bytes.
    private static let sendToJournal: @Sendable ([[UInt8]]) -> CInt = { fields in
        JournalLogHandler.withVectors(of: fields) { sd_journal_sendv($0, CInt($0.count)) }
    }

    /// Calls a closure with one `iovec` for each field.
    ///
    /// The vectors are valid only during the call.
    static func withVectors(of fields: [[UInt8]], _ body: ([iovec]) -> CInt) -> CInt {
        // One block of memory contains all fields, so that every pointer is valid during the call.
        var joinedFields = fields.flatMap { $0 }
        return joinedFields.withUnsafeMutableBytes { memory in
            var fieldStart = memory.baseAddress
            let vectors = fields.map { field in
                defer { fieldStart = fieldStart?.advanced(by: field.count) }
                return iovec(iov_base: fieldStart, iov_len: field.count)
            }
            return body(vectors)
        }
    }
}
