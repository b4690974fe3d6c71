import Glibc
import LinuxIO
import StateRecords

// Compaction, which removes obsolete records from the file while new records are appended to it.

extension ArchiveLog {
    /// Value of `compactionThreshold` if the file system does not support compaction.
    ///
    /// In this case, the file is replaced by a complete new file when it is far longer than necessary (see
    /// ``maximumBytes(compactedByteCount:minimum:)``).
    private static let unsupportedCompactionThreshold = Int.max

    /// Returns the maximum length of the file after an append.
    ///
    /// If an append would make the file longer, a complete new file is written instead.
    ///
    /// - Parameters:
    ///   - compactedByteCount: Length of a file that contains only live records.
    ///   - minimum: Length up to which a file is never compacted, in bytes.
    func maximumBytes(compactedByteCount: Int, minimum: Int) -> Int {
        guard compactionThreshold == Self.unsupportedCompactionThreshold else {
            return location.limit
        }
        return min(location.limit, 16 * max(minimum, compactedByteCount))
    }

    /// Begins a compaction (see ``ApplicationArchive/beginCompaction()``).
    ///
    /// For the parameters, see ``maximumBytes(compactedByteCount:minimum:)``.
    func beginCompaction(compactedByteCount: Int, minimum: Int) -> CompactionJob? {
        guard case .appending(let files) = state, case .none = files.compaction, !isClosed,
            files.unwrittenRecords.isEmpty,
            files.file.byteCount > max(minimum, 2 * compactedByteCount, compactionThreshold)
        else { return nil }
        do throws(IOError) {
            guard let directory = try location.openDirectory() else { return nil }
            let copy = CompactionCopy(of: files.file, in: directory)
            files.compaction = .copying(copy)
            return .copy(copy)
        } catch {
            failCompaction(of: files.file, error.description)
            return nil
        }
    }

    /// Processes the result of a compaction step (see ``ApplicationArchive/endCompaction(_:_:)``).
    func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        var nextJob: CompactionJob?
        switch (job, appendState?.compaction, result) {
        case (.copy(let copy), .copying(let current), .copied(let copiedFile))
        where copy === current:
            nextJob = endCopy(copy, copiedFile)
        case (.copy(let copy), .copying(let current), .failed(let failure)) where copy === current:
            fail(failure)
        case (.exchange(let exchange), .exchanging(let newFile, let current), .published)
        where exchange === current:
            endExchange(newFile)
        case (.exchange(let exchange), .exchanging(_, let current), .failed(let failure))
        where exchange === current:
            fail(failure)
        default:
            // The compaction was cancelled, or the names had already been exchanged.
            if case .copied(let copiedFile) = result { removeLeftover(copiedFile) }
            mayHaveCompactionLeftover = false
        }
        if case .published(isForeignFileRestored: true) = result {
            recordExternalChange("another file was at its path")
        }
        return nextJob
    }

    /// Cancels the compaction. Its remaining steps then have no effect.
    func cancelCompaction() throws(IOError) {
        guard let files = appendState else { return }
        switch files.compaction {
        case .none: return
        case .copying:
            recordSourceFileMark(of: files)
            mayHaveCompactionLeftover = true
            appendOnly(to: files.file)
        case .exchanging(let newFile, let exchange):
            guard exchange.cancel() else {
                appendOnly(to: files.file)
                return removeLeftover(newFile)
            }
            do throws(IOError) {
                try location.openDirectory()?.synchronize()
            } catch {
                abandonFile()
                throw error
            }
            appendOnly(to: newFile)
        }
    }

    // MARK: Steps

    private var appendState: ArchiveAppendState? {
        if case .appending(let files) = state { files } else { nil }
    }

    /// Finishes the compaction. From then on, records are appended only to the given file, which has the archive's
    /// name.
    private func appendOnly(to file: ArchiveFile) {
        guard let files = appendState else { return }
        files.file = file
        files.file.hasFinalName = true
        files.compaction = .none
    }

    private func endCopy(_ copy: CompactionCopy, _ copiedFile: ArchiveFile) -> CompactionJob? {
        guard let files = appendState else { return nil }
        do {
            var newFile = copiedFile
            try newFile.append(copy.popAppendedRecords())
            guard let directory = try location.openDirectory() else {
                throw IOError(.openDirectory, path: location.path, code: ENOENT)
            }
            let exchange = CompactionExchange(oldFile: files.file, newFile: newFile, in: directory)
            knownFiles.add(try newFile.file.status())
            // From now on, the exchange decides which of the two files has the archive's name.
            files.file.hasFinalName = false
            files.compaction = .exchanging(newFile, exchange)
            sequence = max(sequence, newFile.end.sequence)
            return .exchange(exchange)
        } catch {
            failCompaction(of: files.file, String(describing: error))
            return nil
        }
    }

    private func endExchange(_ newFile: ArchiveFile) {
        let oldByteCount = appendState?.file.byteCount ?? 0
        appendOnly(to: newFile)
        knownFiles.forgetAllButNewest()
        compactionThreshold = 0
        incidents.append(.compacted(from: oldByteCount, to: newFile.byteCount))
    }

    private func fail(_ failure: CompactionFailure) {
        guard let file = appendState?.file else { return }
        switch failure {
        case .aborted(let reason):
            failCompaction(of: file, reason)
        case .unsupported:
            appendOnly(to: file)
            compactionThreshold = Self.unsupportedCompactionThreshold
            incidents.append(.compactionUnsupported)
        case .unpublished(let error):
            abandonFile()
            incidents.append(.compactionFailed(reason: error.description))
        case .unreadable:
            recordExternalChange("it no longer contains what was written to it")
            abandonFile()
            incidents.append(
                .compactionFailed(
                    reason: "'\(location.path)' no longer contains what was written to it"))
        }
    }

    private func failCompaction(of file: ArchiveFile, _ reason: String) {
        appendOnly(to: file)
        // The file must grow before the next attempt.
        compactionThreshold = file.byteCount + file.byteCount / 2
        incidents.append(.compactionFailed(reason: reason))
    }

    /// Removes a cancelled compaction's new file. If that fails, the file is removed later.
    private func removeLeftover(_ newFile: ArchiveFile) {
        do throws(IOError) {
            if let directory = try location.openDirectory() {
                try CompactionLeftover(directory: directory).remove(newFile)
            }
        } catch {
            incidents.append(.cleanupFailed(error))
        }
    }
}
