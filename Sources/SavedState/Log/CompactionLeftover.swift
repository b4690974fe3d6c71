import LinuxIO

/// What lies under the name of a compaction's file when no compaction goes on.
///
/// A copy that was not finished, or the old archive after the exchange, is worthless. But what
/// another program had put under the archive's name may have come there by the exchange, too.
struct CompactionLeftover {
    let folder: any Folder

    /// Takes away the new file of a compaction that came to nothing, if it is still there.
    func remove(_ new: ArchiveFile) throws(IOError) {
        guard let there = try folder.status(of: Layout.compacted),
            there.isSameFile(as: try new.file.status())
        else { return }
        try folder.remove(Layout.compacted)
    }

    /// Takes it away: what one compaction left goes, another program's archive goes to quarantine.
    ///
    /// - Parameter header: that of the archive itself; nil: there is none, or it is not known.
    func clear(besides header: ArchiveHeader?) throws(IOError) {
        let name = Layout.compacted
        guard let file = try folder.openForReading(name) else { return }
        switch ArchiveHeader.parse(try file.read(upTo: ArchiveFormat.largestHeader)) {
        case .header(let found) where found.header.isRelated(to: header): try folder.remove(name)
        // No archive, or one whose header was not durable yet.
        case .invalid: try folder.remove(name)
        case .header, .newer:
            try NumberedFolder(.quarantine, in: folder).take(
                name, as: Layout.archive,
                because: """
                    It had the name of a file that a compaction makes, but it was not made by \
                    one.
                    """)
        }
    }
}

extension ArchiveHeader {
    /// Whether one of the two files was made from the other, or both from a third: a compaction
    /// that failed may have been followed by a whole new file.
    fileprivate func isRelated(to other: ArchiveHeader?) -> Bool {
        guard let other else { return false }
        return source == other.fileMark || other.source == fileMark || source == other.source
    }
}
