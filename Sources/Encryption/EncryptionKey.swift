import Crypto
import FoundationEssentials

/// A key for encryption at rest: 256 bits that only their owner knows.
public struct EncryptionKey: Sendable {
    /// What tells this key from others, without telling anything of it: 16 hexadecimal digits.
    public var id: String { number.description }

    let number: KeyNumber
    private let material: SymmetricKey

    /// The bytes of a key.
    static let byteCount = 32

    /// Reads a key as it stands in a file: 32 bytes, or 64 hexadecimal digits with or without a
    /// newline behind them.
    public init(_ bytes: [UInt8]) throws(InvalidEncryptionKey) {
        guard let key = Self.key(bytes) ?? Self.key(hexadecimal: bytes) else {
            throw InvalidEncryptionKey(byteCount: bytes.count)
        }
        if key.allSatisfy({ $0 == key[0] }) { throw InvalidEncryptionKey(byteCount: nil) }
        material = SymmetricKey(data: key)
        let number = Self.derive(8, from: material, salt: [], "reprise key id")
        self.number = KeyNumber(number.withUnsafeBytes { Array($0) })
    }

    /// The key of one file, from the file's mark.
    func fileKey(mark: [UInt8]) -> SymmetricKey {
        Self.derive(Self.byteCount, from: material, salt: mark, "reprise file")
    }

    /// HKDF with SHA-256, see RFC 5869.
    private static func derive(
        _ count: Int, from key: SymmetricKey, salt: [UInt8], _ purpose: String
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: salt, info: Array(purpose.utf8), outputByteCount: count)
    }

    private static func key(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.count == byteCount ? bytes : nil
    }

    private static func key(hexadecimal bytes: [UInt8]) -> [UInt8]? {
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard digits.count == 2 * byteCount else { return nil }
        var key: [UInt8] = []
        var rest = digits
        while let high = rest.popFirst(), let low = rest.popFirst() {
            guard let high = value(high), let low = value(low) else { return nil }
            key.append(high << 4 | low)
        }
        return key
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Why bytes are no key.
public struct InvalidEncryptionKey: Error, Sendable, Equatable, CustomStringConvertible {
    /// How many bytes there are; nil: enough, but all of them are the same.
    let byteCount: Int?

    /// A clause that follows the name of what was read.
    public var description: String {
        let found =
            byteCount.map { "has \($0) bytes and is no key" }
            ?? "has the same byte again and again, which is no key"
        return """
            \(found); write 32 random bytes, or 64 hexadecimal digits, as `openssl rand 32` and \
            `openssl rand -hex 32` make them
            """
    }
}

/// The number by which a file names the key that it is sealed with; it tells nothing of the key.
struct KeyNumber: Sendable, Hashable, CustomStringConvertible {
    /// The eight bytes as they stand in a file.
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// 16 hexadecimal digits.
    var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0\(digits)" : digits
        }.joined()
    }
}

/// The keys of a state directory.
public struct EncryptionKeys: Sendable {
    /// The key that everything new is sealed with; nil: it is written as it is.
    package let sealing: EncryptionKey?
    /// The keys by which what is there can be read.
    let all: [EncryptionKey]

    /// Nothing is sealed, and nothing that is can be read.
    public static let none = EncryptionKeys(sealing: nil)

    /// The keys of a state directory.
    ///
    /// - Parameters:
    ///   - sealing: the key that everything new is sealed with; nil: it is written as it is.
    ///   - reading: keys by which what was sealed before can be read as well.
    public init(sealing: EncryptionKey?, reading: [EncryptionKey] = []) {
        self.sealing = sealing
        all = (sealing.map { [$0] } ?? []) + reading.filter { $0.number != sealing?.number }
    }

    /// What tells the keys from others, the one that seals first.
    package var ids: [String] { all.map(\.id) }

    var isEmpty: Bool { all.isEmpty }

    func key(_ number: KeyNumber) -> EncryptionKey? { all.first { $0.number == number } }
}
