import Encryption
import Glibc
package import LinuxIO

/// Files of one application that are to be sealed as what is written now is.
package struct Resealing: Sendable {
    /// One file, in a folder of the application's.
    package struct File: Sendable {
        fileprivate let folder: any SealingFolder
        fileprivate let name: String
        /// Whether it is a document, which its application may replace at the same time.
        fileprivate let isDocument: Bool
        /// Whether it is an application's archive, or about to become it.
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
        return Set(identifiers + documents).sorted()
    }

    private func folders(in folder: (any SealingFolder)?) throws(IOError) -> [String] {
        var found: [String] = []
        for name in try folder?.names() ?? [] where try folder?.status(of: name)?.kind == .folder {
            found.append(name)
        }
        return found
    }

    /// The file with what was known of launches and could not be used, if there is one.
    package func damagedLaunches() throws(IOError) -> [File] {
        let name = LaunchFiles.damagedName
        guard try directory.root.entryStatus(of: name) != nil else { return [] }
        return [File(folder: directory.root, name: name, isDocument: false, isArchive: false)]
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

    /// The files of an application: its archive, what is kept of it, its documents.
    package func files(of application: String) throws(IOError) -> [File] {
        let documents = try directory.root.subfolder(Layout.documents)?.subfolder(application)
        return try files(in: savedFolder(of: application), archives: Self.archives)
            + files(in: documents, areDocuments: true)
    }

    /// The names of an archive, and of what is about to take its place.
    private static let archives: Set = [Layout.archive, Layout.temporary, Layout.compacted]

    private func savedFolder(of application: String) throws(IOError) -> (any SealingFolder)? {
        try directory.root.subfolder(Layout.applications)?
            .subfolder(application + Layout.folderSuffix)
    }

    private func files(
        in folder: (any SealingFolder)?, archives: Set<String> = [], areDocuments: Bool = false
    ) throws(IOError) -> [File] {
        guard let folder else { return [] }
        var files: [File] = []
        for name in try folder.names() {
            switch try folder.entryStatus(of: name)?.kind {
            case .file, .link:
                files.append(
                    File(
                        folder: folder, name: name, isDocument: areDocuments,
                        isArchive: archives.contains(name)))
            case .folder:
                files += try self.files(in: folder.subfolder(name), areDocuments: areDocuments)
            case .other, nil: continue
            }
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
            throw IOError(.open, path: "\(file.folder.path)/\(file.name)", code: ELOOP)
        }
        guard file.isDocument else {
            return try file.folder.reseal(file.name, temporary: NumberedFolder.temporaryName)
        }
        return try directory.replaceDocument { () throws(IOError) in
            try file.folder.reseal(file.name, temporary: ".\(file.name).new")
        }
    }
}
