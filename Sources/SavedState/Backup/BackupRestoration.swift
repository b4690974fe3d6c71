package import Encryption
import Glibc
import LinuxIO

/// User on whose behalf a process accesses a state directory.
package protocol StateUser {
    /// Calls a closure as this user.
    func perform<Result>(_ body: () throws -> Result) throws -> Result
}

/// The process's own user.
package struct ProcessUser: StateUser {
    package init() {}

    package func perform<Result>(_ body: () throws -> Result) throws -> Result { try body() }
}

/// Restoration of all applications in a backup to a state directory.
///
/// The process reads the backup as its own user, but writes to the state directory as the given user.
package struct BackupRestoration {
    private let backup: SavedBackup
    private let root: Directory
    private let path: String
    private let owner: any StateUser
    /// State directory object that holds the lock.
    private let lock: StateDirectory

    /// Opens and locks the state directory.
    ///
    /// - Parameters:
    ///   - path: Path of the state directory, which is created if it does not exist.
    ///   - owner: User who owns the restored files.
    /// - Throws: ``BackupFailure`` if one of the directories contains the other, or if a restore from a different
    ///   backup was interrupted. `IOError` or `StateDirectoryError` if the state directory cannot be opened.
    package init(
        _ backup: SavedBackup, into path: String, keys: EncryptionKeys,
        as owner: any StateUser = ProcessUser()
    ) throws {
        let state = path.resolvedPath
        if state.isInside(backup.path) || backup.path.isInside(state) {
            throw BackupFailure(
                .overlapping, at: path,
                "The backup '\(backup.path)' and the state directory '\(state)' overlap: choose another state "
                    + "directory, or move the backup.")
        }
        self.backup = backup
        self.path = path
        self.owner = owner
        (lock, root) = try owner.perform {
            let lock = try StateDirectory.open(path, keys: keys, isForRestore: true)
            guard let root = try Directory.open(path) else {
                throw IOError(.openDirectory, path: path, code: ENOENT)
            }
            if let earlier = UnfinishedRestoreMarker.backup(in: root), !earlier.isEmpty,
                !earlier.utf8.elementsEqual(backup.path.utf8)
            {
                throw BackupFailure(
                    .otherRestoreUnfinished, at: earlier,
                    "A restore of '\(earlier)' into '\(path)' was interrupted: restore this backup first, or remove "
                        + "'\(path.appendingPath(UnfinishedRestoreMarker.fileName))'.")
            }
            return (lock, root)
        }
    }

    /// Writes all files under temporary names, then replaces the current state.
    ///
    /// - Throws: ``BackupFailure``, which says whether the state directory was changed.
    package func run() throws(BackupFailure) -> [InstalledApplication] {
        let staged: [StagedApplication]
        do {
            staged = try stage()
        } catch {
            let failure = error as? BackupFailure
            throw BackupFailure(
                failure?.kind ?? .notRestored, at: failure?.path ?? path,
                "\(error) Nothing was restored.")
        }
        do {
            return try owner.perform {
                let restored = try staged.map { try $0.commit() }
                try UnfinishedRestoreMarker.finish(in: root)
                return restored
            }
        } catch {
            throw BackupFailure(
                .restoreUnfinished, at: path,
                "\(error) The restore is incomplete, and no program can use this state directory: restore the backup "
                    + "again.")
        }
    }

    private func stage() throws -> [StagedApplication] {
        var staged: [StagedApplication] = []
        do {
            for application in backup.applications {
                let installation = try owner.perform {
                    try BackupInstallation(of: application, in: root)
                }
                var hasState = false
                defer {
                    staged.append(
                        StagedApplication(
                            name: application, hasState: hasState, installation: installation))
                }
                for file in backup.files
                where file.location.application.utf8.elementsEqual(application.utf8) {
                    let bytes = try backup.read(file)
                    switch file.location {
                    case .archive:
                        try owner.perform { try installation.stage(archive: bytes) }
                        hasState = true
                    case .document(let name, _):
                        try owner.perform { try installation.stage(document: name, bytes) }
                    }
                }
            }
            try owner.perform { try UnfinishedRestoreMarker.begin(backup.path, in: root) }
            return staged
        } catch {
            try owner.perform { staged.forEach { $0.installation.discard() } }
            throw error
        }
    }
}

/// Application whose files have been written under temporary names.
private struct StagedApplication {
    let name: String
    let hasState: Bool
    let installation: BackupInstallation

    func commit() throws(IOError) -> InstalledApplication {
        let replaced = try installation.commit()
        return InstalledApplication(
            application: name, hasState: hasState, generation: replaced.generation,
            replacedDocuments: replaced.documents)
    }
}

/// Result of a restore for a single application.
package struct InstalledApplication: Sendable {
    /// Bundle identifier.
    package let application: String
    /// Whether the backup contains saved state for the application, not only documents.
    package let hasState: Bool
    /// Path of the generation that contains the previous state, or `nil` if there was no state or it equals the
    /// backed-up state.
    package let generation: String?
    /// Path of the previous documents, or `nil` if there were no documents or they equal the backed-up documents.
    package let replacedDocuments: String?
}

extension String {
    /// Returns whether this path equals another path or is below it. Both paths must be resolved.
    package func isInside(_ directory: String) -> Bool {
        utf8.elementsEqual(directory.utf8) || utf8.starts(with: directory.appendingPath("").utf8)
    }
}
