package import Encryption
import ExactText
import Glibc
package import LinuxIO
import Synchronization

/// The folder that holds everything that is saved, locked for this process.
///
/// The lock is on the opened folder itself, so that emptying it frees nothing and a read-only file
/// system does not matter. It is held until this object and every archive made from it are gone.
package final class StateDirectory: Sendable {
    static let holderName = "holder"

    /// The folder's path.
    package var path: String { root.path }
    /// Why nothing can be saved here although what was saved can be read; `nil` if it can.
    package let unwritable: IOError?
    /// The folder itself, for what else lies in it.
    package let root: any SealingFolder
    /// What tells the key that everything new is sealed with from others; nil: nothing is sealed.
    package let sealingKey: String?
    /// Whether any key is here.
    package let hasKeys: Bool
    private let documents = Mutex<[ExactString: DocumentLock]>([:])
    /// Sees to it that a crash while a scene is launched does not repeat itself (L2).
    package let launchGuard: LaunchGuard

    /// Opens the folder, making it (0700) and what is missing above it, and locks it.
    ///
    /// - Parameters:
    ///   - keys: what is written is sealed with, and what is there is read by. If they do not suffice nothing is touched.
    ///   - isForRestore: Whether a backup will be restored. Otherwise an unfinished restore is an error.
    package static func open(
        _ path: String, keys: EncryptionKeys = .none, isForRestore: Bool = false
    ) throws(StateDirectoryError) -> StateDirectory {
        let folder = try StateDirectoryError.wrapping(try Directory.openOrMake(path))
        guard try StateDirectoryError.wrapping(try lock(folder)) else {
            throw .held(path: path, by: try StateDirectoryError.wrapping(try .of(folder)))
        }
        if !isForRestore, let backup = UnfinishedRestore.backup(in: folder) {
            throw .unfinishedRestore(path: path, backup: backup)
        }
        if let (path, lack) = encrypted(below: SealedFolder(folder, keys: keys)) {
            throw .encrypted(path: path, lack: lack, keys: keys.ids)
        }
        return try StateDirectoryError.wrapping(
            try StateDirectory(locked: folder, keys: keys, pid: getpid()))
    }

    /// The first archive, or what is known of launches, that no key here can read, and what it
    /// lacks; nil: none is known. What cannot be looked into is told when its application is loaded.
    private static func encrypted(
        below root: some SealingFolder
    ) -> (path: String, lack: SealedFileLack)? {
        func look(_ name: String, in folder: some SealingFolder) -> (String, SealedFileLack)? {
            folder.lack(of: name).map { ("\(folder.path)/\(name)", $0) }
        }
        if let found = look(LaunchFiles.ledgerName, in: root) { return found }
        do throws(IOError) {
            guard let applications = try root.subfolder(Layout.applications) else { return nil }
            for name in try applications.names() {
                do throws(IOError) {
                    guard let folder = try applications.subfolder(name) else { continue }
                    if let found = look(Layout.archive, in: folder) { return found }
                } catch {
                    continue
                }
            }
        } catch {}
        return nil
    }

    /// How often a lock of this very process is tried again, ten milliseconds apart.
    private static let mostTries = 50

    /// Takes the lock; false if it is taken. A process that this one is just starting holds a lock
    /// that this one gave back a moment ago, until it executes its program.
    private static func lock(_ folder: Directory) throws(IOError) -> Bool {
        for _ in 0..<mostTries {
            if try folder.lock() { return true }
            guard try StateHolder.pid(in: folder) == getpid() else { return false }
            usleep(10_000)
        }
        return false
    }

    /// Takes over a folder that is locked already, by whatever means its file system has.
    ///
    /// - Parameters:
    ///   - keys: what is written is sealed with, and what is there is read by. Who holds the folder,
    ///     and the stamps that a dying process leaves, are never sealed.
    ///   - pid: the process that a second one is told of.
    package init(
        locked folder: some Folder, keys: EncryptionKeys = .none, pid: Int32
    ) throws(IOError) {
        let root = SealedFolder(folder, keys: keys)
        self.root = root
        sealingKey = keys.sealing?.id
        hasKeys = !keys.ids.isEmpty
        launchGuard = LaunchGuard(in: root, stampsIn: folder)
        do throws(IOError) {
            // Not durable on purpose: it tells of a process, which no power cut survives.
            try folder.remove(Self.holderName)
            try folder.createFile(Self.holderName).write(Array("\(pid)\n".utf8))
            unwritable = nil
        } catch {
            unwritable = error
        }
        // Its entry becomes durable with the first archive that is saved below it.
        if try folder.subfolder(Layout.applications) == nil {
            _ = try folder.makeSubfolder(Layout.applications)
        }
    }

    /// The archive of one application; nothing is read or made yet.
    package func archive(
        of bundleIdentifier: String
    ) throws(InvalidBundleIdentifier) -> ApplicationArchive {
        try InvalidBundleIdentifier.check(bundleIdentifier)
        return ApplicationArchive(
            bundleIdentifier: bundleIdentifier, below: root, launchGuard: launchGuard)
    }

    /// Replaces a document of an application, while nobody else does: the application, or who seals it
    /// anew, which only happens where there are keys.
    package func replaceDocument<Result>(
        of application: String, _ body: () throws(IOError) -> sending Result
    ) throws(IOError) -> sending Result {
        guard hasKeys else { return try body() }
        let lock = documents.withLock { locks in
            let lock = locks[application] ?? DocumentLock()
            locks[application] = lock
            return lock
        }
        return try lock.mutex.withLock { _ throws(IOError) in try body() }
    }

    /// Held by who replaces a document of one application.
    private final class DocumentLock: Sendable {
        let mutex = Mutex(())
    }
}
