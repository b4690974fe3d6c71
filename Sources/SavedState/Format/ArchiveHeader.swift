import ExactText
import StateRecords

/// Header of an archive.
///
/// The header identifies the file, its application, and the last record that was durable before the file was given its
/// final name.
package struct ArchiveHeader: Sendable, Equatable {
    /// Unique identifier of the file, 16 bytes long.
    ///
    /// The first half, called the file mark, is random. The second half is the file mark of the file from which this
    /// file was made, or a random number if there is no such file.
    package var fileID: [UInt8]
    /// Sequence number of the last record that was synced before the file was renamed to its final name.
    package var publishedSequence: UInt64
    /// Bundle identifier of the application.
    package var bundleIdentifier: String

    /// File mark: the first half of the file identifier. Each pass end repeats the file mark.
    var fileMark: UInt64 {
        var reader = LittleEndianReader(fileID, 0..<fileID.count)
        return reader.next(UInt64.self) ?? 0
    }

    /// File mark of the file from which this file was made, or a random number.
    var sourceFileMark: UInt64 {
        var reader = LittleEndianReader(fileID, min(8, fileID.count)..<fileID.count)
        return reader.next(UInt64.self) ?? 0
    }

    /// Returns an identifier for a new file.
    ///
    /// - Parameter sourceFileMark: Mark of the file that the new file continues, or `nil` if there is no such file.
    static func makeFileID(from sourceFileMark: UInt64?) -> [UInt8] {
        var id: [UInt8] = []
        id.appendLittleEndian(UInt64.random(in: .min ... .max))
        id.appendLittleEndian(sourceFileMark ?? UInt64.random(in: .min ... .max))
        return id
    }

    /// Returns the length of a header in bytes, including its checksum.
    ///
    /// - Parameter identifierByteCount: Length of the bundle identifier in bytes.
    static func length(identifierByteCount: Int) -> Int {
        (ArchiveFormat.fixedHeaderByteCount + identifierByteCount + 7) / 8 * 8 + 8
    }

    /// Encodes the header. The last eight bytes are its checksum, which starts the chain of records.
    func encoded() -> [UInt8] {
        let identifier = Array(bundleIdentifier.utf8)
        let length = Self.length(identifierByteCount: identifier.count)
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
    /// Reads a file's header, or returns `nil` if the header is damaged or has a newer version.
    init?(_ bytes: [UInt8]) {
        guard case .header(let start) = Self.parse(bytes) else { return nil }
        self = start.header
    }

    /// Result of parsing a header.
    enum ParseResult {
        case header(ArchiveStart)
        /// Intact header with a newer, unknown version.
        case newer(version: UInt32)
        case invalid(reason: String)
    }

    /// Reads a header. The magic, version, length and checksum have the same positions in every version.
    static func parse(_ bytes: [UInt8]) -> ParseResult {
        if bytes.isEmpty { return .invalid(reason: "the file is empty") }
        var reader = LittleEndianReader(bytes, 0..<bytes.count)
        guard let magic = reader.next(byteCount: 8), magic.elementsEqual(ArchiveFormat.magic) else {
            return .invalid(
                reason: bytes.prefix(8).allSatisfy { $0 == 0 }
                    ? "its first bytes are zeros" : "it does not begin like an archive")
        }
        guard let version = reader.next(UInt32.self), let length = reader.next(UInt32.self),
            length >= 24, length <= ArchiveFormat.maximumHeaderBytes, length <= bytes.count
        else { return .invalid(reason: "its header is truncated or has an invalid length") }
        let end = Int(length) - 8
        let headerChecksum = checksum(bytes, 0..<end, seed: 0)
        guard bytes.storedChecksum(endingAt: end + 8) == headerChecksum else {
            return .invalid(reason: "the checksum of its header is wrong")
        }
        if version > ArchiveFormat.version { return .newer(version: version) }
        if version < 1 { return .invalid(reason: "its format version is 0") }
        var body = LittleEndianReader(bytes, reader.offset..<end)
        guard let fileID = body.next(byteCount: 16), let publishedSequence = body.next(UInt64.self),
            let count = body.next(UInt16.self),
            let identifierBytes = body.next(byteCount: Int(count)),
            let identifier = String(validating: identifierBytes, as: UTF8.self)
        else { return .invalid(reason: "its header has no readable bundle identifier") }
        let padding = body.readRemainingBytes()
        guard padding.count < 8, padding.allSatisfy({ $0 == 0 }) else {
            return .invalid(reason: "the padding of its header is invalid")
        }
        guard publishedSequence <= ArchiveFormat.highestSequence else {
            return .invalid(reason: "a sequence number in its header is too high")
        }
        let header = ArchiveHeader(
            fileID: Array(fileID), publishedSequence: publishedSequence,
            bundleIdentifier: identifier)
        return .header(
            ArchiveStart(header: header, headerByteCount: Int(length), checksum: headerChecksum))
    }
}

/// Header of a file, and the start of the file's chain of records.
struct ArchiveStart: Sendable {
    var header: ArchiveHeader
    /// Length of the header in bytes.
    var headerByteCount: Int
    /// Checksum of the header. It starts the chain of records.
    var checksum: UInt64
    /// Whether the header is undamaged.
    var isIntact = true

    /// File mark that each pass end must repeat, or `nil` if the file mark is unknown.
    var fileMark: UInt64? { isIntact ? header.fileMark : nil }
}

extension ArchiveStart {
    /// Reconstructs a damaged header as far as possible, or returns `nil` if no record follows it.
    init?(reconstructing bytes: [UInt8]) {
        var body = LittleEndianReader(bytes, 0..<bytes.count)
        guard body.next(byteCount: 12) != nil, let storedLength = body.next(UInt32.self),
            let fileID = body.next(byteCount: 16), let publishedSequence = body.next(UInt64.self),
            let count = body.next(UInt16.self)
        else { return nil }
        let identifier = body.next(byteCount: Int(count)).map {
            String(decoding: $0, as: UTF8.self)
        }
        let header = ArchiveHeader(
            fileID: Array(fileID), publishedSequence: publishedSequence,
            bundleIdentifier: identifier ?? "")
        for length in [Int(storedLength), ArchiveHeader.length(identifierByteCount: Int(count))] {
            guard let checksum = Self.seed(of: bytes, length: length) else { continue }
            self.init(header: header, headerByteCount: length, checksum: checksum, isIntact: false)
            return
        }
        return nil
    }

    /// Returns the checksum of a header with this length, or `nil` if no record follows the header.
    ///
    /// The result is the stored checksum or, if only the stored checksum is damaged, the correct checksum.
    private static func seed(of bytes: [UInt8], length: Int) -> UInt64? {
        guard length >= ArchiveHeader.length(identifierByteCount: 0),
            length <= ArchiveFormat.maximumHeaderBytes, length <= bytes.count
        else { return nil }
        let parser = RecordParser(bytes: bytes, fileMark: nil)
        let correctChecksum = SavedState.checksum(bytes, 0..<length - 8)
        return [bytes.storedChecksum(endingAt: length), correctChecksum].first {
            parser.isRecord(at: length, seed: $0)
        }
    }
}
