/// The start of an archive: whose it is, and up to where it was durable when it got its name.
package struct ArchiveHeader: Sendable, Equatable {
    /// 16 bytes, new for each file that is written whole: a random mark, and that of the file that it
    /// was made from, or another random one.
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

    /// The id of a new file.
    ///
    /// - Parameter source: the mark of the file that it is made from; nil: of none.
    static func newID(from source: UInt64?) -> [UInt8] {
        var id: [UInt8] = []
        id.appendLittleEndian(UInt64.random(in: .min ... .max))
        id.appendLittleEndian(source ?? UInt64.random(in: .min ... .max))
        return id
    }

    /// The length of a header in bytes, its checksum included.
    ///
    /// - Parameter identifierCount: the bytes of the bundle identifier.
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
        bytes.appendLittleEndian(checksum(bytes, 0..<bytes.count, seed: 0))
        return bytes
    }
}
