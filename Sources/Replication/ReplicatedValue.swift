import Encryption
import ExactText
import FoundationEssentials

/// A value below an application's keys: a line that tells who wrote it, then bytes.
///
/// What is longer than ``mostBytes`` has its first pieces under keys behind its own,
/// `KEY/TERM-NUMBER/00000000` and so on, which are written before it: it counts when its own key is written.
struct ReplicatedValue {
    /// The line that a value begins with, in JSON.
    struct Line: Codable, Equatable, Sendable {
        /// The host that wrote it.
        var host: String
        /// The term in which it did: the revision that made it the owner.
        var term: UInt64
        /// The number of the last record that it holds or follows.
        var turn: UInt64
        /// Counts what was put in the term.
        var number: Int
        /// How many pieces stand under keys of their own.
        var parts = 0
        /// What tells the key that the bytes are encrypted with; nil: they are not.
        var sealed: String?

        /// Whether the numbers are in the range that a host writes: not negative, with room for the next sequence number,
        /// and at most as many parts as a value of 512 GiB has.
        var isValid: Bool { (0..<1 << 62).contains(number) && (0...1 << 20).contains(parts) }

        /// What the keys of the pieces begin with.
        func pieces(of key: String) -> String {
            "\(key)/\(hexadecimal(term))-\(hexadecimal(UInt64(number), 8))/"
        }
    }

    /// How many bytes one value has at most. The servers take requests of 1.5 MiB, unless they are told
    /// otherwise.
    static let mostBytes = 512 << 10

    let line: Line
    let bytes: ArraySlice<UInt8>

    /// The keys and values of some bytes, the one that makes them count last.
    ///
    /// - Parameter keys: what the bytes are encrypted with, if they are to be.
    static func make(
        _ key: String, _ bytes: [UInt8], by line: Line, sealedBy keys: EncryptionKeys
    ) -> [(key: String, value: [UInt8])] {
        var line = line
        line.parts = max(0, (bytes.count - 1) / mostBytes)
        return (0...line.parts).map { number in
            let start = number * mostBytes
            let piece = bytes[start..<min(start + mostBytes, bytes.count)]
            let place =
                number == line.parts ? key : line.pieces(of: key) + hexadecimal(UInt64(number), 8)
            let sealed = keys.seal(piece, at: place)
            line.sealed = sealed?.key
            return (place, encode(line) + (sealed?.bytes ?? Array(piece)))
        }
    }

    /// Whether a key, without what all keys of its kind begin with, is that of a piece.
    static func isPiece(_ key: String) -> Bool {
        let digits = key.utf8.suffix(8)
        return key.utf8.count > 9 && key.utf8.dropLast(8).last == UInt8(ascii: "/")
            && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Reads what stands under a key.
    ///
    /// - Throws: a clause that tells why it cannot be used.
    init(_ value: [UInt8], at key: String, sealedBy keys: EncryptionKeys) throws(Unreadable) {
        guard let end = value.prefix(1024).firstIndex(of: UInt8(ascii: "\n")) else {
            throw Unreadable(reason: "it is no value of Reprise")
        }
        do {
            line = try JSONDecoder().decode(Line.self, from: Data(value[..<end]))
        } catch {
            throw Unreadable(reason: "it is no value of Reprise")
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

    /// Why something is no value that can be used.
    struct Unreadable: Error {
        /// A clause.
        let reason: String
    }

    private static func encode(_ line: Line) -> [UInt8] {
        // A host's name has no character that JSON would escape.
        Array(
            """
            {"host":"\(line.host)","term":\(line.term),"turn":\(line.turn),"number":\(line.number),\
            "parts":\(line.parts)\(line.sealed.map { ",\"sealed\":\"\($0)\"" } ?? "")}

            """.utf8)
    }
}

/// Which state of an application counts, under its key `current`.
struct CurrentState: Codable, Equatable, Sendable {
    /// The version of the keys and values that is written, and the newest that is read.
    static let version = 1

    /// The version of the keys and values.
    var format = CurrentState.version
    /// The state's id.
    var id: String
    /// Who published it.
    var host: String
    /// The term in which it was.
    var term: UInt64
    /// Who writes to it now: another number for each writer, so that none goes on after the next has begun.
    var writer: UInt64
    /// Another number for each time that documents were put; nil: none were since it was published.
    var number: Int?

    var bytes: [UInt8] {
        Array(
            """
            {"format":\(format),"id":"\(id)","host":"\(host)","term":\(term),"writer":\(writer)\
            \(number.map { ",\"number\":\($0)" } ?? "")}
            """.utf8)
    }

    /// The same with another number.
    func numbered(_ number: Int) -> CurrentState {
        var other = self
        other.number = number
        return other
    }

    init(id: String, host: String, term: UInt64, writer: UInt64) {
        (self.id, self.host, self.term, self.writer) = (id, host, term, writer)
    }

    /// Nil: it is no such value.
    init?(_ value: [UInt8]) {
        do {
            self = try JSONDecoder().decode(CurrentState.self, from: Data(value))
        } catch {
            return nil
        }
    }
}
