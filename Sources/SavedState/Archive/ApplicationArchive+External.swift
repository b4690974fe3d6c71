import ExactText
import Glibc
package import LinuxIO

// What other programs do to the file (L4, L8), and how what is saved is taken away (L1).

extension ApplicationArchive {
    /// Whether another program changed the file, or took its name, and nothing is written until it
    /// is decided what becomes of that.
    package var isChangedExternally: Bool { log.identity.isUndecided }

    /// Looks what stands under the archive's name; ``ExternalFinding/ours`` before a load
    /// succeeded.
    ///
    /// Whatever is not ours is noticed, and stays so after an error: nothing is written then before
    /// ``requireWholeFile(accepting:)``, ``quarantineOnNextWrite()`` or ``forget()`` decides over it.
    ///
    /// - Parameter closely: whether a file of the right length is read, too, because a program has
    ///   had one of this name open for writing.
    package func look(closely: Bool) throws(IOError) -> ExternalFinding {
        guard hasState else { return .ours }
        let isNoticed = isChangedExternally
        // A compaction gives the name to another file, on a thread of its own.
        if isNoticed { try log.cancelCompaction() }
        var finding = try find(closely: closely || isNoticed)
        if finding != .ours, !isNoticed {
            try log.cancelCompaction()
            finding = try find(closely: true)
        }
        // It was quarantined, but nothing has its name yet.
        if finding == .removed, case .condemned = log.identity.external { return .ours }
        switch finding {
        case .ours: log.identity.forgetChange()
        case .removed: log.notice("its name is gone")
        case .elsewhere(let reason):
            // What was to be quarantined is not there to be.
            log.identity.forgetChange()
            log.notice(reason)
        case .unusable(let reason, _): log.notice(reason)
        case .replaced: log.notice("another archive took its place")
        }
        return finding
    }

    private func find(closely: Bool) throws(IOError) -> ExternalFinding {
        try place.readFiles { () throws(IOError) in try log.examiner.find(closely: closely) }
    }

    /// Whether the name still stands for a replacing archive, as it was read.
    package func isThere(_ replacing: ReplacingArchive) throws(IOError) -> Bool {
        guard let folder = try place.folder(), let there = try folder.status(of: Layout.archive),
            there.isSameFile(as: replacing.status), there.size == replacing.status.size
        else { return false }
        return try folder.read(Layout.archive, limit: place.limit) == replacing.bytes
    }

    /// The next write is of a whole file, in the place of the one that is appended to, or of one
    /// that was noticed, into which its contents were taken.
    ///
    /// - Parameter replacing: the file that was noticed; nil: none was.
    /// - Throws: ``SaveError/changedExternally(path:reason:)`` if it is another one by now, which
    ///   has to be looked at; nothing has changed then.
    package func requireWholeFile(accepting replacing: ReplacingArchive? = nil) throws(SaveError) {
        try checkLoaded()
        if let replacing, try SaveError.wrapping(try !isThere(replacing)) {
            throw .changedExternally(path: path, reason: "it changed again while it was read")
        }
        try SaveError.wrapping(try log.cancelCompaction())
        if log.appends { log.finish() }
        log.notePending()
        if let replacing { log.identity.accept(replacing) }
    }

    /// What was accepted could not be taken over, and counts as just noticed.
    package func refuseReplacement(_ replacing: ReplacingArchive) {
        log.identity.disown(replacing)
        log.identity.forgetChange()
        log.identity.notice("another archive took its place")
    }

    /// The next write moves what was noticed to quarantine, and puts what is in memory there.
    package func quarantineOnNextWrite() {
        if log.identity.condemn() { log.notePending() }
    }

    /// Forgets what is in memory, because its file was removed (L4); nothing is written for that.
    package func forget() {
        guard hasState else { return }
        do throws(IOError) { try log.cancelCompaction() } catch {}
        noteGone()
    }

    // MARK: Removing

    /// Takes the saved state away, for a forced quit (L1), and forgets it.
    ///
    /// It becomes a generation, durably, with whatever could not be saved yet. If that fails
    /// nothing is taken away.
    ///
    /// - Returns: the generation's path; `nil` if nothing was saved.
    @discardableResult
    package func remove(because reason: String) throws(SaveError) -> String? {
        try checkLoaded()
        try SaveError.wrapping(try log.cancelCompaction())
        try makeRequiredGeneration()
        // If it fails everything is pending, and thus kept from memory.
        do throws(SaveError) { try synchronize() } catch {}
        let displacement = try SaveError.wrapping { () throws(IOError) in
            try log.noticeChangedName()
            return try place.displacement()
        }
        if let displacement { throw .changedExternally(path: path, reason: displacement) }
        let header = headerOfFile()
        let generation: String?
        // A file that is not appended to is not known to be durable.
        let isKept = log.isPending || log.isInherited
        let state = isKept ? try wholeBytes() : []
        do throws(IOError) {
            generation = try isKept ? keepAndRemove(state, reason) : moveToHistory(reason)
        } catch {
            // It is not certain what the name holds: only a whole new file can be trusted.
            if log.appends { log.finish() }
            throw .io(error)
        }
        clearAway(besides: header)
        noteGone()
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
        return try NumberedFolder(.history, in: folder).take(Layout.archive, because: reason).path
    }

    /// The file lacks something that is in memory, or is not trusted: what is in memory is kept.
    private func keepAndRemove(_ state: [UInt8], _ reason: String) throws(IOError) -> String {
        let folder = try openOrMakeFolder()
        try quarantineTornCopy(in: folder)
        let generation = try keep(state, in: folder, because: reason)
        try folder.remove(Layout.salvaged)
        switch log.identity.external {
        case .none: try folder.remove(Layout.archive)
        case .noticed(let reason), .condemned(let reason):
            // It is another program's.
            if try folder.status(of: Layout.archive) != nil {
                try quarantineForeignFile(in: folder, because: reason)
            }
        }
        try folder.synchronize()
        return generation
    }
}
