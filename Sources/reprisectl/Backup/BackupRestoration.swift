import Encryption
import Glibc
import LinuxIO
import RepriseControl
import SavedState
import TerminalText
import Varlink

/// Restoration of every application in a backup to a state directory.
///
/// The process reads the backup as its own user, and writes to the state directory as the owner of that directory.
struct BackupRestoration {
    private let backup: SavedBackup
    private let root: Directory
    private let owner: StateOwner
    /// Holds the lock of the state directory.
    private let lock: StateDirectory

    /// Opens and locks the state directory.
    ///
    /// - Throws: ``Failure`` if one of the directories contains the other; `IOError`, `StateDirectoryError`.
    init(_ backup: SavedBackup, into path: String, keys: EncryptionKeys) throws {
        let state = path.resolvedPath
        if state.isInside(backup.path) || backup.path.isInside(state) {
            throw Failure(
                "The backup '\(backup.path.printable)' and the state directory '\(state.printable)' contain each other: "
                    + "name another state directory, or move the backup.", status: .usage)
        }
        self.backup = backup
        let owner = try StateOwner(of: path)
        self.owner = owner
        (lock, root) = try owner.perform {
            let lock = try StateDirectory.open(path, keys: keys, isForRestore: true)
            guard let root = try Directory.open(path) else {
                throw IOError(.openFolder, path: path, code: ENOENT)
            }
            if let earlier = UnfinishedRestore.backup(in: root), !earlier.isEmpty,
                !earlier.utf8.elementsEqual(backup.path.utf8)
            {
                throw Failure(
                    "A restore of '\(earlier.printable)' into '\(path.printable)' was interrupted: restore this backup "
                        + "first, or remove '\(path.appendingPath(UnfinishedRestore.fileName).printable)'."
                )
            }
            return (lock, root)
        }
    }

    /// Writes all files under temporary names, then replaces the current state.
    ///
    /// - Throws: ``Failure``, which says whether the state directory was changed.
    func run() throws(Failure) -> [RestoredApplication] {
        let staged: [StagedApplication]
        do {
            staged = try stage()
        } catch {
            throw Failure("\(error) Nothing was restored.")
        }
        do {
            return try owner.perform {
                let restored = try staged.map { try $0.commit() }
                try UnfinishedRestore.finish(in: root)
                return restored
            }
        } catch {
            throw Failure(
                "\(error) The restore is not finished, and no daemon starts on this state directory: run the command again."
            )
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
                where file.place.application.utf8.elementsEqual(application.utf8) {
                    let bytes = try backup.read(file)
                    switch file.place {
                    case .archive:
                        try owner.perform { try installation.stage(archive: bytes) }
                        hasState = true
                    case .document(let name, _):
                        try owner.perform { try installation.stage(document: name, bytes) }
                    }
                }
            }
            try owner.perform { try UnfinishedRestore.begin(backup.path, in: root) }
            return staged
        } catch {
            try owner.perform { staged.forEach { $0.installation.discard() } }
            throw error
        }
    }
}

/// Application whose files were written under temporary names.
private struct StagedApplication {
    let name: String
    let hasState: Bool
    let installation: BackupInstallation

    func commit() throws(IOError) -> RestoredApplication {
        let replaced = try installation.commit()
        return RestoredApplication(
            application: name, hasState: hasState, generation: replaced.generation,
            replacedDocuments: replaced.documents)
    }
}

/// Result of a restore for one application.
struct RestoredApplication {
    fileprivate let application: String
    /// Whether the backup contains saved state of the application, and not only documents.
    fileprivate let hasState: Bool
    /// Path of the generation with the previous state.
    fileprivate let generation: String?
    /// Path of the previous documents.
    fileprivate let replacedDocuments: String?

    func print() {
        Terminal.print(
            hasState
                ? "\(application): restored"
                : "\(application): documents restored; the backup has no saved state of it")
        if let generation {
            Terminal.print("  the state from before is in the history as \(generation)")
        }
        if let replacedDocuments {
            Terminal.print("  the documents from before are in \(replacedDocuments)")
        }
    }

    var json: StateJSON {
        let paths = ["generation": generation, "replacedDocuments": replacedDocuments]
        return .object(
            paths.compactMapValues { $0.map(StateJSON.string) }
                .merging(["application": .string(application)]) { $1 })
    }
}

extension String {
    /// Returns whether this resolved path equals another path or is below it.
    fileprivate func isInside(_ folder: String) -> Bool {
        utf8.elementsEqual(folder.utf8) || utf8.starts(with: folder.appendingPath("").utf8)
    }
}
