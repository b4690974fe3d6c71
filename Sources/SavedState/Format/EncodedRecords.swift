import CXXHash
import StateRecords

/// Encoded records for a file.
///
/// Each record is framed with its length, its sequence number, and a checksum that includes the previous record's
/// checksum.
struct EncodedRecords {
    /// Bytes to write.
    let bytes: [UInt8]
    /// End of the record chain after these bytes.
    let end: ChainEnd

    /// End of an archive's chain of records.
    struct ChainEnd: Equatable, Sendable {
        /// Sequence number of the last record.
        var sequence: UInt64
        /// Checksum of the last record, or of the header if there are no records.
        var checksum: UInt64
        /// File mark of the file that contains the chain.
        var fileMark: UInt64
    }

    /// Encodes a complete file.
    ///
    /// - Parameters:
    ///   - sequence: Sequence number that precedes the sequence number of the first record.
    ///   - syncedSequence: Sequence number that each pass end records as durable, or `nil` if each pass end records its
    ///     own sequence number.
    init(
        header: ArchiveHeader, after sequence: UInt64, _ records: RecordList,
        syncedSequence: UInt64? = nil
    ) {
        let header = (bytes: header.encoded(), mark: header.fileMark)
        let start = ChainEnd(
            sequence: sequence, checksum: header.bytes.storedChecksum(endingAt: header.bytes.count),
            fileMark: header.mark)
        self.init(header.bytes, start, records, syncedSequence: syncedSequence)
    }

    /// Encodes records to be appended to a file.
    ///
    /// - Parameter syncedSequence: Sequence number up to which the file is known to be durable. Each pass end contains
    ///   this number.
    init(continuing end: ChainEnd, _ records: RecordList, syncedSequence: UInt64) {
        self.init([], end, records, syncedSequence: syncedSequence)
    }

    private init(
        _ header: [UInt8], _ start: ChainEnd, _ records: RecordList, syncedSequence: UInt64?
    ) {
        var end = start
        bytes = [UInt8](unsafeUninitializedCapacity: header.count + records.byteCount) {
            raw, count in
            var frame = RecordFrameWriter(UnsafeMutableRawBufferPointer(raw))
            header.withUnsafeBytes { frame.append($0) }
            var ends = records.ends[...]
            for (index, span) in records.spans.enumerated() {
                let passEnd = ends.first?.count == index + 1 ? ends.removeFirst().end : nil
                records.buffers[span.buffer].withUnsafeBytes { buffer in
                    let payload = UnsafeRawBufferPointer(
                        rebasing: buffer[span.start..<span.start + span.count])
                    frame.append(span.type, payload, passEnd, syncedSequence, &end)
                }
            }
            count = frame.count
        }
        self.end = end
    }
}

extension EncodedRecords {
    /// Encodes a complete archive for a file that is made durable before it is renamed to its final name.
    ///
    /// - Parameter sourceFileMark: File mark of the file from which the archive is made, or `nil` if there is no such
    ///   file.
    static func completeArchive(
        _ records: RecordList, bundleIdentifier: String, after sequence: UInt64,
        from sourceFileMark: UInt64? = nil
    ) -> EncodedRecords {
        let header = ArchiveHeader(
            fileID: ArchiveHeader.makeFileID(from: sourceFileMark),
            publishedSequence: sequence + UInt64(records.count), bundleIdentifier: bundleIdentifier)
        return EncodedRecords(header: header, after: sequence, records)
    }
}
