import Glibc
package import LinuxIO

/// Encryption keys that the service manager passes as credentials (see systemd.exec(5)).
///
/// Each credential is a file in `$CREDENTIALS_DIRECTORY`.
package struct CredentialKeys: Sendable {
    /// Name of the credential with the current key.
    package static let currentKeyName = "reprise.key"
    /// Name of the credential with the previous key. This key still decrypts older files.
    package static let previousKeyName = "reprise.key.previous"

    /// Current key, or `nil` if the credential does not exist.
    package let currentKey: EncryptionKey?
    /// Previous key, or `nil` if the credential does not exist.
    package let previousKey: EncryptionKey?

    /// Reads the keys whose credentials exist.
    ///
    /// - Parameter directory: The value of `$CREDENTIALS_DIRECTORY`, or `nil` if the variable is not set.
    package init(in directory: String?) throws(EncryptionKeyError) {
        currentKey = try Self.key(named: Self.currentKeyName, in: directory)
        previousKey = try Self.key(named: Self.previousKeyName, in: directory)
    }

    private static func key(
        named name: String, in directory: String?
    ) throws(EncryptionKeyError) -> EncryptionKey? {
        guard let directory else { return nil }
        return try EncryptionKey(fileAt: "\(directory)/\(name)")
    }

    /// Returns the set of keys for a state directory.
    ///
    /// - Parameter encrypts: Whether new files are encrypted with the current key. In either case, both keys decrypt
    ///   existing files.
    package func keys(encrypts: Bool) throws(EncryptionKeyError) -> EncryptionKeys {
        guard encrypts else {
            return EncryptionKeys(
                sealing: nil, reading: [currentKey, previousKey].compactMap(\.self))
        }
        guard let currentKey else { throw .noCredential }
        return EncryptionKeys(sealing: currentKey, reading: previousKey.map { [$0] } ?? [])
    }
}

extension EncryptionKey {
    /// Maximum length of a key file in bytes.
    package static let maximumBytes = 4096

    /// Reads a key from a file, or returns `nil` if the file does not exist.
    package init?(fileAt path: String) throws(EncryptionKeyError) {
        let bytes: [UInt8]?
        do throws(IOError) {
            bytes = try File.open(path)?.readAll(limit: Self.maximumBytes)
        } catch {
            throw .io(error)
        }
        guard let bytes else { return nil }
        try self.init(bytes, from: path)
    }

    /// Creates a key from the contents of a file.
    ///
    /// - Parameter path: The path of the file, for error messages.
    package init(_ bytes: [UInt8], from path: String) throws(EncryptionKeyError) {
        do throws(InvalidEncryptionKey) {
            try self.init(bytes)
        } catch {
            throw .invalid(path: path, error)
        }
    }
}

/// Reason why no key is available.
package enum EncryptionKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file does not contain a valid key.
    case invalid(path: String, InvalidEncryptionKey)
    /// Encryption is required, but the credential with the key does not exist.
    case noCredential
    /// The file cannot be read.
    case io(IOError)

    /// Sentence that describes the problem, names the file, and says how to fix it.
    package var description: String {
        switch self {
        case .invalid(let path, let error): "The key in '\(path)' \(error)."
        case .noCredential:
            """
            The configuration requires encryption, but there is no key: pass the credential \
            \(CredentialKeys.currentKeyName) to the service, for example with \
            LoadCredentialEncrypted=\(CredentialKeys.currentKeyName) in its unit, or change \
            preservation.encryption.
            """
        case .io(let error): error.description
        }
    }
}
