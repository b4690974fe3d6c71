import Encryption
import ExactText
import FoundationEssentials

/// Value of an application in the store, which consists of a header line that identifies its writer, and of bytes.
///
/// A value longer than ``maximumBytes`` is split. All pieces except the last are stored first, under the keys
/// `KEY/TERM-NUMBER/00000000` and so on. The value becomes valid when its own key is written.
struct ReplicatedValue {
    /// Header line of a value, in JSON.
    struct Line: Codable, Equatable, Sendable {
        /// Name of the host that wrote the value.
        var host: String
        /// Epoch of the write, which is the revision that made the host the owner.
        var term: UInt64
        /// Sequence number of the last record in the value, or of the record before it.
        var turn: UInt64
        /// Number of the write within the epoch.
        var number: Int
        /// Number of pieces that are stored under separate keys.
        var parts = 0
        /// Identifier of the key that encrypts the bytes, or `nil` if they are not encrypted.
        var sealed: String?

        /// Whether the numbers are in the range that a host writes.
        ///
        /// The number of the write must not be negative, and must leave room for the next number. The number
        /// of parts is limited to the parts of a value of 512 GiB.
        var isValid: Bool { (0..<1 << 62).contains(number) && (0...1 << 20).contains(parts) }

        /// Returns the prefix of the pieces' keys.
        func pieces(of key: String) -> String {
            "\(key)/\(hexadecimal(term))-\(hexadecimal(UInt64(number), 8))/"
        }
    }

    /// Maximum number of bytes in one value.
    ///
    /// The default limit of etcd servers for a request is 1.5 MiB.
    static let maximumBytes = 512 << 10

    let line: Line
    let bytes: ArraySlice<UInt8>

    /// Returns the keys and values to write for some bytes. The last value makes the whole value valid.
    ///
    /// - Parameter keys: Keys that encrypt the bytes, if encryption is configured.
    static func make(
        _ key: String, _ bytes: [UInt8], by line: Line, sealedBy keys: EncryptionKeys
    ) -> [(key: String, value: [UInt8])] {
        var line = line
        line.parts = max(0, (bytes.count - 1) / maximumBytes)
        return (0...line.parts).map { number in
            let start = number * maximumBytes
            let piece = bytes[start..<min(start + maximumBytes, bytes.count)]
            let place =
                number == line.parts ? key : line.pieces(of: key) + hexadecimal(UInt64(number), 8)
            let sealed = keys.seal(piece, at: place)
            line.sealed = sealed?.key
            return (place, encode(line) + (sealed?.bytes ?? Array(piece)))
        }
    }

    /// Returns whether a key, without its prefix, is the key of a piece.
    static func isPiece(_ key: String) -> Bool {
        let digits = key.utf8.suffix(8)
        return key.utf8.count > 9 && key.utf8.dropLast(8).last == UInt8(ascii: "/")
            && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Parses the value of a key.
    ///
    /// - Throws: ``Unreadable`` if the value cannot be used.
    init(_ value: [UInt8], at key: String, sealedBy keys: EncryptionKeys) throws(Unreadable) {
        guard let end = value.prefix(1024).firstIndex(of: UInt8(ascii: "\n")) else {
            throw Unreadable(reason: "it was not written by Reprise")
        }
        do {
            line = try JSONDecoder().decode(Line.self, from: Data(value[..<end]))
        } catch {
            throw Unreadable(reason: "it was not written by Reprise")
        }
        guard line.isValid else {
            throw Unreadable(reason: "its first line has a number out of range")
        }
        let rest = value[(end + 1)...]
        guard let sealed = line.sealed else {
            bytes = rest
            return
        }
        guard keys.has(key: sealed) else {
            throw Unreadable(
                reason:
                    "it is encrypted with the key \(sealed), which this host does not have: give every "
                    + "host of the cluster the same credential reprise.key")
        }
        guard let opened = keys.open(rest, key: sealed, at: key) else {
            throw Unreadable(reason: "it was changed or moved after it was encrypted")
        }
        bytes = opened[...]
    }

    /// Error for a value that cannot be used.
    struct Unreadable: Error {
        /// Phrase that says why the value cannot be used.
        let reason: String
    }

    private static func encode(_ line: Line) -> [UInt8] {
        // Host names contain no characters that JSON escapes.
        Array(
            """
            {"host":"\(line.host)","term":\(line.term),"turn":\(line.turn),"number":\(line.number),\
            "parts":\(line.parts)\(line.sealed.map { ",\"sealed\":\"\($0)\"" } ?? "")}

            """.utf8)
    }
}

/// Reference to the current state of an application, stored under its key `current`.
struct CurrentState: Codable, Equatable, Sendable {
    /// Format version that is written, and the newest version that can be read.
    static let version = 2

    /// Format version of the keys and values.
    var format = CurrentState.version
    /// Identifier of the state.
    var id: String
    /// Name of the host that published the state.
    var host: String
    /// Epoch in which the state was published.
    var term: UInt64
    /// Identifier of the current writer, which differs for each writer. A writer cannot continue after the next writer
    /// has begun.
    var writer: UInt64
    /// Number that changes with each write of documents, or `nil` if no documents were written since the
    /// state was published.
    var number: Int?

    var bytes: [UInt8] {
        Array(
            """
            {"format":\(format),"id":"\(id)","host":"\(host)","term":\(term),"writer":\(writer)\
            \(number.map { ",\"number\":\($0)" } ?? "")}
            """.utf8)
    }

    /// Returns a copy with a different number.
    func numbered(_ number: Int) -> CurrentState {
        var other = self
        other.number = number
        return other
    }

    init(id: String, host: String, term: UInt64, writer: UInt64) {
        (self.id, self.host, self.term, self.writer) = (id, host, term, writer)
    }

    /// Parses a value, or returns `nil` if it is not a valid reference.
    init?(_ value: [UInt8]) {
        do {
            self = try JSONDecoder().decode(CurrentState.self, from: Data(value))
        } catch {
            return nil
        }
    }
}
