package import Encryption
import ExactText
import Glibc
package import LinuxIO

/// Reason why a state directory cannot be used.
package enum StateDirectoryError: IOFailure, Sendable, Equatable, CustomStringConvertible {
    /// Another process, or another object in this process, holds the lock.
    ///
    /// `by` is the process, or `nil` if it is unknown.
    case locked(path: String, by: LockHolder?)
    /// An encrypted file in the directory cannot be decrypted with the given keys or by this version of the program.
    case encrypted(path: String, missingRequirement: DecryptionRequirement, keys: [String])
    /// A restore from a backup was interrupted, so the directory may contain a mixture of old and restored state.
    case unfinishedRestore(path: String, backupPath: String)
    /// The directory can neither be read nor created.
    case io(IOError)

    /// One sentence that says what failed, where, and what to do.
    package var description: String {
        switch self {
        case .locked(let path, let holder) where holder == LockHolder(pid: getpid()):
            """
            The state directory '\(path)' is already in use in this process: create one object for the directory, and pass \
            the same object to all applications.
            """
        case .locked(let path, let holder):
            """
            The state directory '\(path)' is in use by \
            \(holder.map { "\($0)" } ?? "another process"); stop it first, or choose another \
            state directory.
            """
        case .encrypted(let path, let missingRequirement, let keys):
            """
            '\(path)' is encrypted and cannot be read without \(missingRequirement), and \(keySummary(keys)); nothing \
            was changed: \(remedy(missingRequirement)), or move the file away to begin without it.
            """
        case .unfinishedRestore(let path, let backupPath):
            """
            A restore into the state directory '\(path)' was interrupted, so some applications may still have their \
            earlier state: restore the backup\(backupPath.isEmpty ? "" : " '\(backupPath)'") again (`reprisectl restore`, or \
            `ApplicationStateDirectory.restore` in a program with the library), or remove \
            '\(path.appendingPath(UnfinishedRestoreMarker.fileName))' to use the state directory as it is.
            """
        case .io(let error): error.description
        }
    }

    private func keySummary(_ keys: [String]) -> String {
        switch keys.count {
        case 0: "no key is given"
        case 1: "the given key is \(keys[0])"
        default: "the given keys are \(keys.joined(separator: " and "))"
        }
    }

    private func remedy(_ missingRequirement: DecryptionRequirement) -> String {
        switch missingRequirement {
        case .key, .unknownKey: "give that key, as the previous key if there is a newer one"
        case .version: "start that program"
        }
    }
}

/// Error for a bundle identifier that cannot be used as a directory name.
package struct InvalidBundleIdentifier: Error, Sendable, Equatable, CustomStringConvertible {
    /// The rejected identifier.
    package var identifier: String

    /// One sentence that says what is wrong, and what to do.
    package var description: String {
        """
        The bundle identifier '\(identifier)' cannot be the name of a directory; use an identifier \
        of 1 to \(Self.maximumBytes) bytes that does not begin with '.' and has no '/' or control characters.
        """
    }

    /// Maximum length of an identifier in bytes. It ensures that the directory name has at most 255 bytes.
    static let maximumBytes = 255 - StateDirectoryLayout.directorySuffix.utf8.count

    /// Throws an error if an identifier violates the rules in ``description``.
    static func check(_ identifier: String) throws(InvalidBundleIdentifier) {
        let bytes = identifier.utf8
        guard (1...maximumBytes).contains(bytes.count), bytes.first != UInt8(ascii: "."),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
        else { throw InvalidBundleIdentifier(identifier: identifier) }
    }
}
