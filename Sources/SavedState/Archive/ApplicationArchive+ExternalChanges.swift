import ExactText
import Glibc
package import LinuxIO

// Changes to the archive file by other programs (L4, L8), and removal of saved state (L1).

extension ApplicationArchive {
    /// Whether the application must still decide how to handle another program's change to the file.
    ///
    /// Nothing is written before this decision.
    package var isChangedExternally: Bool { log.knownFiles.isChangeUndecided }

    /// Checks whether another program has changed, replaced or removed the file.
    ///
    /// If the last load did not succeed, the result is always ``ExternalCheckResult/unchanged``.
    ///
    /// A detected change is recorded, and nothing is written until the application handles it by calling
    /// ``requireNewFile(accepting:)``, ``quarantineOnNextWrite()`` or ``discardState()``.
    ///
    /// - Parameter readingContents: Whether to read the file even if it has the expected length, for example because
    ///   another program has opened it for writing.
    package func check(readingContents: Bool) throws(IOError) -> ExternalCheckResult {
        guard hasState else { return .unchanged }
        let wasDetected = isChangedExternally
        // A compaction on another thread may be renaming its new file to the archive's name.
        if wasDetected { try log.cancelCompaction() }
        var checkResult = try detectChange(readingContents: readingContents || wasDetected)
        if checkResult != .unchanged, !wasDetected {
            try log.cancelCompaction()
            checkResult = try detectChange(readingContents: true)
        }
        // The file has been moved to quarantine, but no new file has been written yet.
        if checkResult == .removed, case .quarantineScheduled = log.knownFiles.externalState {
            return .unchanged
        }
        switch checkResult {
        case .unchanged: log.knownFiles.forgetChange()
        case .removed: log.recordExternalChange("no file is at its path")
        case .unreachable(let reason):
            // The file that should have been quarantined is no longer there.
            log.knownFiles.forgetChange()
            log.recordExternalChange(reason)
        case .unusable(let reason, _): log.recordExternalChange(reason)
        case .replaced: log.recordExternalChange("another archive is at its path")
        }
        return checkResult
    }

    private func detectChange(readingContents: Bool) throws(IOError) -> ExternalCheckResult {
        try location.readFiles { () throws(IOError) in
            try log.changeDetector.detectChange(readingContents: readingContents)
        }
    }

    /// Returns whether another program's archive is still at the archive's path and has not changed since it was read.
    package func isStillInPlace(_ replacement: ReplacementArchive) throws(IOError) -> Bool {
        guard let directory = try location.openDirectory(),
            let current = try directory.status(of: StateDirectoryLayout.archiveFileName),
            current.isSameFile(as: replacement.status), current.size == replacement.status.size
        else { return false }
        return try directory.read(
            StateDirectoryLayout.archiveFileName, limit: location.maximumFileBytes)
            == replacement.bytes
    }

    /// Requires the next write to replace the current file, or another program's file, with a complete new file.
    ///
    /// - Parameter replacement: Another program's file whose contents the application has loaded, or `nil` if there is
    ///   no such file.
    /// - Throws: ``SaveError/changedExternally(path:reason:)`` if the other program's file has changed in the meantime
    ///   and must be reread. The archive object is unchanged in this case.
    package func requireNewFile(accepting replacement: ReplacementArchive? = nil) throws(SaveError)
    {
        try checkLoaded()
        if let replacement, try SaveError.wrapping(try !isStillInPlace(replacement)) {
            throw .changedExternally(path: path, reason: "it changed again while it was being read")
        }
        try SaveError.wrapping(try log.cancelCompaction())
        if log.isAppending { log.abandonFile() }
        log.setNeedsWrite()
        if let replacement { log.knownFiles.accept(replacement) }
    }

    /// Rejects an accepted file that the application could not load. The file is then treated as a newly detected
    /// change.
    package func rejectReplacement(_ replacement: ReplacementArchive) {
        log.knownFiles.disown(replacement)
        log.knownFiles.forgetChange()
        log.knownFiles.recordExternalChange("another archive is at its path")
    }

