import CXXHash
import StateRecords

/// Encoded records of a file.
///
/// Each record is framed by its length, its sequence number, and a checksum that includes the previous record's
/// checksum.
struct ArchiveEncoder {
    /// Bytes to write.
    let bytes: [UInt8]
    /// End of the record chain after these bytes.
    let end: ChainEnd

    /// Last link of an archive's chain of records.
    struct ChainEnd: Equatable, Sendable {
        /// Sequence number of the last record.
        var sequence: UInt64
        /// Checksum of the last record, or of the header if there are no records.
        var checksum: UInt64
        /// Mark of the file that contains the chain.
        var fileMark: UInt64
    }

    /// Encodes a whole file.
    ///
    /// - Parameters:
    ///   - sequence: Sequence number before the first record.
    ///   - synced: Sequence number up to which each pass end declares the file as durable, or `nil` if each pass end
    ///     declares its own number.
    init(
        header: ArchiveHeader, after sequence: UInt64, _ records: RecordList, synced: UInt64? = nil
    ) {
        let header = (bytes: header.encoded(), mark: header.fileMark)
        let start = ChainEnd(
            sequence: sequence, checksum: header.bytes.sum(endingAt: header.bytes.count),
            fileMark: header.mark)
        self.init(header.bytes, start, records, synced: synced)
    }

    /// Encodes records that are appended to a file.
    ///
    /// - Parameter synced: Sequence number up to which the file is known to be durable. Each pass end contains
    ///   this number.
    init(continuing end: ChainEnd, _ records: RecordList, synced: UInt64) {
        self.init([], end, records, synced: synced)
    }

    private init(_ header: [UInt8], _ start: ChainEnd, _ records: RecordList, synced: UInt64?) {
        var end = start
        bytes = [UInt8](unsafeUninitializedCapacity: header.count + records.byteCount) {
            raw, count in
            var frame = Frame(UnsafeMutableRawBufferPointer(raw))
            header.withUnsafeBytes { frame.append($0) }
            var ends = records.ends[...]
            for (index, span) in records.spans.enumerated() {
                let passEnd = ends.first?.count == index + 1 ? ends.removeFirst().end : nil
                records.buffers[span.buffer].withUnsafeBytes { buffer in
                    let payload = UnsafeRawBufferPointer(
                        rebasing: buffer[span.start..<span.start + span.count])
                    frame.append(span.type, payload, passEnd, synced, &end)
                }
            }
            count = frame.count
        }
        self.end = end
    }

    /// Writer of framed records to a buffer that is large enough.
    private struct Frame {
        let memory: UnsafeMutableRawBufferPointer
        var count = 0

        init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

        mutating func append(
            _ type: RecordType, _ payload: UnsafeRawBufferPointer, _ pass: PassEnd?,
            _ synced: UInt64?, _ end: inout ChainEnd
        ) {
            let start = count
            let endCount = pass == nil ? 0 : ArchiveFormat.endLength
            end.sequence += 1
            append(UInt32(ArchiveFormat.smallestRecord + endCount + payload.count))
            append(type.rawValue)
            append(pass == nil ? 0 : ArchiveFormat.endFlag)
            append(UInt16(0))
            append(end.sequence)
            if let pass {
                append(end.fileMark)
                append(synced ?? end.sequence)
                append(pass.scene)
                append(pass.timestamp)
            }
            append(payload)
            end.checksum = checksum(
                UnsafeRawBufferPointer(rebasing: memory[start..<count]), seed: end.checksum)
            append(end.checksum)
        }

        mutating func append(_ number: some FixedWidthInteger) {
            memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: type(of: number))
            count += MemoryLayout.size(ofValue: number)
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
            count += bytes.count
        }
    }
}

extension ArchiveEncoder {
    /// Encodes a whole new archive, which becomes durable before it is renamed to its final name.
    ///
    /// - Parameter source: Mark of the file from which the archive is made, or `nil` if there is no such file.
    static func whole(
        _ records: RecordList, bundleIdentifier: String, after sequence: UInt64,
        from source: UInt64? = nil
    ) -> ArchiveEncoder {
        let header = ArchiveHeader(
            fileID: ArchiveHeader.newID(from: source),
            publishedSequence: sequence + UInt64(records.count), bundleIdentifier: bundleIdentifier)
        return ArchiveEncoder(header: header, after: sequence, records)
    }
}
