import ExactText
import StateRecords

/// Sequence of all parts of an archive: records and ranges without records.
///
/// After a broken record, the scan continues with the next record that it can find. The cost is at most proportional to
/// the length of the archive.
package struct RecordScan: Sequence, IteratorProtocol, Sendable {
    private let parser: RecordParser
    private var offset: Int
    /// Checksum of the previous part, or `nil` if that part was not a record.
    private var seed: UInt64?
    /// Highest sequence number so far.
    private var highestSequence: UInt64?
    /// Whether the next record must continue the sequence numbers without a gap.
    private var expectsNextSequence = true
    /// Number of bytes that may still be checksummed in the search for records.
    ///
    /// The search ends when this number reaches 0. The limit is necessary because each byte in a forged file could look
    /// like the start of a long record.
    private(set) var remainingSearchBytes: Int

    private var bytes: [UInt8] { parser.bytes }

    /// Creates a scan.
    ///
    /// - Parameter start: Start of the records, or `nil` to search for them.
    init(_ bytes: [UInt8], from start: ArchiveStart?) {
        parser = RecordParser(bytes: bytes, fileMark: start?.fileMark)
        offset = start?.headerByteCount ?? 0
        seed = start?.checksum
        remainingSearchBytes = 16 * bytes.count
    }

    package mutating func next() -> InspectedPart? {
        guard !parser.isEnd(at: offset) else { return nil }
        guard let seed, let length = parser.length(at: offset) else { return skipToNextRecord() }
        let sequence = expectsNextSequence ? highestSequence.map { $0 + 1 } : nil
        switch parser.parse(at: offset, seed: seed, sequence: sequence) {
        case .intact(let intact):
            return consume(
                length, seed: intact.checksum, sequence: intact.sequence,
                .intact(
                    parser.record(intact), sequence: intact.sequence, end: intact.passEnd,
                    syncedSequence: intact.syncedSequence))
        case .illegal(let reason):
            let prefix = prefix(at: offset)
            return consume(
                length, seed: bytes.storedChecksum(endingAt: offset + length),
                sequence: prefix.sequence,
                .malformed(prefix, reason: reason))
        case .broken:
            return consumeBroken(length, seed)
        }
    }

    /// Returns a record with a wrong checksum or, if the record's length cannot be trusted either, a range without
    /// records.
    private mutating func consumeBroken(_ length: Int, _ seed: UInt64) -> InspectedPart {
        let end = offset + length
        // The record is read twice, first to find the damage, then to compute the correct checksum. The next record is
        // also read twice.
        remainingSearchBytes -=
            2 * length + 2 * (end < bytes.count ? parser.length(at: end) ?? 0 : 0)
        guard remainingSearchBytes > 0 else { return skipToNextRecord() }
        // If only the checksum itself is damaged, the next record continues the chain from the correct checksum.
        let correctChecksum = checksum(bytes, offset..<end - 8, seed: seed)
        let next = [bytes.storedChecksum(endingAt: end), correctChecksum].first {
            parser.isRecord(at: end, seed: $0)
        }
        guard let next = next ?? (parser.isEnd(at: end) ? correctChecksum : nil) else {
            return skipToNextRecord()
        }
        let prefix = prefix(at: offset)
        defer { expectsNextSequence = false }
        return consume(length, seed: next, sequence: nil, .broken(prefix))
    }

    private mutating func consume(
        _ length: Int, seed: UInt64, sequence: UInt64?, _ finding: InspectedPart.Finding
    ) -> InspectedPart {
        defer { offset += length }
        self.seed = seed
        expectsNextSequence = true
        if let sequence, sequence <= ArchiveFormat.highestSequence { highestSequence = sequence }
        return InspectedPart(offset: offset, byteCount: length, finding: finding)
    }

    // MARK: Finding the next record

    /// Skips to the next record, and returns the skipped range.
    private mutating func skipToNextRecord() -> InspectedPart {
        let start = offset
        offset = bytes.count
        expectsNextSequence = false
        var candidateOffset = Swift.max(start + 1, 8)
        while remainingSearchBytes > 0, let next = firstPlausibleRecord(candidateOffset) {
            candidateOffset = next
            if looksLikeRecord(candidateOffset, after: start) {
                remainingSearchBytes -= parser.length(at: candidateOffset) ?? 0
                let seed = bytes.storedChecksum(endingAt: candidateOffset)
                if case .intact = parser.parse(at: candidateOffset, seed: seed, sequence: nil) {
                    offset = candidateOffset
                    self.seed = seed
                    break
                }
            }
            candidateOffset += 1
        }
        return InspectedPart(offset: start, byteCount: offset - start, finding: .noRecord)
    }

    /// Returns the first offset at which a record could start, according to its type, flags and reserved bytes.
    ///
    /// Returns `nil` if there is no such offset. The search is fast for long runs of equal bytes.
    private func firstPlausibleRecord(_ start: Int) -> Int? {
        let last = bytes.count - ArchiveFormat.minimumRecordBytes
        guard start <= last else { return nil }
        let types = RecordType.name.rawValue...RecordType.patch.rawValue
        return bytes.withUnsafeBytes { raw in
            var candidateOffset = start
            while candidateOffset <= last {
                let word = UInt32(
                    littleEndian: raw.loadUnaligned(
                        fromByteOffset: candidateOffset + 4, as: UInt32.self))
                // The mask covers the two reserved bytes and all flag bits except the lowest.
                if word & 0xFFFF_FE00 == 0, types.contains(UInt8(truncatingIfNeeded: word)) {
                    return candidateOffset
                }
                candidateOffset += 1
            }
            return nil
        }
    }

    /// Returns whether the bytes at an offset look like the start of a record.
    ///
    /// The sequence number must be plausible: if it implies that records are missing, the missing records must fit into
    /// the skipped bytes.
    private func looksLikeRecord(_ candidateOffset: Int, after start: Int) -> Bool {
        let prefix = prefix(at: candidateOffset)
        guard prefix.typeName != nil, prefix.sequence > highestSequence ?? 0,
            prefix.sequence <= ArchiveFormat.highestSequence,
            parser.length(at: candidateOffset) != nil
        else { return false }
        guard let highestSequence else { return true }
        let missingRecordCount = (candidateOffset - start) / ArchiveFormat.minimumRecordBytes
        return prefix.sequence - highestSequence <= UInt64(missingRecordCount) + 1
    }

    /// Returns the type and sequence number of the record at an offset. The record must have at least the minimum
    /// length.
    private func prefix(at offset: Int) -> RecordPrefix {
        var reader = LittleEndianReader(bytes, offset + 8..<offset + 16)
        return RecordPrefix(
            type: bytes[offset + 4], sequence: reader.next(UInt64.self) ?? 0)
    }
}
