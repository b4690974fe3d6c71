package import LinuxIO

/// Restoration of one application's archive and documents into a state directory that no daemon uses.
///
/// All files are written under temporary names first. ``commit()`` then replaces the existing files. If an error occurs
/// or the process is killed before then, the state directory is unchanged.
package struct BackupInstallation {
    private static let reason = "a backup was restored"

    private let bundleIdentifier: String
    private let applications: Directory
    private let folder: Directory
    private let documents: Directory
    private let stagedDocuments: Directory

    /// Opens and creates the directories of an application, and removes the files of an earlier interrupted
    /// restore.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the application.
    ///   - root: State directory, which the caller has locked.
    package init(of bundleIdentifier: String, in root: Directory) throws(IOError) {
        self.bundleIdentifier = bundleIdentifier
        applications = try root.makeSubfolder(Layout.applications)
        folder = try applications.makeSubfolder(bundleIdentifier + Layout.folderSuffix)
        documents = try root.makeSubfolder(Layout.documents)
        try applications.synchronize()
        try root.synchronize()
        try folder.remove(Layout.temporary)
        let name = Self.stagingName(of: bundleIdentifier)
        try documents.removeFlatSubfolder(name)
        stagedDocuments = try documents.createSubfolder(name)
    }

    /// Writes the archive durably under a temporary name. An encrypted archive stays encrypted.
    package func stage(archive bytes: [UInt8]) throws(IOError) {
        try folder.writeNew(Layout.temporary, bytes)
    }

    /// Writes a document durably under a temporary name.
    package func stage(document name: String, _ bytes: [UInt8]) throws(IOError) {
        try stagedDocuments.writeNew(name, bytes)
    }

    /// Removes all staged files as far as possible.
    package func discard() {
        do throws(IOError) {
            try folder.remove(Layout.temporary)
            try documents.removeFlatSubfolder(Self.stagingName(of: bundleIdentifier))
            if try folder.names().isEmpty {
                try applications.removeSubfolder(bundleIdentifier + Layout.folderSuffix)
            }
        } catch {}  // The next restore removes it.
    }

    /// Replaces the existing archive and documents. The archive becomes a generation, and the documents are renamed.
    ///
    /// Existing state that equals the backup is not saved to history again.
    ///
    /// - Returns: Paths of the generation and of the previous documents, or `nil` where nothing was replaced.
    package func commit() throws(IOError) -> (generation: String?, documents: String?) {
        var generation: String?
        if try folder.entryStatus(of: Layout.temporary) != nil {
            if try folder.status(of: Layout.archive) != nil,
                try !folder.hasSameFile(Layout.archive, as: Layout.temporary, in: folder)
            {
                let history = try NumberedFolder(.history, in: folder)
                generation = try history.move(Layout.archive, because: Self.reason).path
            }
            try folder.rename(Layout.temporary, to: Layout.archive)
            try folder.synchronize()
        }
        try stagedDocuments.synchronize()
        let replaced = try replaceDocuments()
        try documents.synchronize()
        return (generation, replaced)
    }

    private func replaceDocuments() throws(IOError) -> String? {
        let staging = Self.stagingName(of: bundleIdentifier)
        var replaced: String?
        if let present = try documents.entryStatus(of: bundleIdentifier) {
            if present.kind == .folder, let folder = try documents.subfolder(bundleIdentifier),
                try folder.hasSameFiles(as: stagedDocuments)
            {
                try documents.removeFlatSubfolder(staging)
                return nil
            }
            var number = 1
            while try documents.entryStatus(of: "\(bundleIdentifier).replaced-\(number)") != nil {
                number += 1
            }
            let name = "\(bundleIdentifier).replaced-\(number)"
            try documents.rename(bundleIdentifier, to: name)
            replaced = "\(documents.path)/\(name)"
        }
        if try stagedDocuments.names().isEmpty {
            try documents.removeSubfolder(staging)
        } else {
            try documents.rename(staging, to: bundleIdentifier)
        }
        return replaced
    }

    private static func stagingName(of bundleIdentifier: String) -> String {
        ".\(bundleIdentifier).restored"
    }
}

extension Directory {
    /// Removes a directory and the files in it, or any other entry, if it exists.
    fileprivate func removeFlatSubfolder(_ name: String) throws(IOError) {
        guard try entryStatus(of: name)?.kind == .folder, let folder = try subfolder(name) else {
            try remove(name)
            return
        }
        for file in try folder.names() { try folder.remove(file) }
        try removeSubfolder(name)
    }

    /// Returns whether this directory and another one contain the same names, and regular files with the same contents.
    fileprivate func hasSameFiles(as other: Directory) throws(IOError) -> Bool {
        let names = try names()
        guard try names.elementsEqual(other.names(), by: { $0.utf8.elementsEqual($1.utf8) }) else {
            return false
        }
        for name in names where try !hasSameFile(name, as: name, in: other) { return false }
        return true
    }

    /// Returns whether a name refers to a regular file with the same contents as a file in another directory.
    fileprivate func hasSameFile(
        _ name: String, as otherName: String, in other: Directory
    ) throws(IOError) -> Bool {
        guard let status = try entryStatus(of: name), status.kind == .file,
            try status.size == other.status(of: otherName)?.size
        else { return false }
        return try read(name, limit: status.size) == other.read(otherName, limit: status.size)
    }
}
