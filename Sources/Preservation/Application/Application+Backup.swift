import ExactText
import Glibc
package import LinuxIO
import SavedState
import StateRestoration

/// A file of an application as it was at one moment, which later changes do not touch.
package struct BackupFile: Sendable {
    /// Path below the state directory.
    package let path: String
    /// Size at that moment, in bytes.
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

    /// Reads a part of the file.
    ///
    /// - Parameters:
    ///   - offset: Offset of the first byte.
    ///   - limit: Maximum number of bytes.
    /// - Returns: The bytes; fewer than the limit at the end of the file.
    package func read(from offset: Int, limit: Int) throws(IOError) -> [UInt8] {
        try file.read(from: offset, upTo: min(limit, byteCount - offset))
    }
}

extension Application {
    /// Maximum number of documents of an application in a backup. The daemon holds every file open until it has sent it.
    private static let maximumDocuments = 1_000

    /// Opens the archive and the documents of the application as they are now. If the application runs, a pass over every
    /// object is saved first (P18), so that both belong together.
    ///
    /// An encrypted file stays encrypted.
    ///
    /// - Returns: The files, and paths below the state directory of entries among the documents that are not documents.
    /// - Throws: ``ApplicationError/notBackedUp(application:reason:)`` if the state is not saved, or a file cannot be
    ///   opened.
    package func openBackup() async throws(ApplicationError) -> (
        files: [BackupFile], leftOut: [String]
    ) {
        await waitForLaunch()
        // What the archive holds and the documents may not change between here and the end.
        if hosted != nil, case .notSaved(let reason) = runTurn(.demand) {
            throw .notBackedUp(application: bundleIdentifier, reason: reason)
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

    /// Paths below the state directory that belong to none of some applications, for example to an application that was
    /// removed from the configuration.
    ///
    /// - Parameter applications: Bundle identifiers.
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

    /// The first names in a directory that are not among some names, and not temporary files of Reprise.
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
