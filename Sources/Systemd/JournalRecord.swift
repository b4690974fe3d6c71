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

/// One field of a journal record: a name that the journal takes, and a value of any bytes.
///
/// Names follow `systemd.journal-fields(7)`: at most 64 of `A`-`Z`, `0`-`9` and `_`, neither a
/// digit nor `_` first. A field may stand several times in a record.
package struct JournalField: Sendable, Equatable {
    /// The field's name.
    package let name: String

    /// The field's value, at most ``valueLimit`` bytes.
    package let value: String

    /// The most bytes of a value; a longer one is cut and ends in `…`.
    package static let valueLimit = 16 * 1_024

    /// The most bytes of a name, the journal's own limit.
    package static let nameLimit = 64

    /// Creates a field from a name that the journal takes; the value is cut at its limit.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value.cut(toUTF8: Self.valueLimit)
    }

    /// The field as `sd_journal_sendv(3)` takes it: `NAME=value`.
    package var bytes: [UInt8] { Array("\(name)=\(value)".utf8) }

    /// The fields of one metadata entry: one for each element of an array, else one.
    package static func fields(of key: String, _ value: Logger.MetadataValue) -> [JournalField] {
        let name = name(of: key)
        return switch value {
        case .array(let elements):
            elements.prefix(JournalRecord.metadataLimit).map { JournalField(name, "\($0)") }
        case .string, .stringConvertible, .dictionary: [JournalField(name, "\(value)")]
        }
    }

    /// The journal's name for a metadata key.
    ///
    /// A valid name stays as it is (`MESSAGE_ID`). In others letters become capitals and what is
    /// not allowed becomes `_`. A name that would begin with a digit or `_`, or that is empty or
    /// one that every record sets itself (`MESSAGE`), gets the prefix `META_`.
    package static func name(of key: String) -> String {
        var name = ""
        for byte in key.utf8.prefix(nameLimit) {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                name.unicodeScalars.append(Unicode.Scalar(byte & ~0x20))
            default:
                name.append("_")
            }
        }
        let first = name.utf8.first ?? UInt8(ascii: "_")
        let needsPrefix =
            first == UInt8(ascii: "_") || first <= UInt8(ascii: "9")
            || JournalRecord.ownNames.contains(name)
        return needsPrefix ? String("META_\(name)".prefix(nameLimit)) : name
    }
}
