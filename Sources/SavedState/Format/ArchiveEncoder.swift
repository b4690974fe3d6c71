/// Writes records into bytes, each with its sequence number and chained to the one before.
struct ArchiveEncoder {
    /// What was written so far.
    private(set) var bytes: [UInt8]
    /// Where the chain ends now, and the next record goes on.
    private(set) var end: ChainEnd

    /// The last link of an archive's chain of records.
    struct ChainEnd: Equatable, Sendable {
        /// The sequence number of the last record.
        var sequence: UInt64
        /// Its checksum, or the header's.
        var checksum: UInt64
        /// The mark of the file that the chain is in.
        var fileMark: UInt64
    }

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - sequence: the number before that of the first record.
    ///   - capacity: how many bytes to make room for.
    init(header: ArchiveHeader, after sequence: UInt64, capacity: Int = 0) {
        bytes = header.encoded()
        end = ChainEnd(
            sequence: sequence, checksum: bytes.sum(endingAt: bytes.count),
            fileMark: header.fileMark)
        bytes.reserveCapacity(capacity)
    }

    /// Goes on where a file ends; ``bytes`` then are those to append to it.
    init(continuing end: ChainEnd, capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
        self.end = end
    }

    /// Adds a record; where a pass ends, with the sequence up to which the file is known to be
    /// durable, `nil` for the record's own.
    mutating func append(_ entry: ArchiveEntry, synced: UInt64? = nil) {
        let start = bytes.count
        let sequence = end.sequence + 1
        bytes.appendLittleEndian(UInt32(entry.byteCount))
        bytes.append(entry.record.type.rawValue)
        bytes.append(entry.end == nil ? 0 : ArchiveFormat.endFlag)
        bytes.appendLittleEndian(UInt16(0))
        bytes.appendLittleEndian(sequence)
        if let pass = entry.end {
            bytes.appendLittleEndian(end.fileMark)
            bytes.appendLittleEndian(synced ?? sequence)
            bytes.appendLittleEndian(pass.scene)
            bytes.appendLittleEndian(pass.timestamp)
        }
        appendPayload(entry.record)
        let sum = checksum(bytes, start..<bytes.count, seed: end.checksum)
        bytes.appendLittleEndian(sum)
        end.sequence = sequence
        end.checksum = sum
    }

    private mutating func appendPayload(_ record: ArchiveRecord) {
        switch record {
        case .name(let number, let text):
            bytes.appendLittleEndian(number)
            bytes += text.utf8
        case .object(let object):
            append(object.header, outOfLineCount: object.outOfLine.count)
            for value in object.outOfLine { bytes.appendLittleEndian(value.key) }
            bytes += object.values
        case .placement(let header): append(header, outOfLineCount: 0)
        case .value(let object, let value):
            bytes.appendLittleEndian(object)
            bytes.appendLittleEndian(value.key)
            bytes += value.bytes
        case .patch(let patch):
            bytes.appendLittleEndian(patch.object)
            bytes.appendLittleEndian(patch.offset)
            bytes.appendLittleEndian(patch.removed)
            bytes += patch.bytes
        case .removal(let number): bytes.appendLittleEndian(number)
        case .nothing, .closed, .opened: break
        }
    }

    private mutating func append(_ header: ObjectHeader, outOfLineCount: Int) {
        bytes.appendLittleEndian(header.number)
        bytes.appendLittleEndian(header.parent)
        bytes.appendLittleEndian(header.classToken)
        bytes.appendLittleEndian(header.restorationClassToken)
        bytes.appendLittleEndian(header.storyboard)
        bytes.appendLittleEndian(header.storyboardIdentifier)
        bytes.append(header.kind)
        bytes.append(0)
        bytes.appendLittleEndian(UInt16(header.identifier.utf8.count))
        bytes.appendLittleEndian(UInt16(outOfLineCount))
        bytes += header.identifier.utf8
    }
}

extension ArchiveEncoder {
    /// The bytes of a whole new archive, all of which is durable before it gets its name.
    ///
    /// - Parameter source: the mark of the file that it is made from; nil: of none.
    static func whole(
        _ entries: [ArchiveEntry], bundleIdentifier: String, after sequence: UInt64,
        from source: UInt64? = nil
    ) -> ArchiveEncoder {
        let header = ArchiveHeader(
            fileID: ArchiveHeader.newID(from: source),
            publishedSequence: sequence + UInt64(entries.count), bundleIdentifier: bundleIdentifier)
        let size = ArchiveFormat.largestHeader + entries.byteCount
        var encoder = ArchiveEncoder(header: header, after: sequence, capacity: size)
        for index in entries.indices { encoder.append(entries[index]) }
        return encoder
    }
}
