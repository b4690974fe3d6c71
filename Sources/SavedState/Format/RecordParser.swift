import StateRecords

/// Parser for individual records in untrusted bytes.
struct RecordParser {
    let bytes: [UInt8]
    /// File mark of the file, or `nil` if the file mark is unknown, for example because the header is damaged.
    let fileMark: UInt64?

    /// Record with a correct checksum.
    struct IntactRecord {
        var type: RecordType
        /// Range of the payload.
        var payloadRange: Range<Int>
        var sequence: UInt64
        var checksum: UInt64
        /// Offset of the next record.
        var endOffset: Int
        /// End of a pass, or `nil` if the record does not end a pass.
        var passEnd: PassEnd?
        /// Sequence number up to which the file had been synced, or 0 if the record does not end a pass.
        var syncedSequence: UInt64 = 0
    }

    enum ParseResult {
        case intact(IntactRecord)
        /// The record is damaged or incomplete.
        case broken(reason: String)
        /// The checksum is correct, but this version of the program never writes such a record.
        case illegal(reason: String)
    }

    /// Parses the record at an offset.
    ///
    /// - Parameters:
    ///   - seed: Checksum of the previous record.
    ///   - sequence: Expected sequence number, or `nil` to accept any number except 0.
    func parse(at offset: Int, seed: UInt64, sequence expectedSequence: UInt64?) -> ParseResult {
        guard let length = length(at: offset) else {
            return .broken(reason: "a record is truncated or has an invalid length")
        }
        return bytes.withUnsafeBytes { bytes in
            let record = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
            let recordChecksum = checksum(
                UnsafeRawBufferPointer(rebasing: record.dropLast(8)), seed: seed)
            guard record.littleEndian(at: length - 8) == recordChecksum else {
                return .broken(reason: "the checksum of a record is wrong")
            }
            return parse(record, at: offset, recordChecksum, expectedSequence)
        }
    }

    private func parse(
        _ record: UnsafeRawBufferPointer, at offset: Int, _ recordChecksum: UInt64,
        _ expectedSequence: UInt64?
    ) -> ParseResult {
        let flags = record[5]
        guard let type = RecordType(rawValue: record[4]),
            record.littleEndian(at: 6) == UInt16(0), flags & ~ArchiveFormat.passEndFlag == 0
        else {
            return .illegal(reason: "a record has an unknown type or flags")
        }
        let sequence: UInt64 = record.littleEndian(at: 8)
        guard sequence != 0, sequence <= ArchiveFormat.highestSequence,
            expectedSequence == nil || sequence == expectedSequence
        else {
            return .illegal(reason: "the sequence numbers of its records have a gap")
        }
        var start = ArchiveFormat.recordHeaderByteCount
        var intact = IntactRecord(
            type: type, payloadRange: 0..<0, sequence: sequence, checksum: recordChecksum,
            endOffset: offset + record.count)
        if flags == ArchiveFormat.passEndFlag {
            guard record.count >= ArchiveFormat.minimumRecordBytes + ArchiveFormat.passEndByteCount,
                fileMark == nil || record.littleEndian(at: start) == fileMark,
                record.littleEndian(at: start + 8) <= sequence
            else { return .illegal(reason: "the end of a pass is invalid") }
            intact.syncedSequence = record.littleEndian(at: start + 8)
            intact.passEnd = PassEnd(
                scene: record.littleEndian(at: start + 16),
                timestamp: record.littleEndian(at: start + 20))
            start += ArchiveFormat.passEndByteCount
        }
        guard
            ArchiveFormat.isWellFormed(
                type, UnsafeRawBufferPointer(rebasing: record[start..<record.count - 8]))
        else {
            return .illegal(reason: "a record of type \(type.rawValue) has an invalid payload")
        }
        intact.payloadRange = offset + start..<intact.endOffset - 8
        return .intact(intact)
    }

    /// Decodes an intact record.
    func record(_ intact: IntactRecord) -> ArchiveRecord {
        ArchiveRecord(intact.type, payload: bytes[intact.payloadRange])
    }

    /// Returns whether there is a record with a correct checksum at an offset. The record may still be malformed.
    ///
    /// - Parameter seed: Checksum of the previous record.
    func isRecord(at offset: Int, seed: UInt64) -> Bool {
        if case .broken = parse(at: offset, seed: seed, sequence: nil) { false } else { true }
    }

    /// Returns the length of an archive, excluding reserved space, without verifying checksums.
    static func usedByteCount(_ bytes: [UInt8]) -> Int {
        guard case .header(let start) = ArchiveHeader.parse(bytes) else { return bytes.count }
        let parser = RecordParser(bytes: bytes, fileMark: nil)
        var end = start.headerByteCount
        while let length = parser.length(at: end) { end += length }
        return parser.isEnd(at: end) ? end : bytes.count
    }

    /// Returns whether the records end at an offset, with only zeros (reserved space) after it.
    func isEnd(at offset: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in bytes[offset...].allSatisfy { $0 == 0 } }
    }

    /// Returns the length of the record at an offset, or `nil` if the stored length is invalid.
    func length(at offset: Int) -> Int? {
        guard bytes.count - offset >= 4 else { return nil }
        let length = bytes.withUnsafeBytes { $0.littleEndian(at: offset) as UInt32 }
        guard length >= ArchiveFormat.minimumRecordBytes, Int(length) <= bytes.count - offset else {
            return nil
        }
        return Int(length)
    }
}
