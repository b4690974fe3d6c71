import Encryption
import ExactText
import FoundationEssentials

/// Part of an application's state as stored under one key: a header line that describes the value, followed by bytes.
///
/// If there are more than ``maximumBytes`` bytes, they are split into pieces. All pieces except the last are stored
/// first, under the keys `KEY/EPOCH-NUMBER/00000000` and so on. The value becomes valid when the last piece has been
/// stored under the value's own key.
struct ReplicatedValue {
    /// Header line of a value, encoded as JSON.
    struct Header: Codable, Equatable, Sendable {
        /// Name of the host that wrote the value.
        var host: String
        /// Epoch in which the value was written, which is the revision at which the host became the owner.
        var epoch: UInt64
        /// Sequence number of the last record in the batch that contains the value, or 0 if the batch contains no
        /// records.
        var turn: UInt64
        /// Number of the write within the epoch.
        var number: Int
        /// Number of pieces stored under their own keys.
        var parts = 0
        /// Identifier of the key that encrypts the bytes, or `nil` if they are not encrypted.
        var sealed: String?

        private enum CodingKeys: String, CodingKey {
            case host
            case epoch = "term"
            case turn, number, parts, sealed
        }

        /// Whether the numbers are in the ranges that a host would write.
        ///
        /// The number of the write must not be negative, and it must be possible to increment it. The number of pieces
        /// must not exceed the number for a value of 512 GiB.
        var isValid: Bool { (0..<1 << 62).contains(number) && (0...1 << 20).contains(parts) }

        /// Returns the prefix of the pieces' keys.
        func piecePrefix(of key: String) -> String {
            "\(key)/\(hexadecimal(epoch))-\(hexadecimal(UInt64(number), 8))/"
        }
    }

    /// Maximum number of bytes stored under one key.
    ///
    /// etcd servers limit a request to 1.5 MiB by default.
    static let maximumBytes = 512 << 10

    let header: Header
    /// Decrypted bytes of the value without its header.
    let bytes: ArraySlice<UInt8>

    /// Returns the keys and values that store the given bytes, in the order in which they must be written.
    ///
    /// The stored value becomes valid when the last key has been written.
    ///
    /// - Parameter keys: The keys that encrypt the bytes, if encryption is configured.
    static func makeEntries(
        _ key: String, _ bytes: [UInt8], by header: Header, sealedBy keys: EncryptionKeys
    ) -> [(key: String, value: [UInt8])] {
        var header = header
        header.parts = max(0, (bytes.count - 1) / maximumBytes)
        return (0...header.parts).map { number in
            let pieceStart = number * maximumBytes
            let piece = bytes[pieceStart..<min(pieceStart + maximumBytes, bytes.count)]
            let pieceKey =
                number == header.parts
                ? key : header.piecePrefix(of: key) + hexadecimal(UInt64(number), 8)
            let sealedPiece = keys.seal(piece, at: pieceKey)
            header.sealed = sealedPiece?.keyID
            return (pieceKey, encode(header) + (sealedPiece?.bytes ?? Array(piece)))
        }
    }

    /// Returns whether a key, given without its prefix, belongs to a piece.
    static func isPiece(_ key: String) -> Bool {
        let digits = key.utf8.suffix(8)
        return key.utf8.count > 9 && key.utf8.dropLast(8).last == UInt8(ascii: "/")
            && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Parses a key's value.
    ///
    /// - Throws: ``UnreadableValue`` if the value cannot be used.
    init(_ value: [UInt8], at key: String, sealedBy keys: EncryptionKeys) throws(UnreadableValue) {
        guard let headerEnd = value.prefix(1024).firstIndex(of: UInt8(ascii: "\n")) else {
            throw UnreadableValue(reason: "it was not written by Reprise")
        }
        do {
            header = try JSONDecoder().decode(Header.self, from: Data(value[..<headerEnd]))
        } catch {
            throw UnreadableValue(reason: "it was not written by Reprise")
        }
        guard header.isValid else {
            throw UnreadableValue(reason: "its first line has a number out of range")
        }
        let payload = value[(headerEnd + 1)...]
        guard let keyID = header.sealed else {
            bytes = payload
            return
        }
        guard keys.hasKey(withID: keyID) else {
            throw UnreadableValue(
                reason:
                    "it is encrypted with the key \(keyID), which this host does not have: give every "
                    + "host of the cluster the same credential reprise.key")
        }
        guard let decryptedBytes = keys.open(payload, keyID: keyID, at: key) else {
            throw UnreadableValue(reason: "it was changed or moved after it was encrypted")
        }
        bytes = decryptedBytes[...]
    }

    /// Error for a value that cannot be used.
    struct UnreadableValue: Error {
        /// Phrase that says why the value cannot be used.
        let reason: String
    }

    private static func encode(_ header: Header) -> [UInt8] {
        // Host names contain no characters that JSON would have to escape.
        Array(
            """
            {"host":"\(header.host)","term":\(header.epoch),"turn":\(header.turn),"number":\(header.number),\
            "parts":\(header.parts)\(header.sealed.map { ",\"sealed\":\"\($0)\"" } ?? "")}

            """.utf8)
    }
}

/// Reference to an application's current state, stored under the application's `current` key.
struct CurrentState: Codable, Equatable, Sendable {
    /// Format version that this program writes, and the newest version that it can read.
    static let version = 2

    /// Format version of the keys and values.
    var format = CurrentState.version
    /// Identifier of the state.
    var id: String
    /// Name of the host that published the state.
    var host: String
    /// Epoch in which the state was published.
    var epoch: UInt64
    /// Identifier of the current writer, which is different for each writer.
    ///
    /// A writer can no longer write after the next writer has begun.
    var writer: UInt64
    /// Number that changes each time documents are written, or `nil` if no documents have been written since the state
    /// was published.
    var number: Int?

    private enum CodingKeys: String, CodingKey {
        case format, id, host
        case epoch = "term"
        case writer, number
    }

    var bytes: [UInt8] {
        Array(
            """
            {"format":\(format),"id":"\(id)","host":"\(host)","term":\(epoch),"writer":\(writer)\
            \(number.map { ",\"number\":\($0)" } ?? "")}
            """.utf8)
    }

    /// Returns a copy with a different number.
    func withNumber(_ number: Int) -> CurrentState {
        var numberedState = self
        numberedState.number = number
        return numberedState
    }

    init(id: String, host: String, epoch: UInt64, writer: UInt64) {
        (self.id, self.host, self.epoch, self.writer) = (id, host, epoch, writer)
    }

    /// Parses a key's value, or returns `nil` if the value is not a valid reference.
    init?(_ value: [UInt8]) {
        do {
            self = try JSONDecoder().decode(CurrentState.self, from: Data(value))
        } catch {
            return nil
        }
    }
}
