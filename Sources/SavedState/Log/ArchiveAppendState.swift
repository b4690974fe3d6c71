import LinuxIO
import StateRecords

/// Archive file to which records are appended, together with any unwritten records and any compaction in progress.
final class ArchiveAppendState {
    /// Progress of a compaction.
    enum Compaction {
        /// No compaction is in progress.
        case none
        /// Another thread is copying the file's live records.
        case copying(CompactionCopy)
        /// Another thread is exchanging the names of the old and the new file. Until that thread has finished, records
        /// are appended to both files.
        case exchanging(ArchiveFile, CompactionExchange)
    }

    /// The archive's file. During an exchange of names, this is the old file, which has more records.
    @exclusivity(unchecked) var file: ArchiveFile
    /// Records that have not been written to the file yet.
    @exclusivity(unchecked) var unwrittenRecords = RecordList()
    @exclusivity(unchecked) var compaction = Compaction.none

    /// Creates the state for a file that contains all records.
    init(file: ArchiveFile) { self.file = file }

    /// The file and, during an exchange of names, the compaction's new file.
    var allFiles: [ArchiveFile] {
        if case .exchanging(let newFile, _) = compaction { [file, newFile] } else { [file] }
    }

    /// Highest sequence number in the files.
    var highestSequence: UInt64 {
        guard case .exchanging(let newFile, _) = compaction else { return file.end.sequence }
        return max(file.end.sequence, newFile.end.sequence)
    }

    /// Appends records with one write. If there are two files, the records are appended to both or to neither.
    ///
    /// - Parameter limit: See ``ArchiveFile/append(_:reservingUpTo:)``.
    func append(
        _ records: RecordList, reservingUpTo limit: Int
    ) throws(ArchiveFile.Failure) {
        switch compaction {
        case .none: try file.append(records, reservingUpTo: limit)
        case .copying(let copy):
            try file.append(records, reservingUpTo: limit)
            copy.add(records)
        case .exchanging(var newFile, let exchange):
            let oldFile = exchange.isPublished ? nil : file
            if oldFile != nil { try file.append(records) }
            do throws(ArchiveFile.Failure) {
                try newFile.append(records)
            } catch {
                // The new file may contain a part of the records.
                compaction = .exchanging(newFile, exchange)
                guard let oldFile else { throw error }
                file = oldFile
                try file.truncateToEnd()
                throw error
            }
            compaction = .exchanging(newFile, exchange)
        }
    }

    /// Removes the reserved space at the end of the file. A file that a compaction is writing has no reserved space.
    ///
    /// - Returns: Whether the file had reserved space.
    func releaseReservedSpace() throws(IOError) -> Bool { try file.releaseReservedSpace() }

    /// Records that each file is durable up to the given end of its record chain.
    func markSynced(_ ends: [EncodedRecords.ChainEnd]) {
        file.markSynced(ends)
        guard case .exchanging(var newFile, let exchange) = compaction else { return }
        newFile.markSynced(ends)
        compaction = .exchanging(newFile, exchange)
    }
}
