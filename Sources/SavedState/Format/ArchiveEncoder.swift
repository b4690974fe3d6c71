import CXXHash
import StateRecords

/// The bytes of records in a file, each framed by its length, its sequence number, and a checksum
/// that is chained to the one before.
struct ArchiveEncoder {
    /// What is to be written.
    let bytes: [UInt8]
    /// Where the chain ends with it.
    let end: ChainEnd

    /// The last link of an archive's chain of records.
    struct ChainEnd: Equatable, Sendable {
        /// The sequence number of the last record.
        var sequence: UInt64
        /// Its checksum, or the header's.
        var checksum: UInt64
        /// The mark of the file that the chain is in.
        var fileMark: UInt64
    }

    /// A whole file.
    ///
    /// - Parameters:
    ///   - sequence: the number before that of the first record.
    ///   - synced: what each end of a pass tells to be durable; nil: all up to itself.
    init(
        header: ArchiveHeader, after sequence: UInt64, _ records: RecordList, synced: UInt64? = nil
    ) {
        let header = (bytes: header.encoded(), mark: header.fileMark)
        let start = ChainEnd(
            sequence: sequence, checksum: header.bytes.sum(endingAt: header.bytes.count),
            fileMark: header.mark)
        self.init(header.bytes, start, records, synced: synced)
    }

    /// What is to be appended to a file to go on where it ends.
    ///
    /// - Parameter synced: the sequence up to which the file is known to be durable, which each end
    ///   of a pass tells.
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

    /// Writes frames into memory that has room for them.
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
    /// The bytes of a whole new archive, all of which is durable before it gets its name.
    ///
    /// - Parameter source: the mark of the file that it is made from; nil: of none.
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
