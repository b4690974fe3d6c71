/// Where the records of a file begin, and the chain with them.
struct ArchiveStart: Sendable {
    var header: ArchiveHeader
    /// The header's length in bytes.
    var length: Int
    /// The header's checksum, with which the chain begins.
    var checksum: UInt64
    /// Whether the header is as it was written.
    var isIntact = true

    /// The mark that each end of a pass has to repeat; nil if nobody knows.
    var fileMark: UInt64? { isIntact ? header.fileMark : nil }
}

extension ArchiveStart {
    /// What a damaged header was, going by the first record that follows it; nil if none does.
    init?(guessing bytes: [UInt8]) {
        var body = LittleEndianReader(bytes, 0..<bytes.count)
        guard body.next(byteCount: 12) != nil, let stated = body.next(UInt32.self),
            let fileID = body.next(byteCount: 16), let published = body.next(UInt64.self),
            let count = body.next(UInt16.self)
        else { return nil }
        let identifier = body.next(byteCount: Int(count)).map {
            String(decoding: $0, as: UTF8.self)
        }
        let header = ArchiveHeader(
            fileID: Array(fileID), publishedSequence: published, bundleIdentifier: identifier ?? "")
        for length in [Int(stated), ArchiveHeader.length(identifierCount: Int(count))] {
            guard let checksum = Self.seed(of: bytes, length: length) else { continue }
            self.init(header: header, length: length, checksum: checksum, isIntact: false)
            return
        }
        return nil
    }

    /// The checksum of a header of that length that a record follows: the one that stands there,
    /// or, if only that is damaged, the right one.
    private static func seed(of bytes: [UInt8], length: Int) -> UInt64? {
        guard length >= ArchiveHeader.length(identifierCount: 0),
            length <= ArchiveFormat.largestHeader, length <= bytes.count
        else { return nil }
        let parser = RecordParser(bytes: bytes, fileMark: nil)
        let right = SavedState.checksum(bytes, 0..<length - 8)
        return [bytes.sum(endingAt: length), right].first {
            parser.isRecord(at: length, seed: $0)
        }
    }
}
