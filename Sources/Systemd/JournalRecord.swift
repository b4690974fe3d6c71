package import Logging

/// What one log event becomes in the journal.
package struct JournalRecord: Sendable, Equatable {
    /// The fields in the order they are sent: the record's own, then the metadata by key.
    package let fields: [JournalField]

    /// The most metadata fields of a record; `METADATA_LEFT_OUT` tells how many more there were.
    package static let metadataLimit = 64

    /// The fields that every record sets itself, and that metadata therefore cannot.
    package static let ownNames: Set<String> = [
        "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "LOGGER", "CODE_FILE", "CODE_LINE",
        "CODE_FUNC", "METADATA_LEFT_OUT",
    ]

    /// Creates the record of an event.
    ///
    /// - Parameters:
    ///   - event: The event; its own metadata is not looked at.
    ///   - metadata: All metadata that goes with it.
    ///   - label: The logger's label, the field `LOGGER`.
    ///   - identifier: The program's name, the field `SYSLOG_IDENTIFIER`.
    package init(
        event: LogEvent, metadata: Logger.Metadata, label: String, identifier: String
    ) {
        var fields = [
            JournalField("MESSAGE", "\(event.message)"),
            JournalField("PRIORITY", "\(event.level.syslogPriority)"),
            JournalField("SYSLOG_IDENTIFIER", identifier),
            JournalField("LOGGER", label),
            JournalField("CODE_FILE", event.file),
            JournalField("CODE_LINE", "\(event.line)"),
            JournalField("CODE_FUNC", event.function),
        ]
        let more = metadata.sorted { $0.key < $1.key }
            .flatMap { JournalField.fields(of: $0.key, $0.value) }
        fields += more.prefix(Self.metadataLimit)
        if more.count > Self.metadataLimit {
            let leftOut = more.count - Self.metadataLimit
            fields.append(JournalField("METADATA_LEFT_OUT", "\(leftOut)"))
        }
        self.fields = fields
    }
}
