import LinuxIO

/// File with the temporary name of a compaction's new file, found while no compaction is in progress.
///
/// The file is obsolete if it is an incomplete copy, or if it is the old archive after an exchange of names. However,
/// an exchange may also have given this name to another program's file.
struct CompactionLeftover {
    let directory: any DirectoryProtocol

    /// Removes a failed compaction's new file if the file still exists.
    func remove(_ newFile: ArchiveFile) throws(IOError) {
        guard
            let currentStatus = try directory.status(of: StateDirectoryLayout.compactedArchiveName),
            currentStatus.isSameFile(as: try newFile.file.status())
        else { return }
        try directory.remove(StateDirectoryLayout.compactedArchiveName)
    }

    /// Removes the file if a compaction left it, or moves it to quarantine if it is another program's archive.
    ///
    /// - Parameter header: Header of the archive itself, or `nil` if the archive is missing or its header is unknown.
    func removeOrQuarantine(archiveHeader header: ArchiveHeader?) throws(IOError) {
        let name = StateDirectoryLayout.compactedArchiveName
        guard let file = try directory.openForReading(name) else { return }
        switch ArchiveHeader.parse(try file.read(upTo: ArchiveFormat.maximumHeaderBytes)) {
        case .header(let start) where start.header.isRelated(to: header): try directory.remove(name)
        // The file is not an archive, or is an archive whose header was not durable yet.
        case .invalid: try directory.remove(name)
        case .header, .newer:
            try NumberedFileDirectory(.quarantine, in: directory).move(
                name, as: StateDirectoryLayout.archiveFileName,
                because: """
                    It had the name of a compaction's temporary file, but no compaction created \
                    it.
                    """)
        }
    }
}

extension ArchiveHeader {
    /// Returns whether one of the two files was made from the other or both were made from a third file.
    ///
    /// The second case occurs if a complete new file was written after a failed compaction.
    fileprivate func isRelated(to other: ArchiveHeader?) -> Bool {
        guard let other else { return false }
        return sourceFileMark == other.fileMark || other.sourceFileMark == fileMark
            || sourceFileMark == other.sourceFileMark
    }
}
