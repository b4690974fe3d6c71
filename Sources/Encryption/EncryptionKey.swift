/// A secret 256-bit key for encryption at rest.
public struct EncryptionKey: Sendable {
    /// Identifier of the key, as 16 hexadecimal digits that reveal nothing about the key itself.
    public var id: String { keyIdentifier.description }

    /// Identifier of the key, as stored in the header of each file that the key encrypts.
    let keyIdentifier: KeyIdentifier
    private let secretKey: SecretKey

    /// Length of a key in bytes.
    static let byteCount = 32

    /// Creates a key from the contents of a key file.
    ///
    /// The file contains 32 bytes, or 64 hexadecimal digits with an optional newline at the end.
    ///
    /// - Throws: ``InvalidEncryptionKey`` if the bytes are not a valid key.
    public init(_ bytes: [UInt8]) throws(InvalidEncryptionKey) {
        let key = bytes.count == Self.byteCount ? bytes : try Self.key(hexadecimal: bytes)
        if key.allSatisfy({ $0 == key[0] }) { throw .allBytesEqual }
        secretKey = try SecretKey(key)
        keyIdentifier = KeyIdentifier(secretKey.derived(8, salt: [], for: "reprise key id").bytes)
    }

    /// Derives the key for a file from the sync marker in the file's header.
    func fileKey(syncMarker: [UInt8]) -> SecretKey {
        secretKey.derived(Self.byteCount, salt: syncMarker, for: "reprise file")
    }

    /// Key for values that are not stored in separate files.
    var valueKey: SecretKey { secretKey.derived(Self.byteCount, salt: [], for: "reprise value") }

    private static func key(hexadecimal bytes: [UInt8]) throws(InvalidEncryptionKey) -> [UInt8] {
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard digits.count == 2 * byteCount else { throw .wrongLength(bytes.count) }
        var digitValues: [UInt8] = []
        for digit in digits {
            guard let value = value(ofHexadecimalDigit: digit) else {
                throw .invalidDigit(position: digitValues.count + 1)
            }
            digitValues.append(value)
        }
        return stride(from: 0, to: digitValues.count, by: 2).map {
            digitValues[$0] << 4 | digitValues[$0 + 1]
        }
    }

    private static func value(ofHexadecimalDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Number that identifies a key in the header of each file that the key encrypts.
///
/// The number reveals nothing about the key.
struct KeyIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The eight bytes of the number, as stored in a file.
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number as 16 hexadecimal digits.
    var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0\(digits)" : digits
        }.joined()
    }
}

/// Encryption keys for a state directory.
public struct EncryptionKeys: Sendable {
    /// Key that encrypts new files, or `nil` if new files are not encrypted.
    package let sealingKey: EncryptionKey?
    /// Keys that can decrypt existing files.
    let decryptionKeys: [EncryptionKey]

    /// An empty set of keys. New files are not encrypted, and encrypted files cannot be read.
    public static let none = EncryptionKeys(sealing: nil)

    /// Creates the set of keys for a state directory.
    ///
    /// - Parameters:
    ///   - sealing: The key that encrypts new files, or `nil` if new files are not encrypted.
    ///   - reading: The other keys that can decrypt existing files.
    public init(sealing: EncryptionKey?, reading: [EncryptionKey] = []) {
        self.sealingKey = sealing
        decryptionKeys =
            (sealing.map { [$0] } ?? [])
            + reading.filter { $0.keyIdentifier != sealing?.keyIdentifier }
    }

    /// Identifiers of the keys. The key for new files comes first, if there is one.
    package var ids: [String] { decryptionKeys.map(\.id) }

    var isEmpty: Bool { decryptionKeys.isEmpty }

    /// Returns the key with the given identifier, or `nil` if there is no such key.
    func key(_ identifier: KeyIdentifier) -> EncryptionKey? {
        decryptionKeys.first { $0.keyIdentifier == identifier }
    }
}
