import LinuxIO

/// File that has the name of a compaction's new file although no compaction is in progress.
///
/// If the file is an incomplete copy, or the old archive after the exchange, it is not needed. However, an exchange of
/// names may also have given this name to another program's file.
struct CompactionLeftover {
    let folder: any Folder

    /// Removes the new file of a failed compaction, if it still exists.
    func remove(_ new: ArchiveFile) throws(IOError) {
        guard let there = try folder.status(of: Layout.compacted),
            there.isSameFile(as: try new.file.status())
        else { return }
        try folder.remove(Layout.compacted)
    }

    /// Removes the leftover of a compaction, or moves another program's archive to quarantine.
    ///
    /// - Parameter header: Header of the archive itself, or `nil` if it is missing or unknown.
    func clear(besides header: ArchiveHeader?) throws(IOError) {
        let name = Layout.compacted
        guard let file = try folder.openForReading(name) else { return }
        switch ArchiveHeader.parse(try file.read(upTo: ArchiveFormat.largestHeader)) {
        case .header(let found) where found.header.isRelated(to: header): try folder.remove(name)
        // The file is not an archive, or is an archive whose header was not durable yet.
        case .invalid: try folder.remove(name)
        case .header, .newer:
            try NumberedFolder(.quarantine, in: folder).move(
                name, as: Layout.archive,
                because: """
                    It had the name of a compaction's temporary file, but no compaction created \
                    it.
                    """)
        }
    }
}

extension ArchiveHeader {
    /// Returns whether one of the two files was made from the other, or both were made from a third file.
    ///
    /// The second case occurs if a whole new file was written after a failed compaction.
    fileprivate func isRelated(to other: ArchiveHeader?) -> Bool {
        guard let other else { return false }
        return source == other.fileMark || other.source == fileMark || source == other.source
    }
}
