import Encryption
import ExactText
import Glibc
package import LinuxIO

/// Looks for the files in a state directory that are not sealed as what is written now is, and seals
/// them anew.
package struct Resealing: Sendable {
    /// One file, in a folder of the application's.
    package struct File: Sendable {
        fileprivate let folder: any SealingFolder
        fileprivate let name: String
        fileprivate let temporary: String
        /// The application that may replace it at the same time; nil: it is no document.
        fileprivate let owner: String?
        /// Its path.
        package var path: String { "\(folder.path)/\(name)" }
        /// Whether it is an application's archive, or may become it.
        package let isArchive: Bool
    }

    private let directory: StateDirectory

    /// For what lies in a state directory.
    package init(_ directory: StateDirectory) { self.directory = directory }

    /// The applications that have anything in the state directory, by their bundle identifiers.
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
            // A file system's own folder at its top.
            if name == "lost+found" { continue }
            if try folder?.status(of: name)?.kind == .folder { found.append(name) }
        }
        return found
    }

    /// The file with what is known of launches, which ``LaunchGuard/rewrite()`` writes anew, and the file
    /// with what could not be used of it.
    package var launchFiles: (ledger: File, damaged: File) {
        func file(_ name: String) -> File {
            File(
                folder: directory.root, name: name, temporary: "\(name).anew", owner: nil,
                isArchive: false)
        }
        return (file(LaunchFiles.ledgerName), file(LaunchFiles.damagedName))
    }

    /// Whether the archive of an application is not sealed as what is written now is, or that cannot
    /// be found out; false if there is none.
    package func mayArchiveBeOutdated(of application: String) -> Bool {
        do throws(IOError) {
            return try savedFolder(of: application)?.isOutdated(Layout.archive) ?? false
        } catch {
            return true
        }
    }

    /// The files of an application: its archive, what is kept of it, its documents. What else lies beside
    /// documents is its own, and nobody here has written it.
    package func files(of application: String) throws(IOError) -> [File] {
        let documents = try directory.root.subfolder(Layout.documents)?.subfolder(application)
        return try savedFiles(in: savedFolder(of: application), temporary: Layout.temporary)
            + self.documents(in: documents, of: application)
    }

    private func savedFolder(of application: String) throws(IOError) -> (any SealingFolder)? {
        try directory.root.subfolder(Layout.applications)?
            .subfolder(application + Layout.folderSuffix)
    }

    /// The names of an archive, and of what may become it.
    private static let archives: Set = [Layout.archive, Layout.compacted, Layout.salvaged]

    /// All files of a folder and those below, but for what a crash left that nobody needs.
    ///
    /// - Parameter temporary: the name that a new file in the folder has until it is durable.
    private func savedFiles(
        in folder: (any SealingFolder)?, temporary: String
    ) throws(IOError) -> [File] {
        guard let folder else { return [] }
        var files: [File] = []
        for name in try folder.names() where name != temporary {
            switch try folder.entryStatus(of: name)?.kind {
            case .file, .link:
                files.append(
                    File(
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
    ) throws(IOError) -> [File] {
        guard let folder else { return [] }
        var files: [File] = []
        for name in try folder.names() where !name.hasPrefix(".") {
            let kind = try folder.entryStatus(of: name)?.kind
            guard kind == .file || kind == .link else { continue }
            files.append(
                File(
                    folder: folder, name: name, temporary: ".\(name).new", owner: application,
                    isArchive: false))
        }
        return files
    }

    /// Whether a file is not sealed as what is written now is; false as well if it is gone.
    package func isOutdated(_ file: File) throws(IOError) -> Bool {
        try file.folder.isOutdated(file.name)
    }

    /// Writes a file anew, durably, as what is written now is sealed; its time stays.
    ///
    /// - Returns: whether that was to be done.
    package func reseal(_ file: File) throws(IOError) -> Bool {
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
