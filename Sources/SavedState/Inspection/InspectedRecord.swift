import ExactText
package import StateRecords

/// A piece of an archive: a record, or bytes that are none.
package struct InspectedRecord: Sendable, Equatable {
    /// Where it begins, in bytes from the start of the file.
    package var offset: Int
    /// How many bytes it has.
    package var byteCount: Int
    /// What it is.
    package var finding: Finding

    package enum Finding: Sendable, Equatable {
        /// A record as it was written. Where a pass ends, of which scene and when it was, and the
        /// sequence up to which the file was synced then.
        case intact(ArchiveRecord, sequence: UInt64, end: PassEnd?, synced: UInt64)
        /// A record whose checksum is right and that no program of this version would write.
        case malformed(RecordPrefix, reason: String)
        /// A record whose checksum is wrong; what is told of it may be wrong, too.
        case broken(RecordPrefix)
        /// Bytes in which no record can be found.
        case noRecord
    }
}

/// What a record tells of itself, which is not checked.
package struct RecordPrefix: Sendable, Equatable {
    /// The number of its type.
    package var type: UInt8
    /// Its sequence number.
    package var sequence: UInt64

    /// The word for its type; nil if there is none.
    package var typeName: String? { RecordType(rawValue: type).map { "\($0)" } }
}

extension InspectedRecord {
    /// Whether its checksum is right; nil if it is no record.
    package var isChecksumRight: Bool? {
        switch finding {
        case .intact, .malformed: true
        case .broken: false
        case .noRecord: nil
        }
    }

    /// What it tells of itself; nil if it is no record.
    package var prefix: RecordPrefix? {
        switch finding {
        case .intact(let record, let sequence, _, _):
            RecordPrefix(type: record.type.rawValue, sequence: sequence)
        case .malformed(let prefix, _), .broken(let prefix): prefix
        case .noRecord: nil
        }
    }
}
