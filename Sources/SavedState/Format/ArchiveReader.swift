import ExactText
import StateRecords

/// Reader for archives in memory.
///
/// The reader accepts arbitrary bytes.
package struct ArchiveReader {
    /// Contents of a file up to the last valid record.
    package struct Prefix: Sendable {
        var store = ObjectStore()
        /// Whether the last valid record is a `closed` record.
        package var isClosed = false
        /// Whether the file contains a complete pass.
        var hasCompletePass = false
        /// End of the record chain after the last valid record.
        var end: EncodedRecords.ChainEnd
        /// Offset at which the last valid record ends.
        package var byteCount: Int

        /// Contents of the file as a value that other modules can use.
        package var contents: ArchiveContents {
            store.contents(isClosed: isClosed, sequence: end.sequence)
        }
    }

    /// Outcome of reading an archive.
    package enum Outcome: Sendable {
        /// Every byte is intact.
        case whole(Prefix)
        /// The end of the file is invalid, but nothing in the file shows that this end was ever durable.
        case torn(Prefix, TornTail)
        /// The file is damaged. `prefixBeforeDamage` is `nil` if there is no complete pass before the damage.
        case damaged(reason: String, offset: Int, prefixBeforeDamage: Prefix?)
        /// A newer version of the program wrote the file.
        case newer(version: UInt32)
    }

    /// Reads an application's archive. Another application's archive counts as damaged.
    ///
    /// - Parameter bundleIdentifier: Bundle identifier of the application, or `nil` to accept any application.
    package static func read(_ bytes: [UInt8], bundleIdentifier: String?) -> Outcome {
        switch ArchiveHeader.parse(bytes) {
        case .invalid(let reason):
            return .damaged(reason: reason, offset: 0, prefixBeforeDamage: nil)
        case .newer(let version): return .newer(version: version)
        case .header(let start):
            let owner = start.header.bundleIdentifier
            if let bundleIdentifier, owner != bundleIdentifier {
                return .damaged(
                    reason: "it is a foreign file: it belongs to '\(owner)'", offset: 0,
                    prefixBeforeDamage: nil)
            }
            var reader = ArchiveReader(bytes, start)
            return reader.read()
        }
    }

    private let bytes: [UInt8]
    private let parser: RecordParser
    private var prefix: Prefix
    /// Records of the pass whose end has not been read yet.
    private var pendingPassRecords: RecordList
    /// Segment of the store that contains the file.
    private let segment: Int
    private var offset: Int
    private var previousChecksum: UInt64
    /// Sequence number of the last intact record, or `nil` if no record has been read yet.
    private var sequence: UInt64?
    /// Sequence number up to which the file is known to have been durable.
    private var syncedSequence: UInt64

    /// Creates a reader for the records that follow a header. The header may be damaged.
    init(_ bytes: [UInt8], _ start: ArchiveStart) {
        self.bytes = bytes
        parser = RecordParser(bytes: bytes, fileMark: start.fileMark)
        pendingPassRecords = RecordList(in: [bytes])
        let end = EncodedRecords.ChainEnd(
            sequence: 0, checksum: start.checksum, fileMark: start.header.fileMark)
        prefix = Prefix(end: end, byteCount: start.headerByteCount)
        segment = prefix.store.beginReading(bytes)
        offset = start.headerByteCount
        previousChecksum = start.checksum
        syncedSequence = start.header.publishedSequence
    }

    mutating func read() -> Outcome {
        /// Parser result that stopped the reader before the end of the file, or `nil` if the reader has not been
        /// stopped.
        var stopResult: RecordParser.ParseResult?
        while stopResult == nil, !parser.isEnd(at: offset) { stopResult = readRecord() }
        prefix.store.endReading(segment)
        // An orderly shutdown releases the reserved space before it closes the file.
        if offset < bytes.count { prefix.isClosed = false }
        let nextSequence = (sequence ?? 0) + 1
        if stopResult == nil, syncedSequence >= nextSequence {
            stopResult = .broken(reason: "its end is missing")
        } else if stopResult == nil, !pendingPassRecords.isEmpty {
            offset = prefix.byteCount
            stopResult = .broken(reason: "its last pass is incomplete")
        }
        switch stopResult {
        case nil, .intact: return .whole(prefix)
        // Later passes may show that the broken bytes were durable.
        case .broken(let reason)
        where syncedSequence <= prefix.end.sequence
            && !laterPassShowsDurability(syncedFrom: nextSequence, after: offset):
            prefix.isClosed = false
            let tail = TornTail(
                reason: reason, offset: prefix.byteCount,
                byteCount: bytes.count - prefix.byteCount)
            return .torn(prefix, tail)
        case .broken(let reason), .illegal(let reason):
            prefix.isClosed = false
            return .damaged(
                reason: reason, offset: offset,
                prefixBeforeDamage: prefix.hasCompletePass ? prefix : nil)
        }
    }

    /// Reads and applies the next record. Returns the parser's result if the record is not valid.
    private mutating func readRecord() -> RecordParser.ParseResult? {
        let record = parser.parse(
            at: offset, seed: previousChecksum, sequence: sequence.map { $0 + 1 })
        guard case .intact(let intact) = record else { return record }
        if intact.type == .closed || intact.type == .opened {
            let isClosed = intact.type == .closed
            guard pendingPassRecords.isEmpty, isClosed == (intact.passEnd != nil) else {
                return .illegal(reason: "a record that marks it as open or closed is inside a pass")
            }
            advance(isClosed: isClosed, intact)
        } else {
            pendingPassRecords.append(
                RecordList.Span(
                    type: intact.type, buffer: 0, start: intact.payloadRange.lowerBound,
                    count: intact.payloadRange.count))
            if let passEnd = intact.passEnd {
                do throws(MalformedPass) {
                    try prefix.store.check(pendingPassRecords, passEnd)
                } catch {
                    return .illegal(reason: error.reason)
                }
                prefix.store.merge(pendingPassRecords, passEnd, segment: segment)
                pendingPassRecords.removeRecords()
                prefix.hasCompletePass = true
                advance(isClosed: false, intact)
            }
        }
        syncedSequence = max(syncedSequence, intact.syncedSequence)
        offset = intact.endOffset
        previousChecksum = intact.checksum
        sequence = intact.sequence
        return nil
    }

    private mutating func advance(isClosed: Bool, _ intact: RecordParser.IntactRecord) {
        prefix.isClosed = isClosed
        prefix.end.sequence = intact.sequence
        prefix.end.checksum = intact.checksum
        prefix.byteCount = intact.endOffset
    }

    /// Returns the first offset in a range at which the file mark is stored, or `nil` if there is no such offset.
    private func firstFileMarkOffset(_ range: ClosedRange<Int>) -> Int? {
        guard let fileMark = parser.fileMark?.littleEndian else { return nil }
        return bytes.withUnsafeBytes { raw in
            range.first { raw.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == fileMark }
        }
    }

    /// Returns whether an intact pass end after broken bytes shows that the broken bytes were durable.
    private func laterPassShowsDurability(syncedFrom sequence: UInt64, after start: Int) -> Bool {
        // The search is limited, because each byte in a forged file could look like the start of a long record.
        var remainingSearchBytes = 8 * bytes.count
        let headerByteCount = ArchiveFormat.recordHeaderByteCount
        var candidateOffset = start + ArchiveFormat.minimumRecordBytes
        let lastOffset =
            bytes.count - ArchiveFormat.minimumRecordBytes - ArchiveFormat.passEndByteCount
        while candidateOffset <= lastOffset,
            let markOffset = firstFileMarkOffset(
                candidateOffset + headerByteCount...lastOffset + headerByteCount)
        {
            candidateOffset = markOffset - headerByteCount
            defer { candidateOffset += 1 }
            guard let length = parser.length(at: candidateOffset) else { continue }
            remainingSearchBytes -= length
            if remainingSearchBytes < 0 { return true }
            let seed = bytes.storedChecksum(endingAt: candidateOffset)
            if case .intact(let intact) = parser.parse(
                at: candidateOffset, seed: seed, sequence: nil),
                intact.sequence > sequence, intact.syncedSequence >= sequence
            {
                return true
            }
        }
        return false
    }
}

/// Invalid or incomplete bytes at the end of a file that were never synced, for example because of a power cut.
///
/// The bytes remain in the file until the next save. Before that save, the complete file is copied to quarantine.
package struct TornTail: Sendable, Equatable {
    /// Phrase that explains why the bytes are not valid.
    package var reason: String
    /// Offset of the first of these bytes from the start of the file.
    package var offset: Int
    /// Number of bytes.
    package var byteCount: Int
}
