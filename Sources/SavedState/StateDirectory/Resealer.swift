import Encryption
import ExactText
import Glibc
package import LinuxIO

/// Task that re-encrypts files in a state directory whose encryption differs from the encryption of new files.
package struct Resealer: Sendable {
    /// File in the state directory whose encryption can be checked and changed.
    package struct StoredFile: Sendable {
        fileprivate let folder: any SealingFolder
        fileprivate let name: String
        fileprivate let temporary: String
        /// Application that may replace the file at the same time, or `nil` if the file is not a document.
        fileprivate let owner: String?
        /// Path of the file.
        package var path: String { "\(folder.path)/\(name)" }
        /// Whether the file is an application's archive or may become its archive.
        package let isArchive: Bool
    }

    private let directory: StateDirectory

    /// Creates a task that re-encrypts files in a state directory.
    package init(_ directory: StateDirectory) { self.directory = directory }

    /// Returns the bundle identifiers of the applications that have files in the state directory.
    package func applications() throws(IOError) -> [String] {
        let saved = try folders(in: directory.root.subfolder(Layout.applications))
        let documents = try folders(in: directory.root.subfolder(Layout.documents))
        let identifiers =
            saved.filter { $0.hasSuffix(Layout.folderSuffix) }
            .map { String($0.dropLast(Layout.folderSuffix.utf8.count)) }
        return Set((identifiers + documents).map { ExactString($0) }).sorted().map(\.text)
    }

    private func folders(in folder: (any SealingFolder)?) throws(IOError) -> [String] {
        var found: [String] = []
        for name in try folder?.names() ?? [] {
            // File systems create this directory at their root.
            if name == "lost+found" { continue }
            if try folder?.status(of: name)?.kind == .folder { found.append(name) }
        }
        return found
    }

    /// The launch guard's ledger, and the file to which a damaged ledger is renamed.
    ///
    /// ``LaunchGuard/rewrite()`` rewrites the ledger itself.
    package var launchFiles: (ledger: StoredFile, damaged: StoredFile) {
        func file(_ name: String) -> StoredFile {
            StoredFile(
                folder: directory.root, name: name, temporary: "\(name).anew", owner: nil,
                isArchive: false)
        }
        return (file(LaunchFiles.ledgerName), file(LaunchFiles.damagedName))
    }

    /// Returns whether an application's archive is encrypted differently from new files.
    ///
    /// Returns `true` if the encryption cannot be determined, and `false` if there is no archive.
    package func archiveMayBeOutdated(of application: String) -> Bool {
        do throws(IOError) {
            return try savedFolder(of: application)?.isOutdated(Layout.archive) ?? false
        } catch {
            return true
        }
    }

    /// Returns an application's files: its archive, its history and quarantine, and its documents.
    ///
    /// Hidden files and subdirectories in the documents directory are omitted.
    package func files(of application: String) throws(IOError) -> [StoredFile] {
        let documents = try directory.root.subfolder(Layout.documents)?.subfolder(application)
        return try savedFiles(in: savedFolder(of: application), temporary: Layout.temporary)
            + self.documents(in: documents, of: application)
    }

    private func savedFolder(of application: String) throws(IOError) -> (any SealingFolder)? {
        try directory.root.subfolder(Layout.applications)?
            .subfolder(application + Layout.folderSuffix)
    }

    /// File names of an archive and of files that may become the archive.
    private static let archives: Set = [Layout.archive, Layout.compacted, Layout.salvaged]

    /// Returns all files in a directory and its subdirectories, except temporary files left by a crash.
    ///
    /// - Parameter temporary: Name that a new file in the directory has until the file is durable.
    private func savedFiles(
        in folder: (any SealingFolder)?, temporary: String
    ) throws(IOError) -> [StoredFile] {
        guard let folder else { return [] }
        var files: [StoredFile] = []
        for name in try folder.names() where name != temporary {
            switch try folder.entryStatus(of: name)?.kind {
            case .file, .link:
                files.append(
                    StoredFile(
                        folder: folder, name: name, temporary: temporary, owner: nil,
                        isArchive: Self.archives.contains(name)))
            case .folder:
                files += try savedFiles(
                    in: folder.subfolder(name), temporary: NumberedFolder.temporaryName)
            case .other, nil: continue
            }
        }
        return files
    }

    private func documents(
        in folder: (any SealingFolder)?, of application: String
    ) throws(IOError) -> [StoredFile] {
        guard let folder else { return [] }
        var files: [StoredFile] = []
        for name in try folder.names() where !name.hasPrefix(".") {
            let kind = try folder.entryStatus(of: name)?.kind
            guard kind == .file || kind == .link else { continue }
            files.append(
                StoredFile(
                    folder: folder, name: name, temporary: ".\(name).new", owner: application,
                    isArchive: false))
        }
        return files
    }

    /// Returns whether a file is encrypted differently from new files, or `false` if the file does not exist.
    package func isOutdated(_ file: StoredFile) throws(IOError) -> Bool {
        try file.folder.isOutdated(file.name)
    }

    /// Rewrites a file durably, encrypted like new files, and preserves its modification time.
    ///
    /// - Returns: Whether the file had to be rewritten.
    package func reseal(_ file: StoredFile) throws(IOError) -> Bool {
        if try file.folder.entryStatus(of: file.name)?.kind == .link {
            guard try file.folder.isOutdated(file.name) else { return false }
            throw IOError(.open, path: file.path, code: ELOOP)
        }
        guard let owner = file.owner else {
            return try file.folder.reseal(file.name, temporary: file.temporary)
        }
        return try directory.replaceDocument(of: owner) { () throws(IOError) in
            try file.folder.reseal(file.name, temporary: file.temporary)
        }
    }
}
