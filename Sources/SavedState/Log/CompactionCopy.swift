import LinuxIO
import StateRecords
import Synchronization

/// Operation that copies an archive's live records to a new file while records are appended to the old file.
///
/// The operation reads only bytes that were written before it began. It reads them through the old file's open
/// descriptor and verifies every checksum.
package final class CompactionCopy: Sendable {
    private let source: ArchiveFile
    private let directory: any DirectoryProtocol
    /// Records appended to the old file during the copy.
    private let appendedRecords = Mutex(RecordList())

    /// Maximum number of rounds in which newly appended records are copied.
    ///
    /// Any records that remain after the last round are appended in one step.
    private static let maximumRounds = 16
    /// Number of newly appended records above which another round is necessary.
    private static let maximumBacklog = 64

    init(of source: ArchiveFile, in directory: any DirectoryProtocol) {
        self.source = source
        self.directory = directory
    }

    /// Adds records that have been appended to the old file.
    func add(_ records: RecordList) { appendedRecords.withLock { $0.append(records) } }

    /// Returns and removes the records that the new file does not contain yet.
    func popAppendedRecords() -> RecordList {
        appendedRecords.withLock { records in
            defer { records = RecordList() }
            return records
        }
    }

    /// Writes the new file. This function may be called on any thread.
    func run() -> CompactionResult {
        do {
            guard let (header, prefix) = try source.readBack() else { return .failed(.unreadable) }
            // A file with the new file's name may be left over from an earlier compaction, or belong to another
            // program.
            try CompactionLeftover(directory: directory).removeOrQuarantine(archiveHeader: header)
            return .copied(try write(prefix.store, of: header.bundleIdentifier))
        } catch {
            return .failed(.aborted(reason: "\(error)"))
        }
    }

    private func write(_ store: ObjectStore, of bundleIdentifier: String) throws -> ArchiveFile {
        let records = store.allRecords()
        // Both files count as equally new, because their last records have the same sequence number.
        let count = UInt64(records.count)
        let precedingSequence = source.end.sequence > count ? source.end.sequence - count : 0
        // The source file mark identifies the file from which the new file was made.
        let completeArchive = EncodedRecords.completeArchive(
            records, bundleIdentifier: bundleIdentifier, after: precedingSequence,
            from: source.end.fileMark)
        do {
            let file = try directory.writeNewFile(
                StateDirectoryLayout.compactedArchiveName, completeArchive.bytes)
            var copy = ArchiveFile(file, path: source.path, completeArchive)
            copy.hasFinalName = false
            for _ in 0..<Self.maximumRounds {
                if appendedRecords.withLock({ $0.count }) <= Self.maximumBacklog { break }
                try copy.append(popAppendedRecords())
            }
            return copy
        } catch {
            // An incomplete file would only use disk space. If it cannot be removed now, the next compaction
            // removes it.
            do throws(IOError) {
                try directory.remove(StateDirectoryLayout.compactedArchiveName)
            } catch {}
            throw error
        }
    }
}
