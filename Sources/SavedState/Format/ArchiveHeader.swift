import ExactText
import StateRecords

/// The start of an archive: whose it is, and up to where it was durable when it got its name.
package struct ArchiveHeader: Sendable, Equatable {
    /// 16 bytes, new for each file that is written whole: a random mark, and that of the file that
    /// it was made from, or another random one.
    package var fileID: [UInt8]
    /// The sequence number of the last record that was synced before the file got its name.
    package var publishedSequence: UInt64
    /// The application's bundle identifier.
    package var bundleIdentifier: String

    /// The mark of this file that each pass end repeats: the first half of the file id.
    var fileMark: UInt64 {
        var reader = LittleEndianReader(fileID, 0..<fileID.count)
        return reader.next(UInt64.self) ?? 0
    }

    /// The mark of the file that this one was made from, if it was made from one.
    var source: UInt64 {
        var reader = LittleEndianReader(fileID, min(8, fileID.count)..<fileID.count)
        return reader.next(UInt64.self) ?? 0
    }

    /// The id of a new file, from the mark of the one that it is made from; nil: of none.
    static func newID(from source: UInt64?) -> [UInt8] {
        var id: [UInt8] = []
        id.appendLittleEndian(UInt64.random(in: .min ... .max))
        id.appendLittleEndian(source ?? UInt64.random(in: .min ... .max))
        return id
    }

    /// The length of a header in bytes, its checksum included, by that of the bundle identifier.
    static func length(identifierCount: Int) -> Int {
        (ArchiveFormat.fixedHeader + identifierCount + 7) / 8 * 8 + 8
    }

    /// The header's bytes; the last eight are their checksum, with which the chain begins.
    func encoded() -> [UInt8] {
        let identifier = Array(bundleIdentifier.utf8)
        let length = Self.length(identifierCount: identifier.count)
        var bytes = ArchiveFormat.magic
        bytes.reserveCapacity(length)
        bytes.appendLittleEndian(ArchiveFormat.version)
        bytes.appendLittleEndian(UInt32(length))
        bytes += fileID
        bytes.appendLittleEndian(publishedSequence)
        bytes.appendLittleEndian(UInt16(identifier.count))
        bytes += identifier
        bytes += [UInt8](repeating: 0, count: length - 8 - bytes.count)
        bytes.appendLittleEndian(checksum(bytes))
        return bytes
    }
}

extension ArchiveHeader {
    /// The header that a file begins with; nil if it is damaged, or of a newer version.
    init?(_ bytes: [UInt8]) {
        guard case .header(let start) = Self.parse(bytes) else { return nil }
        self = start.header
    }

    /// What the first bytes of a file turn out to be.
    enum Parsed {
        case header(ArchiveStart)
        /// An intact header of a version that is not known here.
        case newer(version: UInt32)
        case invalid(reason: String)
    }

    /// Reads a header; magic, version, length and checksum stand alike in every version.
    static func parse(_ bytes: [UInt8]) -> Parsed {
        if bytes.isEmpty { return .invalid(reason: "the file is empty") }
        var reader = LittleEndianReader(bytes, 0..<bytes.count)
        guard let magic = reader.next(byteCount: 8), magic.elementsEqual(ArchiveFormat.magic) else {
            return .invalid(
                reason: bytes.prefix(8).allSatisfy { $0 == 0 }
                    ? "its first bytes are zeros" : "it does not begin like an archive")
        }
        guard let version = reader.next(UInt32.self), let length = reader.next(UInt32.self),
            length >= 24, length <= ArchiveFormat.largestHeader, length <= bytes.count
        else { return .invalid(reason: "its header is cut off or has an impossible length") }
        let end = Int(length) - 8
        let sum = checksum(bytes, 0..<end, seed: 0)
        guard bytes.sum(endingAt: end + 8) == sum else {
            return .invalid(reason: "the checksum of its header is wrong")
        }
        if version > ArchiveFormat.version { return .newer(version: version) }
        if version < 1 { return .invalid(reason: "its format version is 0") }
        var body = LittleEndianReader(bytes, reader.offset..<end)
        guard let fileID = body.next(byteCount: 16), let published = body.next(UInt64.self),
            let count = body.next(UInt16.self), let raw = body.next(byteCount: Int(count)),
            let identifier = String(validating: raw, as: UTF8.self)
        else { return .invalid(reason: "its header has no readable bundle identifier") }
        let padding = body.rest()
        guard padding.count < 8, padding.allSatisfy({ $0 == 0 }) else {
            return .invalid(reason: "its header is padded wrongly")
        }
        guard published <= ArchiveFormat.highestSequence else {
            return .invalid(reason: "its header has a sequence that is too high")
        }
        let header = ArchiveHeader(
            fileID: Array(fileID), publishedSequence: published, bundleIdentifier: identifier)
        return .header(ArchiveStart(header: header, length: Int(length), checksum: sum))
    }
}

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
