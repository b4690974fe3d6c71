import Glibc
import LinuxIO

// Leaving out of the file what no longer counts, while records are appended to it.

extension ArchiveLog {
    /// The length above which a file is compacted whose file system cannot do it; it is written whole
    /// when it is far longer than it has to be, see ``mostBytes(wholeByteCount:minimum:)``.
    private static let neverCompacted = Int.max

    /// The most bytes that appending may give the file; beyond, a whole new one is written.
    ///
    /// - Parameters:
    ///   - wholeByteCount: the bytes of a file that holds nothing else than what counts.
    ///   - minimum: a file of so many bytes or fewer is not compacted.
    func mostBytes(wholeByteCount: Int, minimum: Int) -> Int {
        guard compactAbove == Self.neverCompacted else { return place.limit }
        return min(place.limit, 16 * max(minimum, wholeByteCount))
    }

    /// Begins to leave out what no longer counts, if that is worth it: the file is more than twice as long
    /// as it has to be. The parameters are as for ``mostBytes(wholeByteCount:minimum:)``.
    mutating func beginCompaction(wholeByteCount: Int, minimum: Int) -> CompactionJob? {
        guard case .appending(.open(let file), let unwritten) = state, !isClosed,
            unwritten.isEmpty, file.byteCount > minimum, file.byteCount > 2 * wholeByteCount,
            file.byteCount > compactAbove
        else { return nil }
        do throws(IOError) {
            guard let folder = try place.folder() else { return nil }
            let copy = ArchiveCopy(
                of: file, in: folder, bundleIdentifier: place.bundleIdentifier,
                name: Layout.compacted)
            state = .appending(.copying(file, copy), unwritten: [])
            return CompactionJob(step: .copy(copy))
        } catch {
            failCompaction(of: file, error.description)
            return nil
        }
    }

    /// A step of the compaction has ended.
    ///
    /// - Returns: the next step; nil if there is none.
    mutating func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        var next: CompactionJob?
        switch (job.step, appendedFiles, result) {
        case (.copy(let copy), .copying(let file, let current), .copied(let copied))
        where copy === current:
            next = endCopy(copy, copied, of: file)
        case (.copy(let copy), .copying(let file, let current), .failed(let failure))
        where copy === current:
            fail(failure, file)
        case (.exchange(let exchange), .doubled(let old, let new, let current), .published)
        where exchange === current:
            endExchange(old, new)
        case (.exchange(let exchange), .doubled(var old, _, let current), .failed(let failure))
        where exchange === current:
            old.isNamed = true
            fail(failure, old)
        default:
            // It was given up, or the names were exchanged before.
            if case .copied(let copied) = result { removeLeftover(copied.file) }
        }
        if case .published(isForeignOut: true) = result { notice("another file had its name") }
        return next
    }

    /// No step of a compaction changes anything any more.
    mutating func cancelCompaction() throws(SaveError) {
        switch appendedFiles {
        case nil, .open: return
        case .copying(let file, _): appendOnly(to: file)
        case .doubled(var old, var new, let exchange):
            guard exchange.cancel() else {
                old.isNamed = true
                appendOnly(to: old)
                removeLeftover(new)
                return
            }
            new.isNamed = true
            do throws(IOError) {
                try place.folder()?.synchronize()
            } catch {
                finish()
                throw .io(error)
            }
            appendOnly(to: new)
        }
    }

    // MARK: Steps

    private var appendedFiles: AppendedFiles? {
        if case .appending(let files, _) = state { files } else { nil }
    }

    private mutating func append(to files: AppendedFiles) {
        guard case .appending(_, let unwritten) = state else { return }
        state = .appending(files, unwritten: unwritten)
    }

    private mutating func appendOnly(to file: ArchiveFile) { append(to: .open(file)) }

    private mutating func endCopy(
        _ copy: ArchiveCopy, _ copied: CopiedArchive, of file: ArchiveFile
    ) -> CompactionJob? {
        do {
            var old = file
            var new = copied.file
            try new.append(copy.takeAppended())
            guard let folder = try place.folder() else {
                throw IOError(.openFolder, path: place.path, code: ENOENT)
            }
            // Which of the two has the name is from now on for the exchange to know.
            old.isNamed = false
            let exchange = ArchiveExchange(
                old: old, new: new, in: folder, name: Layout.archive,
                newName: Layout.compacted)
            identity.add(try new.file.status())
            append(to: .doubled(old, new, exchange))
            sequence = max(sequence, new.end.sequence)
            return CompactionJob(step: .exchange(exchange))
        } catch {
            failCompaction(of: file, String(describing: error))
            return nil
        }
    }

    private mutating func endExchange(_ old: ArchiveFile, _ new: ArchiveFile) {
        var new = new
        new.isNamed = true
        appendOnly(to: new)
        identity.keepNewest()
        compactAbove = 0
        incidents.append(.compacted(from: old.byteCount, to: new.byteCount))
    }

    private mutating func fail(_ failure: CompactionFailure, _ file: ArchiveFile) {
        switch failure {
        case .refused(let reason):
            failCompaction(of: file, reason)
        case .unsupported:
            appendOnly(to: file)
            compactAbove = Self.neverCompacted
            incidents.append(.compactionUnsupported)
        case .unpublished(let error):
            finish()
            incidents.append(.compactionFailed(reason: error.description))
        case .unreadable:
            notice("it does not hold any more what was written to it")
            finish()
            incidents.append(
                .compactionFailed(
                    reason: "'\(place.path)' does not hold any more what was written to it"))
        }
    }

    private mutating func failCompaction(of file: ArchiveFile, _ reason: String) {
        appendOnly(to: file)
        // Before it is tried again the file has to grow.
        compactAbove = file.byteCount + file.byteCount / 2
        incidents.append(.compactionFailed(reason: reason))
    }

    /// The new file of a compaction that was given up goes; one that does not is taken away later.
    private mutating func removeLeftover(_ new: ArchiveFile) {
        do throws(IOError) {
            if let folder = try place.folder() { try CompactionLeftover(in: folder).remove(new) }
        } catch {
            incidents.append(.leftover(error))
        }
    }
}
