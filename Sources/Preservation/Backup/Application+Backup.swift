import Encryption
import ExactText
import Glibc
package import LinuxIO
import SavedState
import StateRestoration
import Synchronization

/// New directory for a backup. Until the backup is complete, the directory's name ends with `.partial`.
private struct BackupTarget: Sendable {
    /// Number of bytes copied at a time.
    private static let chunkSize = 1 << 20

    private let path: String

    /// Creates a target after checking that a backup can be written to the path.
    ///
    /// - Throws: ``BackupError`` if the directory exists, or if it would be inside the state directory.
    init(_ path: String, outside stateDirectory: String) throws(BackupError) {
        // A trailing slash would let lstat(2) follow a symbolic link.
        let nameEnd = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        guard let nameEnd, !path.utf8.contains(0) else {
            throw BackupError(
                .notWritten, at: path,
                "'\(path)' cannot be the name of a new directory: choose another name.")
        }
        self.path = String(path[...nameEnd])
        // lstat(2) also finds a symbolic link whose destination does not exist.
        var status = stat()
        if lstat(self.path, &status) == 0 { throw Self.alreadyExistsError(self.path) }
        guard !self.path.resolvedPath.isInside(stateDirectory.resolvedPath) else {
            throw BackupError(
                .overlapping, at: path,
                "'\(path)' is inside the state directory '\(stateDirectory)': choose a directory outside it."
            )
        }
    }

    private static func alreadyExistsError(_ path: String) -> BackupError {
        BackupError(.targetExists, at: path, "'\(path)' already exists: choose a new directory.")
    }

    /// Writes and verifies all files, then renames the directory to its final name.
    ///
    /// - Parameter checkCancellation: A closure that throws an error if the backup was cancelled.
    /// - Returns: The total size of the files in bytes.
    func write(
        _ files: [BackupFile], of bundleIdentifier: String, keys: EncryptionKeys,
        checkCancellation: () throws -> Void
    ) throws -> Int {
        let name =
            path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
        let partialPath = "\(path).partial"
        do {
            let parent = try Directory.openOrCreate(path.containingDirectory)
            let writer = try BackupWriter("\(name).partial", in: parent)
            do {
                for file in files {
                    try copy(
                        file, of: bundleIdentifier, to: writer,
                        checkCancellation: checkCancellation)
                }
                try writer.complete()
                try SavedBackup(partialPath, keys: keys).requireIntact(
                    otherwise: "The copy was removed: check the disks of both directories.")
                try checkCancellation()
                var status = stat()
                if lstat(path, &status) == 0 { throw Self.alreadyExistsError(path) }
                try writer.rename(to: name)
            } catch {
                writer.discard()
                throw error
            }
            return writer.byteCount
        } catch let error as BackupFailure {
            throw BackupError(error)
        } catch let error as IOError
            where error.operation == .createDirectory && error.code == EEXIST
        {
            throw BackupError(
                .targetExists, at: partialPath,
                "'\(partialPath)' exists, perhaps from an interrupted backup: remove it and try again."
            )
        } catch let error as IOError {
            throw BackupError(.notWritten, at: error.path, "\(error)")
        }
    }

    private func copy(
        _ file: BackupFile, of bundleIdentifier: String, to writer: BackupWriter,
        checkCancellation: () throws -> Void
    ) throws {
        var offset = 0
        repeat {
            try checkCancellation()
            let bytes = try file.read(from: offset, limit: Self.chunkSize)
            guard !bytes.isEmpty || file.byteCount == 0 else {
                throw ApplicationError.notBackedUp(
                    application: bundleIdentifier,
                    reason: "another program truncated '\(file.path)': try again")
            }
            try writer.write(bytes, of: file.path, at: offset, byteCount: file.byteCount)
            offset += bytes.count
        } while offset < file.byteCount
    }
}

/// Flag that indicates whether a task has been cancelled.
private final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}

/// File of an application, opened for a backup.
///
/// Changes made after the file was opened are not copied.
package struct BackupFile: Sendable {
    /// Path relative to the state directory.
    package let path: String
    /// Size of the file when it was opened, in bytes.
    package let byteCount: Int
    private let file: File

    /// Opens a file, or returns `nil` if the file does not exist.
    fileprivate init?(_ name: String, in directory: Directory, below root: String) throws(IOError) {
        guard let file = try directory.openForReading(name) else { return nil }
        let path = "\(directory.path)/\(name)"
        self.path = String(path.utf8.dropFirst(root.utf8.count + 1)) ?? path
        byteCount = try file.status().size
        // A backup that contains a larger file could not be restored.
        guard byteCount <= ArchiveFormat.maximumFileBytes else {
            throw IOError(.read, path: path, code: EFBIG)
        }
        self.file = file
    }

    /// Reads part of the file.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes. At the end of the file, fewer bytes than `limit` are returned.
    package func read(from offset: Int, limit: Int) throws(IOError) -> [UInt8] {
        try file.read(from: offset, upTo: min(limit, byteCount - offset))
    }
}