    /// Schedules another program's file for quarantine.
    ///
    /// The next write moves the file to quarantine and saves the current state in a new file.
    package func quarantineOnNextWrite() {
        if log.knownFiles.scheduleQuarantine() { log.setNeedsWrite() }
    }

    /// Discards the state in memory because the file has been removed (L4). Nothing is written.
    package func discardState() {
        guard hasState else { return }
        do throws(IOError) { try log.cancelCompaction() } catch {}
        markRemoved()
    }

    // MARK: Removing

    /// Removes the saved state for a forced quit (L1), and discards the state in memory.
    ///
    /// The state becomes a durable generation, which includes changes that have not been saved yet. If an error occurs,
    /// the state in memory is retained, and no saved state is lost.
    ///
    /// - Returns: Path of the generation, or `nil` if there was no saved state.
    @discardableResult
    package func remove(because reason: String) throws(SaveError) -> String? {
        try checkLoaded()
        try SaveError.wrapping(try log.cancelCompaction())
        try makeRequiredGeneration()
        // If this fails, all state is pending, so the generation is created from memory.
        do throws(SaveError) {
            if try log.releaseReservedSpace() { log.durability.recordWrite() }
            try synchronize()
        } catch {}
        let unreachableReason = try SaveError.wrapping { () throws(IOError) in
            try log.recordPathChange()
            return try location.unreachableReason()
        }
        if let unreachableReason {
            throw .changedExternally(path: path, reason: unreachableReason)
        }
        let header = readHeader()
        let generationPath: String?
        // A file that is not open for appending may not be durable.
        let savesFromMemory = log.needsWrite || log.hasInheritedFile
        let state = savesFromMemory ? try encodedState() : []
        do throws(IOError) {
            generationPath =
                try savesFromMemory ? saveToHistoryAndRemove(state, reason) : moveToHistory(reason)
        } catch {
            // The file may have lost the archive's name, so only a complete new file can be trusted.
            if log.isAppending { log.abandonFile() }
            throw .io(error)
        }
        removeLeftovers(archiveHeader: header)
        markRemoved()
        log.incidents.releaseDeferredIncidents()
        replicateFullState()
        return generationPath
    }

    private func readHeader() -> ArchiveHeader? {
        do throws(IOError) {
            guard
                let file = try location.openDirectory()?.openForReading(
                    StateDirectoryLayout.archiveFileName)
            else {
                return nil
            }
            return ArchiveHeader(try file.read(upTo: ArchiveFormat.maximumHeaderBytes))
        } catch {
            log.incidents.append(.checkFailed(error))
            return nil
        }
    }

    private func moveToHistory(_ reason: String) throws(IOError) -> String? {
        guard let directory = try location.openDirectory() else { return nil }
        try directory.remove(StateDirectoryLayout.salvagedArchiveName)
        guard try directory.names().contains(StateDirectoryLayout.archiveFileName) else {
            return nil
        }
        return try NumberedFileDirectory(.history, in: directory).move(
            StateDirectoryLayout.archiveFileName, because: reason
        ).path
    }

    /// Adds the state in memory to the history as a generation, and removes the incomplete or untrusted file.
    private func saveToHistoryAndRemove(_ state: [UInt8], _ reason: String) throws(IOError)
        -> String
    {
        let directory = try openOrCreateDirectory()
        try quarantineTornCopy(in: directory)
        let generationPath = try addGeneration(state, in: directory, because: reason)
        try directory.remove(StateDirectoryLayout.salvagedArchiveName)
        switch log.knownFiles.externalState {
        case .none: try directory.remove(StateDirectoryLayout.archiveFileName)
        case .detected(let reason), .quarantineScheduled(let reason):
            // The file belongs to another program.
            try quarantineForeignFile(in: directory, because: reason)
        }
        try directory.synchronize()
        return generationPath
    }
}
