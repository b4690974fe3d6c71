import StateRecords

/// The file that records are appended to, what it lacks, and the compaction that goes on.
final class AppendedFiles {
    /// How far a compaction has come.
    enum Compaction {
        /// None goes on.
        case none
        /// Another thread copies what counts of the file.
        case copying(ArchiveCopy)
        /// Records go to this file, too, while another thread gives it the name of the first.
        case exchanging(ArchiveFile, ArchiveExchange)
    }

    /// The file; during an exchange the old one, which is the longest.
    @exclusivity(unchecked) var file: ArchiveFile
    /// The records that it lacks.
    @exclusivity(unchecked) var unwritten = RecordList()
    @exclusivity(unchecked) var compaction = Compaction.none

    /// A file that lacks nothing.
    init(file: ArchiveFile) { self.file = file }

    /// The file, and the second one of a compaction.
    var all: [ArchiveFile] {
        if case .exchanging(let new, _) = compaction { [file, new] } else { [file] }
    }

    /// The highest sequence number of their records.
    var sequence: UInt64 {
        guard case .exchanging(let new, _) = compaction else { return file.end.sequence }
        return max(file.end.sequence, new.end.sequence)
    }

    /// Appends records by one write. Of two files both get them, or none.
    func append(_ records: RecordList) throws(ArchiveFile.Failure) {
        switch compaction {
        case .none: try file.append(records)
        case .copying(let copy):
            try file.append(records)
            copy.add(records)
        case .exchanging(var new, let exchange):
            let before = exchange.isPublished ? nil : file
            if before != nil { try file.append(records) }
            do throws(ArchiveFile.Failure) {
                try new.append(records)
            } catch {
                guard let before else { throw error }
                file = before
                guard case .refused(let cause) = error else { throw error }
                throw before.cutOff(because: cause)
            }
            compaction = .exchanging(new, exchange)
        }
    }

    /// Records up to these are known to be durable.
    func noteSynced(_ ends: [ArchiveEncoder.ChainEnd]) {
        file.noteSynced(ends)
        guard case .exchanging(var new, let exchange) = compaction else { return }
        new.noteSynced(ends)
        compaction = .exchanging(new, exchange)
    }
}
