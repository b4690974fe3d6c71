/// Header of an encrypted file. It contains the key's identifier and the file's sync marker.
struct SealedHeader: Sendable, Equatable {
    /// First eight bytes of the file: a non-ASCII byte, a name, and line endings that would be changed if the file were
    /// transferred as text.
    static let magic: [UInt8] = [0x8A, 0x53, 0x45, 0x41, 0x4C, 0x0D, 0x0A, 0x1A]
    /// Format version of new files, which is also the newest version that can be read.
    static let version: UInt32 = 1
    /// Length of the header in bytes: magic, version, length, key identifier, sync marker and checksum.
    static let byteCount = 40

    /// Identifier of the key that encrypts the file.
    var keyIdentifier: KeyIdentifier
    /// Eight random bytes that are different for each file.
    ///
    /// The file's key is derived from them, and each frame begins with them.
    var syncMarker: [UInt8]

    /// Result of reading the first bytes of a file.
    enum ParseResult {
        case header(SealedHeader)
        /// Intact header of an unknown newer version.
        case newer(version: UInt32)
        /// Damaged header of an encrypted file.
        case damaged
        /// No header, which means that the file is not encrypted or that its start is damaged.
        case noHeader
    }

    /// Encodes the header.
    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.appendLittleEndian(Self.version)
        bytes.appendLittleEndian(UInt32(Self.byteCount))
        bytes += keyIdentifier.bytes
        bytes += syncMarker
        return bytes + Self.checksum(bytes)
    }

    /// Reads a header.
    ///
    /// The magic bytes, version, length and checksum are at the same offsets in every version.
    static func parse(_ bytes: [UInt8]) -> ParseResult {
        guard bytes.starts(with: magic) else { return .noHeader }
        guard bytes.count >= byteCount else { return .damaged }
        guard Array(bytes[32..<40]) == checksum(Array(bytes[..<32])) else { return .damaged }
        let version = bytes.littleEndian(UInt32.self, at: 8)
        if version != self.version { return .newer(version: version) }
        return .header(
            SealedHeader(
                keyIdentifier: KeyIdentifier(Array(bytes[16..<24])),
                syncMarker: Array(bytes[24..<32])))
    }

    /// Returns the first eight bytes of the SHA-256 digest of the given bytes.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Array(SecretKey.digest(bytes).prefix(8))
    }
}

/// Missing key or program version that is needed to read an encrypted file.
package enum DecryptionRequirement: Sendable, Equatable, CustomStringConvertible {
    /// The key with this identifier.
    case key(id: String)
    /// A key that cannot be identified, because the start of the file is damaged.
    case unknownKey
    /// A program that supports this version of encrypted files.
    case version(UInt32)

    /// Noun phrase for the missing key or program, for use after the word "without" in messages.
    package var description: String {
        switch self {
        case .key(let id): "the key \(id)"
        case .unknownKey: "a key"
        case .version(let version): "a program that supports version \(version) of encrypted files"
        }
    }
}

extension [UInt8] {
    mutating func appendLittleEndian(_ number: UInt32) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Returns the little-endian number at an offset.
    ///
    /// The array must contain all bytes of the number.
    func littleEndian<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
        withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }
}
