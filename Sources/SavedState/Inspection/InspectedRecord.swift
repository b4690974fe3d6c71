import ExactText
package import StateRecords

/// Part of an archive, which is a record or a range of bytes without a record.
package struct InspectedRecord: Sendable, Equatable {
    /// Offset from the start of the file, in bytes.
    package var offset: Int
    /// Length in bytes.
    package var byteCount: Int
    /// Kind of the part.
    package var finding: Finding

    /// Kind of a part.
    package enum Finding: Sendable, Equatable {
        /// An intact record.
        ///
        /// `end` is the end of a pass, or `nil` if the record does not end a pass. `synced` is the sequence number up
        /// to which the file was synced at that time.
        case intact(ArchiveRecord, sequence: UInt64, end: PassEnd?, synced: UInt64)
        /// A record with a correct checksum that no program of this version would write.
        case malformed(RecordPrefix, reason: String)
        /// A record with a wrong checksum. The values of its prefix may also be wrong.
        case broken(RecordPrefix)
        /// Bytes that contain no record.
        case noRecord
    }
}

/// Unverified type and sequence number of a record.
package struct RecordPrefix: Sendable, Equatable {
    /// Number of the record's type.
    package var type: UInt8
    /// Sequence number of the record.
    package var sequence: UInt64

    /// Name of the record's type, or `nil` if the number is unknown.
    package var typeName: String? { RecordType(rawValue: type).map { "\($0)" } }
}

extension InspectedRecord {
    /// Whether the record's checksum is correct, or `nil` if the part is not a record.
    package var isChecksumRight: Bool? {
        switch finding {
        case .intact, .malformed: true
        case .broken: false
        case .noRecord: nil
        }
    }

    /// Type and sequence number of the record, or `nil` if the part is not a record.
    package var prefix: RecordPrefix? {
        switch finding {
        case .intact(let record, let sequence, _, _):
            RecordPrefix(type: record.type.rawValue, sequence: sequence)
        case .malformed(let prefix, _), .broken(let prefix): prefix
        case .noRecord: nil
        }
    }
}
