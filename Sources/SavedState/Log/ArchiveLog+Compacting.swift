import Glibc
import LinuxIO
import StateRecords

// Compaction removes obsolete records from the file while new records are appended to it.

extension ArchiveLog {
    /// Value of `compactionThreshold` if the file system does not support compaction.
    ///
    /// In this case, the file is replaced by a complete new file when it is far longer than necessary (see
    /// ``maximumBytes(compactedByteCount:maximumUncompactedBytes:)``).
    private static let unsupportedCompactionThreshold = Int.max

    /// Returns the maximum length of the file after an append.
    ///
    /// If an append would make the file longer, a complete new file is written instead.
    ///
    /// - Parameters:
    ///   - compactedByteCount: Length of a file that contains only live records.
    ///   - maximumUncompactedBytes: Length up to which a file is never compacted, in bytes.
    func maximumBytes(compactedByteCount: Int, maximumUncompactedBytes: Int) -> Int {
        guard compactionThreshold == Self.unsupportedCompactionThreshold else {
            return location.maximumFileBytes
        }
        return min(location.maximumFileBytes, 16 * max(maximumUncompactedBytes, compactedByteCount))
    }

    /// Begins a compaction (see ``ApplicationArchive/beginCompaction()``).
    ///
    /// For the parameters, see ``maximumBytes(compactedByteCount:maximumUncompactedBytes:)``.
    func beginCompaction(compactedByteCount: Int, maximumUncompactedBytes: Int) -> CompactionJob? {
        guard case .appending(let appendState) = state, case .none = appendState.compaction,
            !isClosed,
            appendState.unwrittenRecords.isEmpty,
            appendState.file.byteCount
                > max(maximumUncompactedBytes, 2 * compactedByteCount, compactionThreshold)
        else { return nil }
        do throws(IOError) {
            guard let directory = try location.openDirectory() else { return nil }
            let copy = CompactionCopy(of: appendState.file, in: directory)
            appendState.compaction = .copying(copy)
            return .copy(copy)
        } catch {
            failCompaction(of: appendState.file, error.description)
            return nil
        }
    }

    /// Processes the result of a compaction step (see ``ApplicationArchive/endCompaction(_:_:)``).
    func endCompaction(
        _ job: CompactionJob, _ result: CompactionResult
    ) -> CompactionJob? {
        var nextJob: CompactionJob?
        switch (job, appendState?.compaction, result) {
        case (.copy(let copy), .copying(let currentCopy), .copied(let copiedFile))
        where copy === currentCopy:
            nextJob = endCopy(copy, copiedFile)
        case (.copy(let copy), .copying(let currentCopy), .failed(let failure))
        where copy === currentCopy:
            handleFailure(failure)
        case (.exchange(let exchange), .exchanging(let newFile, let currentExchange), .published)
        where exchange === currentExchange:
            endExchange(newFile)
        case (.exchange(let exchange), .exchanging(_, let currentExchange), .failed(let failure))
        where exchange === currentExchange:
            handleFailure(failure)
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
        guard let appendState else { return }
        switch appendState.compaction {
        case .none: return
        case .copying:
            recordSourceFileMark(of: appendState)
            mayHaveCompactionLeftover = true
            finishCompaction(into: appendState.file)
        case .exchanging(let newFile, let exchange):
            guard exchange.cancel() else {
                finishCompaction(into: appendState.file)
                return removeLeftover(newFile)
            }
            do throws(IOError) {
                try location.openDirectory()?.synchronize()
            } catch {
                abandonFile()
                throw error
            }
            finishCompaction(into: newFile)
        }
    }

    // MARK: Steps

    private var appendState: ArchiveAppendState? {
        if case .appending(let appendState) = state { appendState } else { nil }
    }

    /// Finishes the compaction.
    ///
    /// - Parameter file: File that has the archive's name. All later records are appended to it.
    private func finishCompaction(into file: ArchiveFile) {
        guard let appendState else { return }
        if case .exchanging(let newFile, _) = appendState.compaction {
            if file.end.fileMark == newFile.end.fileMark {
                knownFiles.forgetAllButNewest()
            } else {
                knownFiles.forgetNewest()
            }
        }
        appendState.file = file
        appendState.file.hasFinalName = true
        appendState.compaction = .none
    }

    private func endCopy(_ copy: CompactionCopy, _ copiedFile: ArchiveFile) -> CompactionJob? {
        guard let appendState else { return nil }
        do {
            var newFile = copiedFile
            try newFile.append(copy.popAppendedRecords())
            guard let directory = try location.openDirectory() else {
                throw IOError(.openDirectory, path: location.path, code: ENOENT)
            }
            let exchange = CompactionExchange(
                oldFile: appendState.file, newFile: newFile, in: directory)
            knownFiles.add(try newFile.file.status())
            // From now on, the exchange decides which of the two files has the archive's name.
            appendState.file.hasFinalName = false
            appendState.compaction = .exchanging(newFile, exchange)
            highestSequence = max(highestSequence, newFile.end.sequence)
            return .exchange(exchange)
        } catch {
            failCompaction(of: appendState.file, String(describing: error))
            return nil
        }
    }

    private func endExchange(_ newFile: ArchiveFile) {
        let oldByteCount = appendState?.file.byteCount ?? 0
        finishCompaction(into: newFile)
        compactionThreshold = 0
        incidents.append(.compacted(from: oldByteCount, to: newFile.byteCount))
    }

    private func handleFailure(_ failure: CompactionFailure) {
        guard let file = appendState?.file else { return }
        switch failure {
        case .aborted(let reason):
            failCompaction(of: file, reason)
        case .unsupported:
            finishCompaction(into: file)
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
        finishCompaction(into: file)
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
