import CSystemd
import Glibc
package import Logging

/// A log handler that writes to the journal by its native protocol, with structured fields.
///
/// Each metadata entry is a field of its own, named by ``JournalField/name(of:)``. A record that
/// the journal does not take goes to standard error as a line instead.
package struct JournalLogHandler: LogHandler {
    /// Sends the fields of a record, each `NAME=value`; zero, or a negative error number.
    package typealias Send = @Sendable (_ fields: [[UInt8]]) -> CInt

    /// The least severe level that is logged.
    package var logLevel: Logger.Level = .info

    /// What goes with every event of this logger.
    package var metadata: Logger.Metadata = [:]

    /// What is asked at each event for more metadata.
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let identifier: String
    private let send: Send
    private let fallback: StderrLogHandler

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: The logger's label, the field `LOGGER`.
    ///   - identifier: The program's name, the field `SYSLOG_IDENTIFIER`.
    ///   - fallback: Takes what the journal does not.
    ///   - send: Sends to the journal; another one only in tests.
    package init(
        label: String, identifier: String,
        fallback: StderrLogHandler = StderrLogHandler(style: .priority),
        send: @escaping Send = JournalLogHandler.sendToJournal
    ) {
        self.label = label
        self.identifier = identifier
        self.fallback = fallback
        self.send = send
    }

    /// One entry of ``metadata``.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one record.
    package func log(event: LogEvent) {
        let all = event.metadata(over: metadata, provider: metadataProvider)
        let record = JournalRecord(
            event: event, metadata: all, label: label, identifier: identifier)
        if send(record.fields.map(\.bytes)) < 0 {
            fallback.write(event, metadata: all)
        }
    }

    /// Sends to the running journal through `sd_journal_sendv(3)`, which also takes line feeds and
    /// any other byte in a value.
    package static let sendToJournal: Send = { fields in
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
