import Glibc
package import LinuxIO

/// The keys that the service manager hands over as credentials, see systemd.exec(5): files in the
/// folder that `$CREDENTIALS_DIRECTORY` names.
package struct CredentialKeys: Sendable {
    /// The credential with the key.
    package static let name = "reprise.key"
    /// The credential with a key by which what was encrypted before can still be read.
    package static let previousName = "reprise.key.previous"

    /// The key; nil: there is no such credential.
    package let key: EncryptionKey?
    /// The previous key; nil: there is none.
    package let previous: EncryptionKey?

    /// Reads the credentials that there are.
    ///
    /// - Parameter folder: the value of `$CREDENTIALS_DIRECTORY`; nil: it is not set.
    package init(in folder: String?) throws(EncryptionKeyError) {
        key = try Self.key(Self.name, in: folder)
        previous = try Self.key(Self.previousName, in: folder)
    }

    private static func key(
        _ name: String, in folder: String?
    ) throws(EncryptionKeyError) -> EncryptionKey? {
        guard let folder else { return nil }
        return try EncryptionKey(fileAt: "\(folder)/\(name)")
    }

    /// The keys of a state directory.
    ///
    /// - Parameter encrypts: whether what is written is encrypted with the key; what is there can be
    ///   read by both in any case.
    package func keys(encrypts: Bool) throws(EncryptionKeyError) -> EncryptionKeys {
        guard encrypts else {
            return EncryptionKeys(sealing: nil, reading: [key, previous].compactMap(\.self))
        }
        guard let key else { throw .noCredential }
        return EncryptionKeys(sealing: key, reading: [previous].compactMap(\.self))
    }
}

extension EncryptionKey {
    /// The most bytes that are read for a key.
    package static let mostBytes = 4096

    /// Reads a key from a file; nil if there is none.
    package init?(fileAt path: String) throws(EncryptionKeyError) {
        let bytes: [UInt8]?
        do throws(IOError) {
            bytes = try File.open(path)?.readWhole(limit: Self.mostBytes)
        } catch {
            throw .io(error)
        }
        guard let bytes else { return nil }
        try self.init(bytes, from: path)
    }

    /// The key in the bytes that were read from a place.
    package init(_ bytes: [UInt8], from path: String) throws(EncryptionKeyError) {
        do throws(InvalidEncryptionKey) {
            try self.init(bytes)
        } catch {
            throw .invalid(path: path, error)
        }
    }
}

/// Why there is no key.
package enum EncryptionKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A file holds none.
    case invalid(path: String, InvalidEncryptionKey)
    /// There is no credential with one, and it is to be encrypted.
    case noCredential
    /// It cannot be read.
    case io(IOError)

    /// One sentence: what is wrong, where, and what to do.
    package var description: String {
        switch self {
        case .invalid(let path, let error): "The key in '\(path)' \(error)."
        case .noCredential:
            """
            The configuration requires encryption, and there is no key: give the service the \
            credential \(CredentialKeys.name), as with \
            LoadCredentialEncrypted=\(CredentialKeys.name) in its unit, or change \
            preservation.encryption.
            """
        case .io(let error): error.description
        }
    }
}
