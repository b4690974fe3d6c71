/// The start of a sealed file: by which key it can be read, and the file's mark.
struct SealedHeader: Sendable, Equatable {
    /// The first eight bytes: a letter above ASCII, the name, and a line end that text transfers
    /// would change.
    static let magic: [UInt8] = [0x8A, 0x53, 0x45, 0x41, 0x4C, 0x0D, 0x0A, 0x1A]
    /// The version written, and the newest one read.
    static let version: UInt32 = 1
    /// Magic, version, length, key, mark and checksum, in bytes.
    static let byteCount = 40

    /// The key that the file is sealed with.
    var key: KeyNumber
    /// Eight random bytes, new for each file, from which its own key is derived.
    var mark: [UInt8]

    /// What the first bytes of a file turn out to be.
    enum Parsed {
        case header(SealedHeader)
        /// An intact header of a version that is not known here.
        case newer(version: UInt32)
        /// A sealed file's, which are not as they were written.
        case broken
        /// They are no header's: the file is not sealed, unless its start is damaged.
        case none
    }

    /// The header's bytes.
    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.appendLittleEndian(Self.version)
        bytes.appendLittleEndian(UInt32(Self.byteCount))
        bytes += key.bytes
        bytes += mark
        return bytes + Self.checksum(bytes)
    }

    /// Reads a header; magic, version, length and checksum stand alike in every version.
    static func parse(_ bytes: [UInt8]) -> Parsed {
        guard bytes.starts(with: magic) else { return .none }
        guard bytes.count >= byteCount else { return .broken }
        guard Array(bytes[32..<40]) == checksum(Array(bytes[..<32])) else { return .broken }
        let version = bytes.littleEndian(UInt32.self, at: 8)
        if version != self.version { return .newer(version: version) }
        return .header(
            SealedHeader(key: KeyNumber(Array(bytes[16..<24])), mark: Array(bytes[24..<32])))
    }

    /// The first eight bytes of the SHA-256 of everything before them.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Array(SecretKey.digest(bytes).prefix(8))
    }
}

/// What a sealed file needs to be read that is not here.
package enum SealedFileLack: Sendable, Equatable, CustomStringConvertible {
    /// The key of this number.
    case key(id: String)
    /// A key; the file's start is damaged and does not tell which.
    case someKey
    /// A program that knows this version of sealed files.
    case version(UInt32)

    /// What follows "without".
    package var description: String {
        switch self {
        case .key(let id): "the key \(id)"
        case .someKey: "a key"
        case .version(let version): "a program that knows version \(version) of encrypted files"
        }
    }
}

extension [UInt8] {
    mutating func appendLittleEndian(_ number: UInt32) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// The number that stands at an offset, where there are bytes for it.
    func littleEndian<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
        withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }
}
