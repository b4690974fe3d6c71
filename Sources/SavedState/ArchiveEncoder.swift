/// Writes records into bytes, each with its sequence number and chained to the one before.
struct ArchiveEncoder {
    /// What was written so far.
    private(set) var bytes: [UInt8]
    /// Where the chain ends now, and the next record goes on.
    private(set) var end: ChainEnd

    /// The last link of an archive's chain of records.
    struct ChainEnd: Equatable {
        /// The sequence number of the last record.
        var sequence: UInt64
        /// Its checksum, or the header's.
        var checksum: UInt64
        /// The mark of the file that the chain is in.
        var fileMark: UInt64
    }

    /// Begins a file.
    ///
    /// - Parameter sequence: the number before that of the first record.
    init(header: ArchiveHeader, after sequence: UInt64) {
        bytes = header.encoded()
        let count = bytes.count
        var reader = LittleEndianReader(bytes, count - 8..<count)
        end = ChainEnd(
            sequence: sequence, checksum: reader.next(UInt64.self) ?? 0, fileMark: header.fileMark)
    }

    /// Goes on where a file ends; ``bytes`` then are those to append to it.
    init(continuing end: ChainEnd) {
        bytes = []
        self.end = end
    }

    /// Adds a record.
    ///
    /// - Parameter synced: for the end of a pass, the sequence up to which the file is known to be
    ///   durable when the record is published; `nil` for the record's own.
    mutating func append(_ record: ArchiveRecord, synced: UInt64? = nil) {
        let start = bytes.count
        let sequence = end.sequence + 1
        bytes.appendLittleEndian(UInt32(0))
        bytes.append(record.type.rawValue)
        bytes.append(record.type == .passEnd ? ArchiveFormat.endFlag : 0)
        bytes.appendLittleEndian(UInt16(0))
        bytes.appendLittleEndian(sequence)
        appendPayload(record, synced: synced ?? sequence)
        let length = UInt32(bytes.count - start + 8)
        withUnsafeBytes(of: length.littleEndian) { raw in
            bytes.replaceSubrange(start..<start + 4, with: raw)
        }
        let sum = checksum(bytes, start..<bytes.count, seed: end.checksum)
        bytes.appendLittleEndian(sum)
        end.sequence = sequence
        end.checksum = sum
    }

    private mutating func appendPayload(_ record: ArchiveRecord, synced: UInt64) {
        switch record {
        case .name(let number, let text):
            bytes.appendLittleEndian(number)
            bytes += text.utf8
        case .object(let object):
            append(object.header)
            bytes += object.values
        case .placement(let header):
            append(header)
        case .removal(let number):
            bytes.appendLittleEndian(number)
        case .passEnd(let stamp):
            bytes.appendLittleEndian(stamp.scene)
            bytes.appendLittleEndian(UInt32(0))
            bytes.appendLittleEndian(stamp.timestamp)
            bytes.appendLittleEndian(synced)
            bytes.appendLittleEndian(end.fileMark)
        case .closed, .opened:
            break
        }
    }

    private mutating func append(_ header: ObjectHeader) {
        bytes.appendLittleEndian(header.number)
        bytes.appendLittleEndian(header.parent)
        for name in header.nameNumbers { bytes.appendLittleEndian(name) }
        bytes.append(header.kind)
        bytes.append(0)
        bytes.appendLittleEndian(UInt16(header.identifier.utf8.count))
        bytes += header.identifier.utf8
    }
}

extension ArchiveRecord {
    var type: ArchiveFormat.RecordType {
        switch self {
        case .name: .name
        case .object: .object
        case .placement: .placement
        case .removal: .removal
        case .passEnd: .passEnd
        case .closed: .closed
        case .opened: .opened
        }
    }
}
