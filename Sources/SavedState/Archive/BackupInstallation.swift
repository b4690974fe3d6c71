package import LinuxIO

/// Puts the archive and the documents of one application into a state directory that no daemon uses.
///
/// Everything is written under temporary names first. ``commit(archive:documents:)`` then replaces what is there, so that an
/// error or a kill before leaves the state directory unchanged.
package struct BackupInstallation {
    /// Name of the directory that holds the applications' directories.
    package static let applications = Layout.applications
    /// Name of the directory that holds the applications' documents.
    package static let documents = Layout.documents
    private static let reason = "a backup was restored"

    private let bundleIdentifier: String
    private let folder: Directory
    private let documents: Directory

    /// Opens the directories of an application, and makes them if they are missing.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the application.
    ///   - root: State directory, which the caller has locked.
    package init(of bundleIdentifier: String, in root: Directory) throws(IOError) {
        self.bundleIdentifier = bundleIdentifier
        let applications = try root.makeSubfolder(Layout.applications)
        folder = try applications.makeSubfolder(bundleIdentifier + Layout.folderSuffix)
        documents = try root.makeSubfolder(Layout.documents)
        try applications.synchronize()
        try root.synchronize()
    }

    private var stagingName: String { ".\(bundleIdentifier).restored" }

    /// Writes the archive under a temporary name, durably. The bytes stay as they are, so an encrypted archive stays
    /// encrypted.
    ///
    /// - Returns: Path of the file.
    package func stage(archive bytes: [UInt8]) throws(IOError) -> String {
        try folder.remove(Layout.temporary)
        try folder.writeNew(Layout.temporary, bytes)
        return "\(folder.path)/\(Layout.temporary)"
    }

    /// Makes an empty directory for the documents, in place of that of an earlier attempt.
    package func stageDocuments() throws(IOError) -> Directory {
        if let earlier = try documents.subfolder(stagingName) {
            for name in try earlier.names() { try earlier.remove(name) }
            try documents.removeSubfolder(stagingName)
        }
        return try documents.createSubfolder(stagingName)
    }

    /// Replaces the present archive, which becomes a generation, and the present documents, which are moved aside.
    ///
    /// - Parameters:
    ///   - archive: Whether an archive was staged. Otherwise the present one stays.
    ///   - staged: Directory of the staged documents.
    /// - Returns: Paths of the generation and of the documents from before, or `nil` where nothing was replaced.
    package func commit(
        archive: Bool, documents staged: Directory
    ) throws(IOError) -> (generation: String?, documents: String?) {
        var generation: String?
        if archive, let present = try folder.read(Layout.archive, limit: .max) {
            let history = try NumberedFolder(.history, in: folder)
            generation = try history.keep(present, because: Self.reason).path
        }
        try staged.synchronize()
        let replaced = try replaceDocuments()
        try documents.synchronize()
        if archive {
            try folder.rename(Layout.temporary, to: Layout.archive)
            try folder.synchronize()
        }
        return (generation, replaced)
    }

    private func replaceDocuments() throws(IOError) -> String? {
        guard try documents.entryStatus(of: bundleIdentifier) != nil else {
            try documents.rename(stagingName, to: bundleIdentifier)
            return nil
        }
        var number = 1
        while try documents.entryStatus(of: "\(bundleIdentifier).replaced-\(number)") != nil {
            number += 1
        }
        let name = "\(bundleIdentifier).replaced-\(number)"
        // In this order a kill never leaves the documents from before under the name that the next attempt removes.
        try documents.rename(stagingName, to: name)
        try documents.exchange(name, with: bundleIdentifier)
        return "\(documents.path)/\(name)"
    }
}

extension ApplicationArchive {
    /// Name of the archive in the directory of its application.
    package static let fileName = Layout.archive
    /// Suffix of the name of an application's directory, after the bundle identifier.
    package static let folderSuffix = Layout.folderSuffix
}
