extension ArchiveHeader {
    /// What the first bytes of a file turn out to be.
    enum Parsed: Equatable {
        case header(ArchiveHeader, length: Int, checksum: UInt64)
        /// An intact header of a version that is not known here.
        case newer(version: UInt32)
        case invalid(reason: String)
    }

    /// Reads a header; magic, version, length and checksum stand alike in every version.
    static func parse(_ bytes: [UInt8]) -> Parsed {
        if bytes.isEmpty { return .invalid(reason: "the file is empty") }
        var reader = LittleEndianReader(bytes, 0..<bytes.count)
        guard let magic = reader.next(byteCount: 8), magic.elementsEqual(ArchiveFormat.magic) else {
            return .invalid(reason: "it does not begin like an archive")
        }
        guard let version = reader.next(UInt32.self), let length = reader.next(UInt32.self),
            length >= 24, length <= ArchiveFormat.largestHeader, length <= bytes.count
        else {
            return .invalid(reason: "its header is cut off or has an impossible length")
        }
        let end = Int(length) - 8
        let sum = checksum(bytes, 0..<end, seed: 0)
        var trailer = LittleEndianReader(bytes, end..<end + 8)
        guard trailer.next(UInt64.self) == sum else {
            return .invalid(reason: "the checksum of its header is wrong")
        }
        if version > ArchiveFormat.version { return .newer(version: version) }
        if version < 1 { return .invalid(reason: "its format version is 0") }
        var body = LittleEndianReader(bytes, reader.offset..<end)
        guard let fileID = body.next(byteCount: 16), let published = body.next(UInt64.self),
            let count = body.next(UInt16.self), let raw = body.next(byteCount: Int(count)),
            let identifier = String(validating: raw, as: UTF8.self)
        else {
            return .invalid(reason: "its header has no readable bundle identifier")
        }
        let padding = body.rest()
        guard padding.count < 8, padding.allSatisfy({ $0 == 0 }) else {
            return .invalid(reason: "its header is padded wrongly")
        }
        let header = ArchiveHeader(
            fileID: Array(fileID), publishedSequence: published, bundleIdentifier: identifier)
        return .header(header, length: Int(length), checksum: sum)
    }
}
