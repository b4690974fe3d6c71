public import Encryption
package import LinuxIO
package import SavedState

/// Directory below which applications store their saved state, locked by this process.
///
/// The lock is held until this object and all applications that use it are deallocated.
public final class ApplicationStateDirectory: Sendable {
    let directory: StateDirectory
    /// Queue on which files are re-encrypted for applications that this process does not host.
    let disk = DiskQueue(label: "org.reprise.rekey")
    /// Keys with which the directory was opened.
    let keys: EncryptionKeys

    /// Opens and locks a directory.
    ///
    /// If the directory is missing, it is created with access for its owner only.
    ///
    /// - Parameters:
    ///   - path: Path of the directory.
    ///   - keys: Keys that encrypt new files and decrypt existing files. Without keys, new files are not
    ///     encrypted.
    /// - Throws: An error that names the process that holds the directory, the missing key for its files, or
    ///   the reason why it can be neither read nor created. In these cases, the directory is unchanged.
    public init(path: String, keys: EncryptionKeys = .none) throws {
        directory = try StateDirectory.open(path, keys: keys)
        self.keys = keys
    }

    /// Restores a backup that ``Application/backup(to:)`` or `reprisectl backup` made into a state directory that no
    /// program uses.
    ///
    /// Every file of the backup is verified before the state directory is changed. Every application in the backup is
    /// restored. Archives that exist become generations in the history, and documents that exist are moved to another
    /// directory. Other applications do not change.
    ///
    /// If the restore is interrupted while it replaces files, ``init(path:keys:)`` throws an error until the same backup
    /// is restored again.
    ///
    /// - Parameters:
    ///   - backup: Path of the backup.
    ///   - path: Path of the state directory. If it does not exist, it is created with access for its owner only.
    ///   - keys: Keys that decrypt the files of the backup and of the state directory.
    /// - Returns: The restored applications, sorted by their bundle identifiers.
    /// - Throws: ``BackupError``. Except for `restoreUnfinished`, nothing has changed.
    @discardableResult
    public static func restore(
        from backup: String, to path: String, keys: EncryptionKeys = .none
    ) throws(BackupError) -> [RestoredApplication] {
        do {
            let saved = try SavedBackup(backup, keys: keys)
            try saved.requireIntact(
                otherwise: "Nothing was restored: use another backup, or give the right key.")
            return try BackupRestoration(saved, into: path, keys: keys).run().map {
                RestoredApplication(
                    bundleIdentifier: $0.application, generation: $0.generation,
                    replacedDocuments: $0.replacedDocuments)
            }
        } catch let failure as BackupFailure {
            throw BackupError(failure)
        } catch {
            throw BackupError(.notRestored, at: path, "\(error) Nothing was restored.")
        }
    }

    /// Whether there are keys, which means that existing files may be encrypted differently than new files.
    public var hasKeys: Bool { directory.hasKeys }

    /// Wraps an open state directory.
    package init(_ directory: StateDirectory) {
        self.directory = directory
        keys = .none
    }

    /// Path of the directory.
    public var path: String { directory.path }

    /// The directory, for access to its other files.
    package var folder: any Folder { directory.root }

    /// Reason why the directory cannot be written although it can be read, or `nil` if it can be written.
    public var unwritableReason: String? { directory.unwritable.map { "\($0)" } }

    /// Returns the directory for an application's model data.
    func documents(of bundleIdentifier: String) -> DocumentsFolder {
        DocumentsFolder(directory, bundleIdentifier: bundleIdentifier)
    }

    /// Guard that prevents repeated crashes during the launch of a scene (L2).
    var launchGuard: LaunchGuard { directory.launchGuard }

    /// Object that re-encrypts files.
    var resealing: Resealing { Resealing(directory) }

    func archive(of bundleIdentifier: String) throws -> ApplicationArchive {
        try directory.archive(of: bundleIdentifier)
    }
}
