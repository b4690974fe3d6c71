import ExactText
import Glibc
package import LinuxIO

// Changes to the archive file by other programs (L4, L8), and removal of saved state (L1).

extension ApplicationArchive {
    /// Whether another program changed or replaced the file, and the application has not decided yet how to handle the
    /// change.
    ///
    /// Nothing is written until the application has decided.
    package var isChangedExternally: Bool { log.identity.isUndecided }

    /// Checks which file now has the archive's name. Returns ``ExternalFinding/ours`` if no load has succeeded yet.
    ///
    /// A change by another program is recorded even if this function throws an error. Nothing is written then until
    /// ``requireWholeFile(accepting:)``, ``quarantineOnNextWrite()`` or ``forget()`` decides how to handle the change.
    ///
    /// - Parameter closely: Whether to read the file even if its length is as expected, because a program had opened it
    ///   for writing.
    package func check(closely: Bool) throws(IOError) -> ExternalFinding {
        guard hasState else { return .ours }
        let isNoticed = isChangedExternally
        // A compaction on another thread may be renaming its new file to the archive's name.
        if isNoticed { try log.cancelCompaction() }
        var finding = try find(closely: closely || isNoticed)
        if finding != .ours, !isNoticed {
            try log.cancelCompaction()
            finding = try find(closely: true)
        }
        // The file was moved to quarantine, but no new file has been written yet.
        if finding == .removed, case .condemned = log.identity.external { return .ours }
        switch finding {
        case .ours: log.identity.forgetChange()
        case .removed: log.notice("no file is at its path")
        case .elsewhere(let reason):
            // The file that was to be quarantined is no longer there.
            log.identity.forgetChange()
            log.notice(reason)
        case .unusable(let reason, _): log.notice(reason)
        case .replaced: log.notice("another archive is at its path")
        }
        return finding
    }

    private func find(closely: Bool) throws(IOError) -> ExternalFinding {
        try place.readFiles { () throws(IOError) in try log.examiner.find(closely: closely) }
    }

    /// Returns whether another program's archive is still in place and unchanged since it was read.
    package func isThere(_ replacing: ReplacingArchive) throws(IOError) -> Bool {
        guard let folder = try place.folder(), let there = try folder.status(of: Layout.archive),
            there.isSameFile(as: replacing.status), there.size == replacing.status.size
        else { return false }
        return try folder.read(Layout.archive, limit: place.limit) == replacing.bytes
    }

    /// Requires the next write to write a whole new file, which replaces the current file or another program's file.
    ///
    /// - Parameter replacing: File of another program whose contents were loaded, or `nil` if there is no such file.
    /// - Throws: ``SaveError/changedExternally(path:reason:)`` if that file has changed again and must be read again.
    ///   The archive is unchanged in this case.
    package func requireWholeFile(accepting replacing: ReplacingArchive? = nil) throws(SaveError) {
        try checkLoaded()
        if let replacing, try SaveError.wrapping(try !isThere(replacing)) {
            throw .changedExternally(path: path, reason: "it changed again while it was being read")
        }
        try SaveError.wrapping(try log.cancelCompaction())
        if log.appends { log.finish() }
        log.markPending()
        if let replacing { log.identity.accept(replacing) }
    }

    /// Records that an accepted file could not be loaded. The file is treated as newly discovered.
    package func refuseReplacement(_ replacing: ReplacingArchive) {
        log.identity.disown(replacing)
        log.identity.forgetChange()
        log.identity.notice("another archive is at its path")
    }

    /// Schedules another program's file for quarantine. The next write moves the file there and writes the current
    /// state in its place.
    package func quarantineOnNextWrite() {
        if log.identity.condemn() { log.markPending() }
    }

    /// Discards the state in memory because the file was removed (L4). Nothing is written.
    package func forget() {
        guard hasState else { return }
        do throws(IOError) { try log.cancelCompaction() } catch {}
        markRemoved()
    }

    // MARK: Removing

    /// Removes the saved state for a forced quit (L1), and discards the state in memory.
    ///
    /// The state becomes a durable generation, which includes changes that could not be saved before. After an error,
    /// nothing is removed.
    ///
    /// - Returns: Path of the generation, or `nil` if there was no saved state.
    @discardableResult
    package func remove(because reason: String) throws(SaveError) -> String? {
        try checkLoaded()
        try SaveError.wrapping(try log.cancelCompaction())
        try makeRequiredGeneration()
        // If this fails, everything is pending, so the generation is made from memory.
        do throws(SaveError) {
            if try log.releaseReservedSpace() { log.durability.recordWrite() }
            try synchronize()
        } catch {}
        let displacement = try SaveError.wrapping { () throws(IOError) in
            try log.noticeChangedName()
            return try place.displacement()
        }
        if let displacement { throw .changedExternally(path: path, reason: displacement) }
        let header = headerOfFile()
        let generation: String?
        // A file that is not open for appending may not be durable.
        let isKept = log.isPending || log.isInherited
        let state = isKept ? try wholeBytes() : []
        do throws(IOError) {
            generation = try isKept ? saveToHistoryAndRemove(state, reason) : moveToHistory(reason)
        } catch {
            // The name may refer to either file, so only a whole new file can be trusted.
            if log.appends { log.finish() }
            throw .io(error)
        }
        clearAway(besides: header)
        markRemoved()
        replicateWhole()
        return generation
    }

    private func headerOfFile() -> ArchiveHeader? {
        do throws(IOError) {
            guard let file = try place.folder()?.openForReading(Layout.archive) else {
                return nil
            }
            return ArchiveHeader(try file.read(upTo: ArchiveFormat.largestHeader))
        } catch {
            log.incidents.append(.notLookedAt(error))
            return nil
        }
    }

    private func moveToHistory(_ reason: String) throws(IOError) -> String? {
        guard let folder = try place.folder() else { return nil }
        try folder.remove(Layout.salvaged)
        guard try folder.names().contains(Layout.archive) else { return nil }
        return try NumberedFolder(.history, in: folder).move(Layout.archive, because: reason).path
    }

    /// Makes a generation from the state in memory and removes the file, which is incomplete or not trusted.
    private func saveToHistoryAndRemove(_ state: [UInt8], _ reason: String) throws(IOError)
        -> String
    {
        let folder = try openOrMakeFolder()
        try quarantineTornCopy(in: folder)
        let generation = try addGeneration(state, in: folder, because: reason)
        try folder.remove(Layout.salvaged)
        switch log.identity.external {
        case .none: try folder.remove(Layout.archive)
        case .noticed(let reason), .condemned(let reason):
            // The file belongs to another program.
            if try folder.status(of: Layout.archive) != nil {
                try quarantineForeignFile(in: folder, because: reason)
            }
        }
        try folder.synchronize()
        return generation
    }
}
