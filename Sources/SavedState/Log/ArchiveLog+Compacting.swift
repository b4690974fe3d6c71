import Glibc
import LinuxIO
import StateRecords

// Leaving out of the file what no longer counts, while records are appended to it.

extension ArchiveLog {
    /// The length above which a file is compacted whose file system cannot do it; it is written
    /// whole when it is far longer than it has to be, see ``mostBytes(wholeByteCount:minimum:)``.
    private static let neverCompacted = Int.max

    /// The most bytes that appending may give the file; beyond, a whole new one is written.
    ///
    /// - Parameters:
    ///   - wholeByteCount: the bytes of a file of nothing but what counts.
    ///   - minimum: a file of so many bytes or fewer is not compacted.
    func mostBytes(wholeByteCount: Int, minimum: Int) -> Int {
        guard compactAbove == Self.neverCompacted else { return place.limit }
        return min(place.limit, 16 * max(minimum, wholeByteCount))
    }

    /// See ``ApplicationArchive/beginCompaction()``; the parameters are as for
    /// ``mostBytes(wholeByteCount:minimum:)``.
    func beginCompaction(wholeByteCount: Int, minimum: Int) -> CompactionJob? {
        guard case .appending(let files) = state, case .none = files.compaction, !isClosed,
            files.unwritten.isEmpty,
            files.file.byteCount > max(minimum, 2 * wholeByteCount, compactAbove)
        else { return nil }
        do throws(IOError) {
            guard let folder = try place.folder() else { return nil }
            let copy = ArchiveCopy(of: files.file, in: folder)
            files.compaction = .copying(copy)
            return .copy(copy)
        } catch {
            failCompaction(of: files.file, error.description)
            return nil
        }
    }

    /// See ``ApplicationArchive/endCompaction(_:_:)``.
    func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        var next: CompactionJob?
        switch (job, appended?.compaction, result) {
        case (.copy(let copy), .copying(let current), .copied(let new)) where copy === current:
            next = endCopy(copy, new)
        case (.copy(let copy), .copying(let current), .failed(let failure)) where copy === current:
            fail(failure)
        case (.exchange(let exchange), .exchanging(let new, let current), .published)
        where exchange === current:
            endExchange(new)
        case (.exchange(let exchange), .exchanging(_, let current), .failed(let failure))
        where exchange === current:
            fail(failure)
        default:
            // It was given up, or the names were exchanged before.
            if case .copied(let new) = result { removeLeftover(new) }
            isCompactionLeft = false
        }
        if case .published(isForeignOut: true) = result { notice("another file had its name") }
        return next
    }

    /// No step of a compaction changes anything any more.
    func cancelCompaction() throws(IOError) {
        guard let files = appended else { return }
        switch files.compaction {
        case .none: return
        case .copying:
            noteMark(of: files)
            isCompactionLeft = true
            appendOnly(to: files.file)
        case .exchanging(let new, let exchange):
            guard exchange.cancel() else {
                appendOnly(to: files.file)
                return removeLeftover(new)
            }
            do throws(IOError) {
                try place.folder()?.synchronize()
            } catch {
                finish()
                throw error
            }
            appendOnly(to: new)
        }
    }

    // MARK: Steps

    private var appended: AppendedFiles? {
        if case .appending(let files) = state { files } else { nil }
    }

    /// The compaction is over, and this file has the name.
    private func appendOnly(to file: ArchiveFile) {
        guard let files = appended else { return }
        files.file = file
        files.file.isNamed = true
        files.compaction = .none
    }

    private func endCopy(_ copy: ArchiveCopy, _ copied: ArchiveFile) -> CompactionJob? {
        guard let files = appended else { return nil }
        do {
            var new = copied
            try new.append(copy.takeAppended())
            guard let folder = try place.folder() else {
                throw IOError(.openFolder, path: place.path, code: ENOENT)
            }
            let exchange = ArchiveExchange(old: files.file, new: new, in: folder)
            identity.add(try new.file.status())
            // Which of the two has the name is from now on for the exchange to know.
            files.file.isNamed = false
            files.compaction = .exchanging(new, exchange)
            sequence = max(sequence, new.end.sequence)
            return .exchange(exchange)
        } catch {
            failCompaction(of: files.file, String(describing: error))
            return nil
        }
    }

    private func endExchange(_ new: ArchiveFile) {
        let before = appended?.file.byteCount ?? 0
        appendOnly(to: new)
        identity.keepNewest()
        compactAbove = 0
        incidents.append(.compacted(from: before, to: new.byteCount))
    }

    private func fail(_ failure: CompactionFailure) {
        guard let file = appended?.file else { return }
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

    private func failCompaction(of file: ArchiveFile, _ reason: String) {
        appendOnly(to: file)
        // Before it is tried again the file has to grow.
        compactAbove = file.byteCount + file.byteCount / 2
        incidents.append(.compactionFailed(reason: reason))
    }

    /// The new file of a compaction that was given up goes; one that does not is taken away later.
    private func removeLeftover(_ new: ArchiveFile) {
        do throws(IOError) {
            if let folder = try place.folder() {
                try CompactionLeftover(folder: folder).remove(new)
            }
        } catch {
            incidents.append(.leftover(error))
        }
    }
}
