import Glibc
import LinuxIO

extension ApplicationArchive {
    /// Begins to leave out of the file what no longer counts, if that is worth it: the file is more
    /// than twice as long as it has to be.
    ///
    /// Appends go on meanwhile.
    ///
    /// - Returns: what another thread is to run; ``endCompaction(_:_:)`` has to be told of its result.
    package func beginCompaction() -> CompactionJob? {
        guard case .loaded(let image) = phase, case .open(let file) = image.file,
            !image.closed, image.unwritten.isEmpty, file.byteCount > compactionMinimum,
            file.byteCount > 2 * image.store.byteCount, file.byteCount > image.compactAbove
        else { return nil }
        let folder: (any Folder)?
        do throws(IOError) {
            folder = try self.folder()
        } catch {
            failCompaction(of: image, file, error.description)
            return nil
        }
        guard let folder else { return nil }
        let copy = ArchiveCopy(
            of: file, in: folder, bundleIdentifier: bundleIdentifier, name: Layout.compacted)
        image.file = .copying(file, copy)
        return CompactionJob(step: .copy(copy))
    }

    /// A step of the compaction has ended.
    ///
    /// - Returns: the next step; nil if there is none.
    package func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        guard case .loaded(let image) = phase else { return nil }
        switch (job.step, image.file, result) {
        case (.copy(let copy), .copying(let file, let current), .copied(let copied))
        where copy === current:
            return endCopy(copy, copied, of: file, image)
        case (.copy(let copy), .copying(let file, let current), .failed(let failure))
        where copy === current:
            fail(failure, image, file)
        case (.exchange(let exchange), .doubled(let old, let new, let current), .published)
        where exchange === current:
            endExchange(old, new, image)
        case (.exchange(let exchange), .doubled(var old, _, let current), .failed(let failure))
        where exchange === current:
            old.isNamed = true
            fail(failure, image, old)
        default:
            // It was given up, or the names were exchanged before.
            if case .copied(let copied) = result { removeLeftover(copied.file, of: image) }
        }
        if case .published(isForeignOut: true) = result { noteForeign(image) }
        return nil
    }

    private func endCopy(
        _ copy: ArchiveCopy, _ copied: CopiedArchive, of file: ArchiveFile, _ image: ArchiveImage
    ) -> CompactionJob? {
        do {
            var old = file
            var new = copied.file
            try new.append(copy.takeAppended())
            guard let folder = try folder() else {
                throw IOError(.openFolder, path: path, code: ENOENT)
            }
            // Which of the two has the name is from now on for the exchange to know.
            old.isNamed = false
            let exchange = ArchiveExchange(
                old: old, new: new, in: folder, name: Layout.archive,
                newName: Layout.compacted)
            image.known.append(try new.file.status())
            image.file = .doubled(old, new, exchange)
            image.sequence = max(image.sequence, new.end.sequence)
            return CompactionJob(step: .exchange(exchange))
        } catch {
            failCompaction(of: image, file, String(describing: error))
            return nil
        }
    }

    private func endExchange(_ old: ArchiveFile, _ new: ArchiveFile, _ image: ArchiveImage) {
        var new = new
        new.isNamed = true
        image.file = .open(new)
        image.known.removeFirst(image.known.count - 1)
        image.compactAbove = 0
        image.incidents.append(.compacted(from: old.byteCount, to: new.byteCount))
    }

    /// What had the archive's name when the new one got it was put there by another program.
    private func noteForeign(_ image: ArchiveImage) {
        image.notice("another file had its name")
    }

    private func fail(_ failure: CompactionFailure, _ image: ArchiveImage, _ file: ArchiveFile) {
        switch failure {
        case .refused(let reason):
            failCompaction(of: image, file, reason)
        case .unsupported:
            image.file = .open(file)
            image.compactAbove = Self.neverCompacted
            image.incidents.append(.compactionUnsupported)
        case .unpublished(let error):
            image.finish(error)
            image.incidents.append(.compactionFailed(reason: error.description))
        case .unreadable:
            image.notice("it does not hold any more what was written to it")
            image.finish(IOError(.read, path: path, code: EIO))
            image.incidents.append(
                .compactionFailed(
                    reason: "'\(path)' does not hold any more what was written to it"))
        }
    }

    /// The length above which a file is compacted whose file system cannot do it; it is written whole
    /// when it is far longer than it has to be, see ``mostBytes(of:)``.
    private static let neverCompacted = Int.max

    /// The most bytes that appending may give the file; beyond, a whole new one is written.
    func mostBytes(of image: ArchiveImage) -> Int {
        guard image.compactAbove == Self.neverCompacted else { return limit }
        return min(limit, 16 * max(compactionMinimum, image.store.byteCount))
    }

    private func failCompaction(of image: ArchiveImage, _ file: ArchiveFile, _ reason: String) {
        image.file = .open(file)
        // Before it is tried again the file has to grow.
        image.compactAbove = file.byteCount + file.byteCount / 2
        image.incidents.append(.compactionFailed(reason: reason))
    }

    /// The new file of a compaction that was given up goes; one that does not is taken away later.
    private func removeLeftover(_ new: ArchiveFile, of image: ArchiveImage) {
        do throws(IOError) {
            if let folder = try folder() { try CompactionLeftover(in: folder).remove(new) }
        } catch {
            image.incidents.append(.leftover(error))
        }
    }

    /// No step of a compaction changes anything any more.
    func cancelCompaction(of image: ArchiveImage) throws(SaveError) {
        switch image.file {
        case .none, .inherited, .open, .finished: return
        case .copying(let file, _): image.file = .open(file)
        case .doubled(var old, var new, let exchange):
            guard exchange.cancel() else {
                old.isNamed = true
                image.file = .open(old)
                removeLeftover(new, of: image)
                return
            }
            new.isNamed = true
            do throws(IOError) {
                try folder()?.synchronize()
            } catch {
                image.finish(error)
                throw .io(error)
            }
            image.file = .open(new)
        }
    }
}
