import ExactText
import Glibc
package import LinuxIO
import SavedState
import StateRestoration

/// A file of an application, opened so that later changes do not affect its contents.
package struct BackupFile: Sendable {
    /// Path relative to the state directory.
    package let path: String
    /// Size of the file when it was opened, in bytes.
    package let byteCount: Int
    private let file: File

    /// Opens a file, or returns `nil` if there is none.
    fileprivate init?(_ name: String, in folder: Directory, below root: String) throws(IOError) {
        guard let file = try folder.openForReading(name) else { return nil }
        let path = "\(folder.path)/\(name)"
        self.path = String(path.utf8.dropFirst(root.utf8.count + 1)) ?? path
        byteCount = try file.status().size
        // A restore refuses longer files.
        guard byteCount <= ArchiveFormat.largestFile else {
            throw IOError(.read, path: path, code: EFBIG)
        }
        self.file = file
    }

    /// Reads part of the file.
    ///
    /// - Parameters:
    ///   - offset: Offset of the first byte.
    ///   - limit: Maximum number of bytes.
    /// - Returns: The bytes. At the end of the file, there are fewer bytes than the limit.
    package func read(from offset: Int, limit: Int) throws(IOError) -> [UInt8] {
        try file.read(from: offset, upTo: min(limit, byteCount - offset))
    }
}

extension Application {
    /// Maximum number of documents of an application in a backup. The daemon holds every file open until it
    /// has sent the file.
    private static let maximumDocuments = 1_000

    /// Opens the archive and the documents of the application.
    ///
    /// If the application runs, a pass over every object is saved first (P18), so that the archive and the
    /// documents match. Encrypted files stay encrypted.
    ///
    /// - Returns: The files, and the paths of other entries in the directory of the documents, relative to
    ///   the state directory.
    /// - Throws: ``ApplicationError/notBackedUp(application:reason:)`` if the state is not saved, or if a
    ///   file cannot be opened.
    package func openBackup() async throws(ApplicationError) -> (
        files: [BackupFile], leftOut: [String]
    ) {
        await waitForLaunch()
        // From here on, neither the archive nor the documents may change until all files are open.
        if hosted != nil, case .notSaved(let reason) = runTurn(.demand) {
            throw .notBackedUp(application: bundleIdentifier, reason: reason)
        }
        do throws(SaveError) {
            // Later changes overwrite reserved space, so the copy must not include it.
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
            var leftOut: [String] = []
            if let folder = try Directory.open(archivePath.containingFolder) {
                files.append(try BackupFile(BackupPath.archiveName, in: folder, below: root))
            }
            if let folder = try Directory.open(documents.path) {
                for name in names {
                    files.append(try BackupFile(name, in: folder, below: root))
                }
                leftOut = try Self.others(in: folder, besides: names)
                    .map { "\(DocumentsFolder.folderName)/\(bundleIdentifier)/\($0)" }
            }
            return (files.compactMap(\.self), leftOut)
        } catch {
            throw .notBackedUp(application: bundleIdentifier, reason: "\(error)")
        }
    }

    /// Returns entries of the state directory that belong to none of the specified applications.
    ///
    /// For example, an entry can belong to an application that was removed from the configuration.
    ///
    /// - Parameter applications: Bundle identifiers.
    /// - Returns: Paths relative to the state directory.
    package func foreignEntries(besides applications: [String]) throws(ApplicationError) -> [String]
    {
        do throws(IOError) {
            var found: [String] = []
            for (name, suffix) in BackupPath.directories {
                guard let folder = try Directory.open(stateDirectory.path.appendingPath(name))
                else {
                    continue
                }
                found += try Self.others(in: folder, besides: applications.map { $0 + suffix })
                    .map { "\(name)/\($0)" }
            }
            return found
        } catch {
            throw .notBackedUp(application: bundleIdentifier, reason: "\(error)")
        }
    }

    /// Returns names in a directory, up to a maximum, without the specified names and without temporary files
    /// of Reprise.
    private static func others(
        in folder: Directory, besides names: [String]
    ) throws(IOError) -> [String] {
        let known = Set(names.map { ExactString($0) })
        let others = try folder.names(isRepaired: true).lazy.filter { name in
            let isTemporary =
                name.utf8.first == UInt8(ascii: ".")
                && name.utf8.suffix(4).elementsEqual(".new".utf8)
            return !known.contains(ExactString(name)) && !isTemporary
        }
        return Array(others.prefix(maximumDocuments))
    }
}
