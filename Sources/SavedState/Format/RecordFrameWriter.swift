import StateRecords

/// Writer that encodes records into a buffer. The buffer must be large enough.
///
/// A record consists of a header, the end of the pass if it is the last record of a pass, a payload and a checksum.
/// ``RecordParser`` reads this format.
struct RecordFrameWriter {
    let memory: UnsafeMutableRawBufferPointer
    var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    mutating func append(
        _ type: RecordType, _ payload: UnsafeRawBufferPointer, _ passEnd: PassEnd?,
        _ syncedSequence: UInt64?, _ end: inout EncodedRecords.ChainEnd
    ) {
        let start = count
        let passEndByteCount = passEnd == nil ? 0 : ArchiveFormat.passEndByteCount
        end.sequence += 1
        append(UInt32(ArchiveFormat.minimumRecordBytes + passEndByteCount + payload.count))
        append(type.rawValue)
        append(passEnd == nil ? 0 : ArchiveFormat.passEndFlag)
        append(UInt16(0))
        append(end.sequence)
        if let passEnd {
            append(end.fileMark)
            append(syncedSequence ?? end.sequence)
            append(passEnd.scene)
            append(passEnd.timestamp)
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
