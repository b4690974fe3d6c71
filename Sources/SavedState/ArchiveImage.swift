/// What is known of one archive after it was loaded: the newest state, and what the file holds.
final class ArchiveImage {
    /// The newest state, saved or not.
    var store: ObjectStore
    /// The highest sequence number used so far; never goes back.
    var sequence: UInt64
    /// Where the file's chain ends; `nil` if there is no file, or what it holds is not certain.
    var end: ArchiveEncoder.ChainEnd?
    /// Whether the file ends in an orderly stop.
    var closed = false
    /// Whether the file lacks something that it should hold.
    var pending = false
    /// A generation that has to be made before anything is written.
    var owedGeneration: OwedGeneration?
    /// A file with a torn end, to be copied to quarantine before it is replaced.
    var torn: (bytes: [UInt8], tail: TornTail)?

    /// Whether it is certain that there is a file, and what it holds.
    var hasFile: Bool { end != nil || torn != nil }

    /// The image of no file.
    init() {
        store = ObjectStore()
        sequence = 0
    }

    /// The image of a file.
    init(_ prefix: ArchiveReader.Prefix) {
        store = prefix.store
        sequence = prefix.end.sequence
        end = prefix.end
        closed = prefix.closed
    }

    /// Takes the passes of a turn, each whole, up to the first that is malformed.
    func take(_ turn: TurnRecords) throws(MalformedPass) {
        var pass: [ArchiveRecord] = []
        for record in turn.records {
            guard case .passEnd(let stamp) = record else {
                pass.append(record)
                continue
            }
            try store.check(pass, stamp)
            store.merge(pass, stamp)
            pending = true
            pass.removeAll(keepingCapacity: true)
        }
        if !pass.isEmpty { throw MalformedPass("the last pass of a turn has no stamp") }
    }

    /// The bytes of a whole new archive of these records, and where its chain ends.
    ///
    /// The image's own sequence goes on with them, whether they are then written or not.
    func encodeWhole(
        _ records: [ArchiveRecord], bundleIdentifier: String
    ) -> (bytes: [UInt8], end: ArchiveEncoder.ChainEnd) {
        var generator = SystemRandomNumberGenerator()
        let fileID = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let header = ArchiveHeader(
            fileID: fileID, publishedSequence: sequence + UInt64(records.count),
            bundleIdentifier: bundleIdentifier)
        var encoder = ArchiveEncoder(header: header, after: sequence)
        for record in records { encoder.append(record) }
        sequence = encoder.end.sequence
        return (encoder.bytes, encoder.end)
    }
}

extension ArchiveRecord {
    /// An upper bound of the record's length in a file, in bytes.
    var mostBytes: Int {
        switch self {
        case .name(_, let text): ArchiveFormat.smallestRecord + 4 + text.utf8.count
        case .object(let object):
            ArchiveFormat.smallestRecord + ArchiveFormat.objectPrefix
                + object.header.identifier.utf8.count + object.values.count
        case .placement(let header):
            ArchiveFormat.smallestRecord + ArchiveFormat.objectPrefix
                + header.identifier.utf8.count
        case .removal, .passEnd, .closed, .opened: ArchiveFormat.passEndLength
        }
    }
}
