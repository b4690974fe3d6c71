package import Logging

/// Journal record of a log event.
package struct JournalRecord: Sendable, Equatable {
    /// Fields in the order in which they are sent.
    ///
    /// The record's own fields come first, followed by the metadata, sorted by key.
    package let fields: [JournalField]

    /// Maximum number of metadata fields in a record.
    ///
    /// The field `METADATA_LEFT_OUT` contains the number of omitted fields.
    package static let maximumMetadataFieldCount = 64

    /// Names of the record's own fields, which metadata cannot set.
    package static let reservedNames: Set<String> = [
        "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "LOGGER", "CODE_FILE", "CODE_LINE",
        "CODE_FUNC", "METADATA_LEFT_OUT",
    ]

    /// Creates a record for an event.
    ///
    /// - Parameters:
    ///   - event: The event. Its own metadata is ignored.
    ///   - metadata: All metadata of the record.
    ///   - label: The logger's label, sent in the `LOGGER` field.
    ///   - programName: The program's name, sent in the `SYSLOG_IDENTIFIER` field.
    package init(
        event: LogEvent, metadata: Logger.Metadata, label: String, programName: String
    ) {
        var fields = [
            JournalField("MESSAGE", "\(event.message)"),
            JournalField("PRIORITY", "\(event.level.syslogPriority)"),
            JournalField("SYSLOG_IDENTIFIER", programName),
            JournalField("LOGGER", label),
            JournalField("CODE_FILE", event.file),
            JournalField("CODE_LINE", "\(event.line)"),
            JournalField("CODE_FUNC", event.function),
        ]
        let metadataFields = metadata.sorted { $0.key < $1.key }
            .flatMap { JournalField.fields(of: $0.key, $0.value) }
        fields += metadataFields.prefix(Self.maximumMetadataFieldCount)
        let fieldCount = metadata.values.reduce(0) { $0 + JournalField.fieldCount(of: $1) }
        if fieldCount > Self.maximumMetadataFieldCount {
            let omittedCount = fieldCount - Self.maximumMetadataFieldCount
            fields.append(JournalField("METADATA_LEFT_OUT", "\(omittedCount)"))
        }
        self.fields = fields
    }
}

/// Field in a journal record. It has a valid name and an arbitrary value.
///
/// The name is valid according to `systemd.journal-fields(7)`: it has at most 64 characters, each of which is `A`-`Z`,
/// `0`-`9` or `_`, and it begins with a letter. A record may contain several fields with the same name.
package struct JournalField: Sendable, Equatable {
    /// Name of the field.
    package let name: String

    /// Value of the field, at most ``maximumValueBytes`` bytes.
    package let value: String

    /// Maximum size of a value in bytes.
    ///
    /// A longer value is truncated and ends in `…`.
    package static let maximumValueBytes = 16 * 1_024

    /// Maximum length of a name in bytes, which is the journal's own limit.
    package static let maximumNameBytes = 64

    /// Creates a field with the given name, which must be valid.
    ///
    /// The value is truncated if it is longer than ``maximumValueBytes``.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value.truncated(toUTF8: Self.maximumValueBytes)
    }

    /// The field in the form `NAME=value`, for `sd_journal_sendv(3)`.
    package var bytes: [UInt8] { Array("\(name)=\(value)".utf8) }

    /// Returns the fields for a metadata entry: one for each element if the value is an array, or a single field
    /// otherwise. Elements beyond ``JournalRecord/maximumMetadataFieldCount`` are omitted.
    package static func fields(of key: String, _ value: Logger.MetadataValue) -> [JournalField] {
        let name = name(of: key)
        return switch value {
        case .array(let elements):
            elements.prefix(JournalRecord.maximumMetadataFieldCount).map {
                JournalField(name, "\($0)")
            }
        case .string, .stringConvertible, .dictionary: [JournalField(name, "\(value)")]
        }
    }

    /// Returns the number of fields that a metadata entry would have if there were no maximum.
    fileprivate static func fieldCount(of value: Logger.MetadataValue) -> Int {
        if case .array(let elements) = value { elements.count } else { 1 }
    }

    /// Returns the journal's field name for a metadata key.
    ///
    /// A valid name, such as `MESSAGE_ID`, remains unchanged. In any other name, lowercase letters become uppercase,
    /// and invalid characters become `_`. The prefix `META_` is added if the name would be empty, would begin with a
    /// digit or `_`, or is one of ``JournalRecord/reservedNames``, such as `MESSAGE`.
    package static func name(of key: String) -> String {
        var name = ""
        for byte in key.utf8.prefix(maximumNameBytes) {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                name.unicodeScalars.append(Unicode.Scalar(byte & ~0x20))
            default:
                name.append("_")
            }
        }
        let firstByte = name.utf8.first ?? UInt8(ascii: "_")
        let needsPrefix =
            firstByte == UInt8(ascii: "_") || firstByte <= UInt8(ascii: "9")
            || JournalRecord.reservedNames.contains(name)
        return needsPrefix ? String("META_\(name)".prefix(maximumNameBytes)) : name
    }
}
