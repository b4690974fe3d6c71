/// A key for encryption at rest: 256 bits that only their owner knows.
public struct EncryptionKey: Sendable {
    /// What tells this key from others, without telling anything of it: 16 hexadecimal digits.
    public var id: String { number.description }

    let number: KeyNumber
    private let material: SecretKey

    /// The bytes of a key.
    static let byteCount = 32

    /// Reads a key as it stands in a file: 32 bytes, or 64 hexadecimal digits with or without a
    /// newline behind them.
    public init(_ bytes: [UInt8]) throws(InvalidEncryptionKey) {
        let key = bytes.count == Self.byteCount ? bytes : try Self.key(hexadecimal: bytes)
        if key.allSatisfy({ $0 == key[0] }) { throw .uniform }
        material = try SecretKey(key)
        number = KeyNumber(material.derived(8, salt: [], for: "reprise key id").bytes)
    }

    /// The key of one file, from the file's mark.
    func fileKey(mark: [UInt8]) -> SecretKey {
        material.derived(Self.byteCount, salt: mark, for: "reprise file")
    }

    /// The key of values that lie elsewhere than in files.
    var valueKey: SecretKey { material.derived(Self.byteCount, salt: [], for: "reprise value") }

    private static func key(hexadecimal bytes: [UInt8]) throws(InvalidEncryptionKey) -> [UInt8] {
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard digits.count == 2 * byteCount else { throw .wrongLength(bytes.count) }
        var values: [UInt8] = []
        for digit in digits {
            guard let value = value(digit) else { throw .noDigit(place: values.count + 1) }
            values.append(value)
        }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
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
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum InvalidEncryptionKey: Error, Sendable, Equatable, CustomStringConvertible {
    /// Neither the bytes nor the digits of one: there are so many bytes.
    case wrongLength(Int)
    /// There are as many as 64 digits, and this one, counted from 1, is none.
    case noDigit(place: Int)
    /// All bytes are the same.
    case uniform
    /// The program was built without the package's trait `Encryption`.
    case notBuilt

    /// A clause that follows the name of what was read.
    public var description: String {
        let problem =
            switch self {
            case .wrongLength(let count) where count > 100:
                "has \(count) bytes and is not a key; if systemd-creds encrypted it, give it by "
                    + "LoadCredentialEncrypted="
            case .wrongLength(let count): "has \(count) bytes and is not a key"
            case .noDigit(let place):
                "is not a key: its character \(place) is not a hexadecimal digit"
            case .uniform: "repeats one byte, which is not a key"
            case .notBuilt:
                "cannot be used, because the program was built without the trait Encryption of its "
                    + "package"
            }
        return """
            \(problem); a key is 32 bytes, or 64 hexadecimal digits, and if something is encrypted \
            already it is the one that this was encrypted with
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
