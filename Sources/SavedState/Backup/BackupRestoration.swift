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

/// Restore of all applications from a backup into a state directory.
///
/// The process reads the backup as its own user, but writes to the state directory as the given user.
package struct BackupRestoration {
    private let backup: SavedBackup
    private let root: Directory
    private let path: String
    private let stateUser: any StateUser
    /// State directory object that holds the lock.
    private let lockedStateDirectory: StateDirectory
    /// Whether an earlier restore was interrupted after it had begun to replace files.
    private let continuesEarlierRestore: Bool

    /// Opens and locks the state directory.
    ///
    /// - Parameters:
    ///   - path: Path of the state directory. The directory is created if it does not exist.
    ///   - stateUser: User who owns the restored files.
    /// - Throws: ``BackupFailure`` if one of the directories contains the other, or if a restore from a different
    ///   backup was interrupted. `IOError` or `StateDirectoryError` if the state directory cannot be opened.
    package init(
        _ backup: SavedBackup, into path: String, keys: EncryptionKeys,
        as stateUser: any StateUser = ProcessUser()
    ) throws {
        let stateDirectoryPath = path.resolvedPath
        if stateDirectoryPath.isInside(backup.path) || backup.path.isInside(stateDirectoryPath) {
            throw BackupFailure(
                .overlapping, at: path,
                "The backup '\(backup.path)' and the state directory '\(stateDirectoryPath)' overlap: choose another state "
                    + "directory, or move the backup.")
        }
        self.backup = backup
        self.path = path
        self.stateUser = stateUser
        (lockedStateDirectory, root, continuesEarlierRestore) = try stateUser.perform {
            let lockedStateDirectory = try StateDirectory.open(path, keys: keys, isForRestore: true)
            guard let root = try Directory.open(path) else {
                throw IOError(.openDirectory, path: path, code: ENOENT)
            }
            guard let unfinishedBackupPath = UnfinishedRestoreMarker.backupPath(in: root) else {
                return (lockedStateDirectory, root, false)
            }
            if !unfinishedBackupPath.isEmpty,
                !unfinishedBackupPath.utf8.elementsEqual(backup.path.utf8)
            {
                throw BackupFailure(
                    .otherRestoreUnfinished, at: unfinishedBackupPath,
                    "A restore of '\(unfinishedBackupPath)' into '\(path)' was interrupted: restore this backup first, or remove "
                        + "'\(path.appendingPath(UnfinishedRestoreMarker.fileName))'.")
            }
            return (lockedStateDirectory, root, true)
        }
    }

    /// Writes all files under temporary names, then replaces the current state.
    ///
    /// - Throws: ``BackupFailure``, which states whether the state directory was changed.
    package func run() throws(BackupFailure) -> [InstalledApplication] {
        let stagedApplications: [StagedApplication]
        do {
            stagedApplications = try stageApplications()
        } catch {
            if continuesEarlierRestore { throw unfinishedFailure(error) }
            let failure = error as? BackupFailure
            throw BackupFailure(
                failure?.kind ?? .notRestored, at: failure?.path ?? path,
                "\(error) Nothing was restored.")
        }
        do {
            return try stateUser.perform {
                let installedApplications = try stagedApplications.map { try $0.commit() }
                try UnfinishedRestoreMarker.finish(in: root)
                return installedApplications
            }
        } catch {
            throw unfinishedFailure(error)
        }
    }

    private func unfinishedFailure(_ error: any Error) -> BackupFailure {
        BackupFailure(
            .restoreUnfinished, at: path,
            "\(error) The restore is incomplete, and no program can use this state directory: restore the backup again, "
                + "or remove '\(path.appendingPath(UnfinishedRestoreMarker.fileName))' and restore another backup."
        )
    }

    private func stageApplications() throws -> [StagedApplication] {
        var stagedApplications: [StagedApplication] = []
        do {
            for bundleIdentifier in backup.bundleIdentifiers {
                let installation = try stateUser.perform {
                    try BackupInstallation(of: bundleIdentifier, in: root)
                }
                var hasState = false
                defer {
                    stagedApplications.append(
                        StagedApplication(
                            bundleIdentifier: bundleIdentifier, hasState: hasState,
                            installation: installation))
                }
                for file in backup.files
                where file.location.bundleIdentifier.utf8.elementsEqual(bundleIdentifier.utf8) {
                    let bytes = try backup.read(file)
                    switch file.location {
                    case .archive:
                        try stateUser.perform { try installation.stage(archive: bytes) }
                        hasState = true
                    case .document(let name, _):
                        try stateUser.perform { try installation.stage(document: name, bytes) }
                    }
                }
            }
            try stateUser.perform { try UnfinishedRestoreMarker.begin(backup.path, in: root) }
            return stagedApplications
        } catch {
            try stateUser.perform { stagedApplications.forEach { $0.installation.discard() } }
            throw error
        }
    }
}

/// Application whose files have been written under temporary names.
private struct StagedApplication {
    let bundleIdentifier: String
    let hasState: Bool
    let installation: BackupInstallation

    func commit() throws(IOError) -> InstalledApplication {
        let replacedPaths = try installation.commit()
        return InstalledApplication(
            bundleIdentifier: bundleIdentifier, hasState: hasState,
            generationPath: replacedPaths.generationPath,
            replacedDocumentsPath: replacedPaths.documentsPath)
    }
}

/// Result of a restore for a single application.
package struct InstalledApplication: Sendable {
    /// Bundle identifier.
    package let bundleIdentifier: String
    /// Whether the backup contains saved state for the application, not only documents.
    package let hasState: Bool
    /// Path of the generation that contains the previous state, or `nil` if there was no previous state or if it equals
    /// the backed-up state.
    package let generationPath: String?
    /// Path of the previous documents, or `nil` if there were no documents or if they equal the backed-up documents.
    package let replacedDocumentsPath: String?
}

extension String {
    /// Returns whether this path equals a directory's path or is below it. Both paths must be resolved.
    package func isInside(_ directory: String) -> Bool {
        utf8.elementsEqual(directory.utf8) || utf8.starts(with: directory.appendingPath("").utf8)
    }
}
