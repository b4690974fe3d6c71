import Glibc
package import LinuxIO

// What other programs do to the file (L4, L8).

extension ApplicationArchive {
    /// Whether another program changed the file, or took its name, and what is to become of that is
    /// not decided yet. Nothing is written until it is.
    package var isChangedExternally: Bool { log.identity.isUndecided }

    /// Looks what stands under the archive's name now.
    ///
    /// Whatever is not ours is noticed: nothing is written then before ``acceptReplacement(_:)``,
    /// ``quarantineOnNextWrite()`` or ``forget()`` decides over it.
    ///
    /// - Parameter closely: whether a program has had a file of this name open for writing: a file of
    ///   the right length is read then, too.
    /// - Returns: what was found; always ``ExternalFinding/ours`` before a load succeeded.
    /// - Throws: why it could not be found out. What was noticed before stays so.
    package func look(closely: Bool) throws(IOError) -> ExternalFinding {
        guard hasState else { return .ours }
        let isNoticed = isChangedExternally
        // A compaction gives the name to another file, on a thread of its own.
        if isNoticed { try stopCompaction() }
        var finding = try log.examiner.find(closely: closely || isNoticed)
        if finding != .ours, !isNoticed {
            try stopCompaction()
            finding = try log.examiner.find(closely: true)
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

    private func stopCompaction() throws(IOError) {
        do throws(SaveError) {
            try log.cancelCompaction()
        } catch {
            guard case .io(let error) = error else { return }
            throw error
        }
    }

    /// A file that was noticed gives way to what is in memory with the next write, into which its
    /// contents were taken.
    ///
    /// - Throws: ``SaveError/changedExternally(path:reason:)`` if it is another one by now, which has to be
    ///   looked at; nothing has changed then.
    package func acceptReplacement(_ replacing: ReplacingArchive) throws(SaveError) {
        try checkLoaded()
        let isThere: Bool
        do throws(IOError) {
            isThere = try self.isThere(replacing)
        } catch {
            throw .io(error)
        }
        guard isThere else {
            throw .changedExternally(path: path, reason: "it changed again while it was read")
        }
        try requireWholeFile()
        log.identity.accept(replacing)
    }

    /// Whether the name still stands for a replacing archive, as it was read.
    package func isThere(_ replacing: ReplacingArchive) throws(IOError) -> Bool {
        guard let folder = try place.folder(), let there = try folder.status(of: Layout.archive),
            there.isSameFile(as: replacing.status), there.size == replacing.status.size
        else { return false }
        return try folder.read(Layout.archive, limit: place.limit) == replacing.bytes
    }

    /// The next write is of a whole file, in the place of the one that is appended to.
    package func requireWholeFile() throws(SaveError) {
        try checkLoaded()
        try log.cancelCompaction()
        if log.appends { log.finish() }
        log.notePending()
    }

    /// What was accepted could not be taken over: it is as if it had just been noticed, and nothing is
    /// written over it.
    package func refuseReplacement(_ replacing: ReplacingArchive) {
        log.identity.disown(replacing)
        log.identity.forgetChange()
        log.identity.notice("another archive took its place")
    }

    /// What was noticed goes to quarantine with the next write, and what is in memory takes its place.
    package func quarantineOnNextWrite() {
        if log.identity.condemn() { log.notePending() }
    }

    /// Forgets what is in memory, because its file was removed (L4): nothing is written before
    /// something is appended.
    package func forget() {
        guard hasState else { return }
        do throws(SaveError) { try log.cancelCompaction() } catch {}
        noteGone()
    }
}
