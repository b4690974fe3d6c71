import ExactText
package import StateRecords

/// Part of an archive: a record, or a range of bytes without a record.
package struct InspectedPart: Sendable, Equatable {
    /// Offset from the start of the file, in bytes.
    package var offset: Int
    /// Length in bytes.
    package var byteCount: Int
    /// Result of examining this part.
    package var finding: Finding

    /// Result of examining a part of an archive.
    package enum Finding: Sendable, Equatable {
        /// An intact record.
        ///
        /// `end` is the end of a pass, or `nil` if the record does not end a pass. `syncedSequence` is the sequence
        /// number up to which the file had been synced when the record was written.
        case intact(ArchiveRecord, sequence: UInt64, end: PassEnd?, syncedSequence: UInt64)
        /// A record that has a correct checksum, but that this version of the program would never write.
        case malformed(RecordPrefix, reason: String)
        /// A record with a wrong checksum. The type and sequence number may also be wrong.
        case broken(RecordPrefix)
        /// Bytes that contain no record.
        case noRecord
    }
}

/// Type and sequence number of a record, as stored in the file.
package struct RecordPrefix: Sendable, Equatable {
    /// Number of the record's type.
    package var type: UInt8
    /// Sequence number of the record.
    package var sequence: UInt64

    /// Name of the record's type, or `nil` if the number is unknown.
    package var typeName: String? { RecordType(rawValue: type).map { "\($0)" } }
}

extension InspectedPart {
    /// Whether the record's checksum is correct, or `nil` if the part is not a record.
    package var isChecksumValid: Bool? {
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
