import LinuxIO
import StateRecords
import Synchronization

/// Copies what counts of an archive into a new file, while records are appended to the old one.
///
/// Only bytes are read that were written before the copy was begun, by the old file's own
/// descriptor, and every checksum is checked again.
package final class ArchiveCopy: Sendable {
    private let source: ArchiveFile
    private let folder: any Folder
    /// Records that were appended to the old file meanwhile.
    private let appended = Mutex(RecordList())

    /// The most rounds of catching up; what then is left is appended at once.
    private static let mostRounds = 16
    /// So few records may be left to be appended at once.
    private static let fewRecords = 64

    init(of source: ArchiveFile, in folder: any Folder) {
        self.source = source
        self.folder = folder
    }

    /// Records were appended to the old file.
    func add(_ records: RecordList) { appended.withLock { $0.append(records) } }

    /// The records that the new file lacks.
    func takeAppended() -> RecordList {
        appended.withLock { records in
            defer { records = RecordList() }
            return records
        }
    }

    /// Writes the new file; on any thread.
    func run() -> CompactionResult {
        do {
            guard let (header, prefix) = try source.readBack() else { return .failed(.unreadable) }
            // It may be what was left by a compaction before, or something else.
            try CompactionLeftover(folder: folder).clear(besides: header)
            return .copied(try write(prefix.store, of: header.bundleIdentifier))
        } catch {
            return .failed(.refused(reason: "\(error)"))
        }
    }

    private func write(_ store: ObjectStore, of bundleIdentifier: String) throws -> ArchiveFile {
        let records = store.wholeRecords()
        // Its last record has the sequence of the old file's, so that order is kept.
        let count = UInt64(records.count)
        let before = source.end.sequence > count ? source.end.sequence - count : 0
        // Its id tells which file it was made from.
        let whole = ArchiveEncoder.whole(
            records, bundleIdentifier: bundleIdentifier, after: before, from: source.end.fileMark)
        do {
            let file = try folder.writeNew(Layout.compacted, whole.bytes)
            var copy = ArchiveFile(file, path: source.path, whole)
            copy.isNamed = false
            for _ in 0..<Self.mostRounds {
                if appended.withLock({ $0.count }) <= Self.fewRecords { break }
                try copy.append(takeAppended())
            }
            return copy
        } catch {
            // A part of it would only fill the disk; what cannot be removed is, before the next
            // one.
            do throws(IOError) { try folder.remove(Layout.compacted) } catch {}
            throw error
        }
    }
}
