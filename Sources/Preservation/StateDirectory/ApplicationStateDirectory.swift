public import Encryption
package import LinuxIO
package import SavedState

/// Directory in which applications store their saved state. This process holds a lock on the directory.
///
/// The lock is held until this object and all applications that use it are deallocated.
public final class ApplicationStateDirectory: Sendable {
    let directory: StateDirectory
    /// Queue for re-encrypting the files of applications that this process does not host.
    let rekeyQueue = DiskQueue(label: "org.reprise.rekey")
    /// Keys with which the directory was opened.
    let keys: EncryptionKeys

    /// Opens and locks a state directory.
    ///
    /// If the directory does not exist, it is created so that only its owner can access it.
    ///
    /// - Parameters:
    ///   - path: The path of the directory.
    ///   - keys: The keys that encrypt new files and decrypt existing files. Without keys, new files are not encrypted.
    /// - Throws: An error that identifies the process that has locked the directory, the key that is missing for the
    ///   directory's files, or the reason why the directory can be neither read nor created. In all cases, the
    ///   directory is unchanged.
    public init(path: String, keys: EncryptionKeys = .none) throws {
        directory = try StateDirectory.open(path, keys: keys)
        self.keys = keys
    }

    /// Restores a backup into a state directory that no program is using.
    ///
    /// The backup must have been created by ``Application/backup(to:)`` or `reprisectl backup`. Every file in the
    /// backup is verified before the state directory is changed. All applications in the backup are restored. Existing
    /// archives are added to the history, and existing documents are moved to another directory. Applications that are
    /// not in the backup do not change.
    ///
    /// If the restore is interrupted while it is replacing files, ``init(path:keys:)`` throws an error until the same
    /// backup is restored again.
    ///
    /// - Parameters:
    ///   - backup: The path of the backup.
    ///   - path: The path of the state directory. If the directory does not exist, it is created so that only its owner
    ///     can access it.
    ///   - keys: The keys that decrypt the files in the backup and in the state directory.
    /// - Returns: The restored applications, sorted by bundle identifier.
    /// - Throws: ``BackupError``. Unless the error is `restoreUnfinished`, nothing has changed.
    @discardableResult
    public static func restore(
        from backup: String, to path: String, keys: EncryptionKeys = .none
    ) throws(BackupError) -> [RestoredApplication] {
        do {
            let savedBackup = try SavedBackup(backup, keys: keys)
            try savedBackup.requireIntact(
                otherwise: "Nothing was restored: use another backup, or give the right key.")
            return try BackupRestoration(savedBackup, into: path, keys: keys).run().map {
                RestoredApplication(
                    bundleIdentifier: $0.bundleIdentifier, generation: $0.generationPath,
                    replacedDocuments: $0.replacedDocumentsPath)
            }
        } catch let failure as BackupFailure {
            throw BackupError(failure)
        } catch {
            throw BackupError(.notRestored, at: path, "\(error) Nothing was restored.")
        }
    }

    /// Whether the directory has encryption keys. If `true`, existing files may be encrypted differently from new
    /// files.
    public var hasKeys: Bool { directory.hasKeys }

    /// Wraps an open state directory.
    package init(_ directory: StateDirectory) {
        self.directory = directory
        keys = .none
    }

    /// Path of the directory.
    public var path: String { directory.path }

    /// Directory handle for files other than archives and documents.
    package var root: any DirectoryProtocol { directory.root }

    /// Reason why the directory can be read but not written, or `nil` if it can be written.
    public var unwritableReason: String? { directory.writeError.map { "\($0)" } }

    /// Returns the directory for an application's model data.
    func documents(of bundleIdentifier: String) -> DocumentsDirectory {
        DocumentsDirectory(directory, bundleIdentifier: bundleIdentifier)
    }

    /// Launch guard, which prevents repeated crashes during a scene's launch (L2).
    var launchGuard: LaunchGuard { directory.launchGuard }

    /// Reencryptor for the files in this directory.
    var reencryptor: Reencryptor { Reencryptor(directory) }

    func archive(of bundleIdentifier: String) throws -> ApplicationArchive {
        try directory.archive(of: bundleIdentifier)
    }
}