extension Application {
    /// Copies the application's saved state and documents into a new directory, and verifies the copy.
    ///
    /// The application continues to run. Every object is saved first, so that the backup contains the state at a single
    /// point in time. Changes made during the copy are not included. The history and the quarantine are not copied. To
    /// restore the backup, call ``ApplicationStateDirectory/restore(from:to:keys:)`` or run `reprisectl restore`.
    ///
    /// The method waits for any launch in progress to finish. If the launch has failed or the application has quit, the
    /// saved files are copied without a pass. If the last stop could not save the state, the state is saved first. If the
    /// task is cancelled, the incomplete copy is removed.
    ///
    /// - Parameter path: The path of the directory to create. The directory must not exist and must not be inside the
    ///   state directory. Only the owner of the new directory can access it.
    /// - Returns: The number and total size of the files, and the paths of files that are not included.
    /// - Throws: ``BackupError`` if the directory exists, or if a file cannot be written or verified;
    ///   ``ApplicationError/notBackedUp(application:reason:)`` if the state could not be saved or cannot be read;
    ///   `CancellationError` if the task is cancelled.
    @discardableResult
    public nonisolated func backup(to path: String) async throws -> BackupReport {
        let target = try BackupTarget(path, outside: stateDirectory.path)
        try await throwIfLaunchWouldDeadlock()
        try await waitUntilFirstLaunchEnds()
        let (files, omittedPaths) = try await openBackup()
        let cancellation = CancellationFlag()
        let name = bundleIdentifier
        let keys = stateDirectory.keys
        let result = await withTaskCancellationHandler {
            await DiskQueue(label: "org.reprise.backup").run {
                Result {
                    try target.write(files, of: name, keys: keys) {
                        if cancellation.isSet { throw CancellationError() }
                    }
                }
            }
        } onCancel: {
            cancellation.set()
        }
        return BackupReport(
            path: path, fileCount: files.count, byteCount: try result.get(),
            omittedPaths: omittedPaths)
    }

    /// Maximum number of documents in a backup. Each file stays open until it has been copied.
    private static let maximumDocuments = 1_000

    /// Opens the application's archive and documents for a backup.
    ///
    /// If the application is running, a full pass is made and saved first (P18), so that the archive and the documents
    /// match. Encrypted files stay encrypted.
    ///
    /// - Returns: The files, and the paths of other entries in the documents directory, relative to the state
    ///   directory.
    /// - Throws: ``ApplicationError/notBackedUp(application:reason:)`` if the state could not be saved, or if a file
    ///   cannot be opened.
    package func openBackup() async throws(ApplicationError) -> (
        files: [BackupFile], omittedPaths: [String]
    ) {
        await waitForLaunch()
        // Until all files are open, the archive and the documents must not change.
        if case .notSaved(let reason) = saveBeforeBackup() {
            throw .notBackedUp(application: bundleIdentifier, reason: reason)
        }
        do throws(SaveError) {
            // The copy must not include reserved space, because later changes overwrite this space.
            try saver.archive.releaseReservedSpace()
        } catch {
            throw .notBackedUp(application: bundleIdentifier, reason: "\(error)")
        }
        let names: [String]
        do throws(DocumentError) {
            names = try documents.names()
        } catch {
            throw .notBackedUp(application: bundleIdentifier, reason: "\(error)")
        }
        guard names.count <= Self.maximumDocuments else {
            throw .notBackedUp(
                application: bundleIdentifier,
                reason:
                    "it has more than \(Self.maximumDocuments) documents: copy the state directory "
                    + "while the daemon is stopped")
        }
        do throws(IOError) {
            let root = stateDirectory.path
            var files: [BackupFile?] = []
            var omittedPaths: [String] = []
            if let directory = try Directory.open(archivePath.containingDirectory) {
                files.append(try BackupFile(BackupPath.archiveName, in: directory, below: root))
            }
            if let directory = try Directory.open(documents.path) {
                for name in names {
                    files.append(try BackupFile(name, in: directory, below: root))
                }
                omittedPaths = try Self.foreignNames(in: directory, excluding: names)
                    .map { "\(DocumentsDirectory.directoryName)/\(bundleIdentifier)/\($0)" }
            }
            return (files.compactMap(\.self), omittedPaths)
        } catch {
            throw .notBackedUp(application: bundleIdentifier, reason: "\(error)")
        }
    }

    /// Saves the state that a backup must contain, and returns its durability level.
    private func saveBeforeBackup() -> DurabilityLevel {
        if hostedScenes != nil { return runTurn(.demand) }
        // If a stop could not save the last state, the state is still in memory.
        if !saver.recordDurability.isSaved { runTurn(.demand) }
        return saver.recordDurability
    }

    /// Returns the entries in the state directory that do not belong to the given applications.
    ///
    /// For example, an entry can belong to an application that was removed from the configuration.
    ///
    /// - Parameter bundleIdentifiers: The bundle identifiers of the applications.
    /// - Returns: The paths of the entries, relative to the state directory.
    package func foreignEntries(excluding bundleIdentifiers: [String]) throws(ApplicationError)
        -> [String]
    {
        do throws(IOError) {
            var foreignPaths: [String] = []
            for (name, suffix) in BackupPath.directories {
                guard let directory = try Directory.open(stateDirectory.path.appendingPath(name))
                else {
                    continue
                }
                foreignPaths += try Self.foreignNames(
                    in: directory, excluding: bundleIdentifiers.map { $0 + suffix }
                )
                .map { "\(name)/\($0)" }
            }
            return foreignPaths
        } catch {
            throw .notBackedUp(application: bundleIdentifier, reason: "\(error)")
        }
    }

    /// Returns the names of the entries in a directory, except the given names and Reprise's temporary files.
    ///
    /// At most ``maximumDocuments`` names are returned.
    private static func foreignNames(
        in directory: Directory, excluding names: [String]
    ) throws(IOError) -> [String] {
        let excludedNames = Set(names.map { ExactString($0) })
        let remainingNames = try directory.names(repairsInvalidUTF8: true).lazy.filter { name in
            let isTemporary =
                name.utf8.first == UInt8(ascii: ".")
                && name.utf8.suffix(4).elementsEqual(".new".utf8)
            return !excludedNames.contains(ExactString(name)) && !isTemporary
        }
        return Array(remainingNames.prefix(maximumDocuments))
    }
}
