package import Encryption
import ExactText
import Glibc
package import LinuxIO
import Synchronization

/// Directory that contains all saved state and is locked by this process.
///
/// The lock is on the directory itself, so that it also works on a read-only file system and remains held if the
/// directory is emptied. The lock is held until this object and all archives created from it are released.
package final class StateDirectory: Sendable {
    /// Path of the directory.
    package var path: String { root.path }
    /// Error that prevents saving, or `nil` if state can be saved. Saved state can be read in either case.
    package let writeError: IOError?
    /// The open directory, for access to other files in it.
    package let root: any SealingDirectory
    /// Identifier of the key that encrypts new files, or `nil` if new files are not encrypted.
    package let sealingKeyID: String?
    /// Whether any key is available.
    package let hasKeys: Bool
    private let documentLocks = Mutex<[ExactString: DocumentLock]>([:])
    /// Guard that prevents a crash during a scene's launch from recurring (L2).
    package let launchGuard: LaunchGuard

    /// Opens and locks the directory. If the directory does not exist, creates it with mode 0700, together with any
    /// missing parents.
    ///
    /// - Parameters:
    ///   - keys: Keys that encrypt new files and decrypt existing files. If an archive cannot be decrypted, the
    ///     function throws an error and changes no file.
    ///   - isForRestore: Whether a backup will be restored. Otherwise an unfinished restore is an error.
    package static func open(
        _ path: String, keys: EncryptionKeys = .none, isForRestore: Bool = false
    ) throws(StateDirectoryError) -> StateDirectory {
        let directory = try StateDirectoryError.wrapping(try Directory.openOrCreate(path))
        guard try StateDirectoryError.wrapping(try lock(directory)) else {
            throw .locked(
                path: path, by: try StateDirectoryError.wrapping(try .holder(of: directory)))
        }
        if !isForRestore, let backupPath = UnfinishedRestoreMarker.backupPath(in: directory) {
            throw .unfinishedRestore(path: path, backupPath: backupPath)
        }
        if let (path, missingRequirement) = firstUndecryptableFile(
            below: SealedDirectory(directory, keys: keys))
        {
            throw .encrypted(path: path, missingRequirement: missingRequirement, keys: keys.ids)
        }
        return try StateDirectoryError.wrapping(
            try StateDirectory(locked: directory, keys: keys, pid: getpid()))
    }

    /// Returns the first archive or launch guard file that cannot be decrypted, and what is required to decrypt it.
    ///
    /// Returns `nil` if no such file is found. Files that cannot be read are skipped, and are reported when their
    /// application is loaded.
    private static func firstUndecryptableFile(
        below root: some SealingDirectory
    ) -> (path: String, missingRequirement: DecryptionRequirement)? {
        func missingRequirement(_ name: String, in directory: some SealingDirectory) -> (
            String, DecryptionRequirement
        )? {
            directory.missingRequirement(of: name).map { ("\(directory.path)/\(name)", $0) }
        }
        if let undecryptableFile = missingRequirement(LaunchFiles.ledgerName, in: root) {
            return undecryptableFile
        }
        do throws(IOError) {
            guard
                let applications = try root.openSubdirectory(
                    StateDirectoryLayout.applicationsDirectoryName)
            else { return nil }
            for name in try applications.names() {
                do throws(IOError) {
                    guard let directory = try applications.openSubdirectory(name) else { continue }
                    if let undecryptableFile = missingRequirement(
                        StateDirectoryLayout.archiveFileName, in: directory)
                    {
                        return undecryptableFile
                    }
                } catch {
                    continue
                }
            }
        } catch {}
        return nil
    }

    /// Maximum number of attempts, 10 milliseconds apart, to acquire a lock that this process itself holds.
    private static let maximumLockAttempts = 50

    /// Acquires the lock, or returns `false` if it is already held.
    ///
    /// Until a newly forked child process executes its program, it still holds the locks that this process has
    /// released. The method therefore retries for a short time.
    private static func lock(_ directory: Directory) throws(IOError) -> Bool {
        for _ in 0..<maximumLockAttempts {
            if try directory.lock() { return true }
            guard try LockHolder.pid(in: directory) == getpid() else { return false }
            usleep(10_000)
        }
        return false
    }

    /// Creates a state directory from a directory that is already locked.
    ///
    /// - Parameters:
    ///   - keys: Keys that encrypt new files and decrypt existing files. The file that identifies the lock's holder and
    ///     the stamps that a crashing process writes are never encrypted.
    ///   - pid: Identifier of this process, which is reported to other processes that try to lock the directory.
    package init(
        locked directory: some DirectoryProtocol, keys: EncryptionKeys = .none, pid: Int32
    ) throws(IOError) {
        let root = SealedDirectory(directory, keys: keys)
        self.root = root
        sealingKeyID = keys.sealingKey?.id
        hasKeys = !keys.ids.isEmpty
        launchGuard = LaunchGuard(in: root, stampsIn: directory)
        do throws(IOError) {
            // Deliberately not durable: the file identifies a process, which does not survive a power cut.
            try directory.remove(StateDirectoryLayout.lockHolderFileName)
            try directory.createFile(StateDirectoryLayout.lockHolderFileName).write(
                Array("\(pid)\n".utf8))
            writeError = nil
        } catch {
            writeError = error
        }
        // The directory entry becomes durable when the first archive in the new directory is saved.
        if try directory.openSubdirectory(StateDirectoryLayout.applicationsDirectoryName) == nil {
            _ = try directory.openOrCreateSubdirectory(
                StateDirectoryLayout.applicationsDirectoryName)
        }
    }

    /// Returns an object for an application's archive. Nothing is read or created yet.
    package func archive(
        of bundleIdentifier: String
    ) throws(InvalidBundleIdentifier) -> ApplicationArchive {
        try InvalidBundleIdentifier.check(bundleIdentifier)
        return ApplicationArchive(
            bundleIdentifier: bundleIdentifier, below: root, launchGuard: launchGuard)
    }

    /// Calls a closure that replaces one of an application's documents.
    ///
    /// The application and the code that re-encrypts documents use this method. While the closure runs, no other
    /// document of the application can be replaced. Without keys, documents are never re-encrypted, so no lock is
    /// necessary.
    package func replaceDocument<Result>(
        of bundleIdentifier: String, _ body: () throws(IOError) -> sending Result
    ) throws(IOError) -> sending Result {
        guard hasKeys else { return try body() }
        let lock = documentLocks.withLock { locks in
            let lock = locks[bundleIdentifier] ?? DocumentLock()
            locks[bundleIdentifier] = lock
            return lock
        }
        return try lock.mutex.withLock { _ throws(IOError) in try body() }
    }

    /// Lock that is held while one of an application's documents is replaced.
    private final class DocumentLock: Sendable {
        let mutex = Mutex(())
    }
}
