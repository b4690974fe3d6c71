package import LinuxIO

/// Installation of one application's archive and documents from a backup.
///
/// No daemon may use the state directory during the installation.
///
/// All files are written under temporary names first. ``commit()`` then replaces the existing files. If an error occurs
/// or the process is killed before then, the state directory is unchanged.
package struct BackupInstallation {
    private static let generationReason = "a backup was restored"

    private let bundleIdentifier: String
    private let applicationsDirectory: Directory
    private let directory: Directory
    private let documentsDirectory: Directory
    private let stagedDocumentsDirectory: Directory

    /// Opens or creates an application's directories, and removes files left by an interrupted restore.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the application.
    ///   - root: State directory that the caller has locked.
    package init(of bundleIdentifier: String, in root: Directory) throws(IOError) {
        self.bundleIdentifier = bundleIdentifier
        applicationsDirectory = try root.openOrCreateSubdirectory(
            StateDirectoryLayout.applicationsDirectoryName)
        directory = try applicationsDirectory.openOrCreateSubdirectory(
            bundleIdentifier + StateDirectoryLayout.directorySuffix)
        documentsDirectory = try root.openOrCreateSubdirectory(
            StateDirectoryLayout.documentsDirectoryName)
        try applicationsDirectory.synchronize()
        try root.synchronize()
        try directory.remove(StateDirectoryLayout.temporaryArchiveName)
        let name = Self.stagingName(of: bundleIdentifier)
        try documentsDirectory.removeFlatSubdirectory(name)
        stagedDocumentsDirectory = try documentsDirectory.createSubdirectory(name)
    }

    /// Writes the archive durably under a temporary name. An encrypted archive stays encrypted.
    package func stage(archive bytes: [UInt8]) throws(IOError) {
        try directory.writeNewFile(StateDirectoryLayout.temporaryArchiveName, bytes)
    }

    /// Writes a document durably under a temporary name.
    package func stage(document name: String, _ bytes: [UInt8]) throws(IOError) {
        try stagedDocumentsDirectory.writeNewFile(name, bytes)
    }

    /// Removes all staged files. If this fails, the next restore removes the remaining files.
    package func discard() {
        do throws(IOError) {
            try directory.remove(StateDirectoryLayout.temporaryArchiveName)
            try documentsDirectory.removeFlatSubdirectory(Self.stagingName(of: bundleIdentifier))
            if try directory.names().isEmpty {
                try applicationsDirectory.removeSubdirectory(
                    bundleIdentifier + StateDirectoryLayout.directorySuffix)
            }
        } catch {}  // The next restore removes the remaining files.
    }

    /// Replaces the existing archive and documents with the staged files.
    ///
    /// The existing archive becomes a generation, and the directory of the existing documents is renamed.
    ///
    /// If the existing archive equals the archive in the backup, no generation is added to the history. If the existing
    /// documents equal the documents in the backup, they remain in place.
    ///
    /// - Returns: Paths of the generation and of the previous documents. Each path is `nil` if there was nothing to
    ///   save.
    package func commit() throws(IOError) -> (generationPath: String?, documentsPath: String?) {
        var generationPath: String?
        if try directory.entryStatus(of: StateDirectoryLayout.temporaryArchiveName) != nil {
            if try directory.status(of: StateDirectoryLayout.archiveFileName) != nil,
                try !directory.hasSameFile(
                    StateDirectoryLayout.archiveFileName,
                    as: StateDirectoryLayout.temporaryArchiveName,
                    in: directory)
            {
                let history = try NumberedFileDirectory(.history, in: directory)
                generationPath = try history.move(
                    StateDirectoryLayout.archiveFileName, because: Self.generationReason
                )
                .path
            }
            try directory.rename(
                StateDirectoryLayout.temporaryArchiveName, to: StateDirectoryLayout.archiveFileName)
            try directory.synchronize()
        }
        try stagedDocumentsDirectory.synchronize()
        let replacedDocumentsPath = try replaceDocuments()
        try documentsDirectory.synchronize()
        return (generationPath, replacedDocumentsPath)
    }

    private func replaceDocuments() throws(IOError) -> String? {
        let stagingName = Self.stagingName(of: bundleIdentifier)
        var replacedDocumentsPath: String?
        if let currentStatus = try documentsDirectory.entryStatus(of: bundleIdentifier) {
            if currentStatus.kind == .directory,
                let directory = try documentsDirectory.openSubdirectory(bundleIdentifier),
                try directory.hasSameFiles(as: stagedDocumentsDirectory)
            {
                try documentsDirectory.removeFlatSubdirectory(stagingName)
                return nil
            }
            var suffixNumber = 1
            while try documentsDirectory.entryStatus(
                of: "\(bundleIdentifier).replaced-\(suffixNumber)") != nil
            {
                suffixNumber += 1
            }
            let name = "\(bundleIdentifier).replaced-\(suffixNumber)"
            try documentsDirectory.rename(bundleIdentifier, to: name)
            replacedDocumentsPath = "\(documentsDirectory.path)/\(name)"
        }
        if try stagedDocumentsDirectory.names().isEmpty {
            try documentsDirectory.removeSubdirectory(stagingName)
        } else {
            try documentsDirectory.rename(stagingName, to: bundleIdentifier)
        }
        return replacedDocumentsPath
    }

    private static func stagingName(of bundleIdentifier: String) -> String {
        ".\(bundleIdentifier).restored"
    }
}

extension Directory {
    /// Removes an entry if it exists. If the entry is a directory, the files in the directory are removed first.
    fileprivate func removeFlatSubdirectory(_ name: String) throws(IOError) {
        guard try entryStatus(of: name)?.kind == .directory,
            let directory = try openSubdirectory(name)
        else {
            try remove(name)
            return
        }
        for file in try directory.names() { try directory.remove(file) }
        try removeSubdirectory(name)
    }

    /// Returns whether this directory and another directory contain only regular files, with the same names and
    /// contents.
    fileprivate func hasSameFiles(as otherDirectory: Directory) throws(IOError) -> Bool {
        let names = try names()
        guard
            try names.elementsEqual(otherDirectory.names(), by: { $0.utf8.elementsEqual($1.utf8) })
        else {
            return false
        }
        for name in names where try !hasSameFile(name, as: name, in: otherDirectory) {
            return false
        }
        return true
    }

    /// Returns whether an entry is a regular file with the same contents as a file in another directory.
    fileprivate func hasSameFile(
        _ name: String, as otherName: String, in otherDirectory: Directory
    ) throws(IOError) -> Bool {
        guard let status = try entryStatus(of: name), status.kind == .file,
            try status.size == otherDirectory.status(of: otherName)?.size
        else { return false }
        return try read(name, limit: status.size)
            == otherDirectory.read(otherName, limit: status.size)
    }
}
