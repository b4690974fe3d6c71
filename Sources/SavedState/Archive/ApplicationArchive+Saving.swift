import ExactText
import Glibc
import LinuxIO
import StateRecords

extension ApplicationArchive {
    /// Saves what a turn changed, and whatever could not be saved before.
    ///
    /// A required generation is made first. The records go to the end of the file by one write(2);
    /// where there is no file, or it is not trusted, a whole new one is written, durably: one that
    /// was not closed by the process before is not. A turn that changes nothing writes nothing
    /// (P16), unless there is something else to write; so an empty one tries again. After an error
    /// from the kernel what was saved before is untouched, and the turn is pending. A malformed
    /// pass, and those behind it in the turn, are not taken; those before it are pending.
    ///
    /// - Returns: how safe everything that was appended so far now is.
    @discardableResult
    package func append(_ turn: TurnRecords) throws(SaveError) -> SaveLevel {
        try stage(turn)
        if isGenerationRequired { try makeRequiredGeneration() }
        if log.isPending || log.isInherited { try flush() }
        return log.durability.isComplete ? .durable : .written
    }

    /// Takes in what a turn changed, without writing it: it is pending.
    package func stage(_ turn: TurnRecords) throws(SaveError) {
        try checkLoaded()
        do throws(MalformedPass) {
            for pass in turn.passes {
                let records = try store.take(pass)
                if !records.isEmpty { log.add(records, wholeByteCount: store.byteCount) }
            }
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
        if !turn.open.isEmpty {
            throw .malformed(path: path, reason: "the last pass of a turn has no end")
        }
    }

    /// Finds out whether every pass of a turn would be taken, at a cost that follows all objects.
    package func check(_ turn: TurnRecords) throws(SaveError) {
        try checkLoaded()
        var store = store
        do throws(MalformedPass) {
            for pass in turn.passes { _ = try store.take(pass) }
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
    }

    /// Notes that the application runs, so that after a kill the archive does not end in `closed`,
    /// by one short write without a sync.
    package func markOpened() throws(SaveError) {
        try checkLoaded()
        guard log.isClosed, log.appends else { return }
        try log.open()
        guard log.appends else { return try writeWhole() }
        noteAppended(.opened)
    }

    /// Saves what is pending and ends the archive with `closed`, all of it durably: an orderly
    /// stop. An archive is not made for that.
    package func close() throws(SaveError) {
        if isGenerationRequired { try makeRequiredGeneration() }
        guard log.isPending || (log.hasFile && !log.isClosed) else { return try synchronize() }
        try SaveError.wrapping(try log.cancelCompaction())
        if log.isPending, log.appends { try flush() }
        if log.appends { try SaveError.wrapping(try log.noticeChangedName()) }
        guard log.appends, log.identity.isOurs else { return try writeWhole(isClosed: true) }
        var files: [ArchiveFile] = []
        do throws(SaveError) {
            try synchronize()
            try log.close()
            guard log.appends else { return try writeWhole(isClosed: true) }
            noteAppended(.closed)
            files = log.files
            try log.synchronize()
        } catch {
            guard !log.appends else { throw error }
            do throws(SaveError) {
                try writeWhole(isClosed: true)
            } catch {
                // The next process must not take a file for closed of which a sync has failed.
                log.revokeClosing(of: files)
                throw error
            }
        }
    }

    /// Writes what is pending.
    private func flush() throws(SaveError) {
        let mostBytes = log.mostBytes(
            wholeByteCount: store.byteCount, minimum: compactionMinimum)
        guard log.hasRoom(for: mostBytes) else { return try writeWhole() }
        guard let appended = try log.flush() else { return try writeWhole() }
        noteAppended(appended)
    }

    // MARK: Whole files

    /// Writes a whole new file of what is in memory, durably, in the place of the old. What another
    /// program left there goes to quarantine if that was decided, and else is an error.
    private func writeWhole(isClosed: Bool = false) throws(SaveError) {
        log.notePending()
        let condemned = try reasonToQuarantine()
        try SaveError.wrapping(try log.cancelCompaction())
        var records = store.wholeRecords()
        if isClosed { records.append(.closed, end: PassEnd()) }
        try log.checkLength(of: records, reserve: ArchiveLog.reserve)
        let whole = log.encodeWhole(records)
        var wasFinished = false
        if case .finished = log.state { wasFinished = true }
        var foreign: String?
        do throws(IOError) {
            let folder = try openOrMakeFolder()
            try quarantineTornCopy(in: folder)
            let file: any FolderFile
            if let condemned {
                file = try putInPlace(whole.bytes, in: folder, because: condemned)
            } else {
                file = try folder.replace(
                    Layout.archive, with: whole.bytes, temporary: Layout.temporary
                ) { new throws(IOError) in
                    // Writing it took its time.
                    foreign = try self.log.examiner.foreignFile(in: folder)
                    if foreign != nil { throw IOError(.rename, path: self.path, code: ESTALE) }
                    self.log.identity.add(new)
                }
            }
            try log.noteWhole(ArchiveFile(file, path: path, whole), isClosed: isClosed)
        } catch {
            if let foreign {
                log.notice(foreign)
                throw .changedExternally(path: path, reason: foreign)
            }
            // It is not certain which of the two files the name holds.
            if log.appends { log.finish() }
            throw .io(error)
        }
        replicateWhole()
        if wasFinished { log.incidents.append(.rewritten) }
        log.noteDevices()
    }

    /// Why what is under the name has to go to quarantine; nil: it is ours, or nothing.
    private func reasonToQuarantine() throws(SaveError) -> String? {
        if log.identity.isOurs {
            let reason = try SaveError.wrapping { () throws(IOError) -> String? in
                if let reason = try place.displacement() { return reason }
                guard let folder = try place.folder() else { return nil }
                return try log.examiner.foreignFile(in: folder)
            }
            if let reason { log.notice(reason) }
        }
        switch log.identity.external {
        case .none: return nil
        case .noticed(let reason): throw .changedExternally(path: path, reason: reason)
        case .condemned(let reason): return reason
        }
    }

    /// Moves what is under the archive's name to quarantine, and a new archive in its place, which
    /// is durable before.
    private func putInPlace(
        _ bytes: [UInt8], in folder: any Folder, because reason: String
    ) throws(IOError) -> any FolderFile {
        try folder.remove(Layout.salvaged)
        let file: any FolderFile = try folder.writeNew(Layout.salvaged, bytes)
        try folder.synchronize()
        var quarantined: String?
        if try folder.entryStatus(of: Layout.archive) != nil {
            quarantined = try quarantineForeignFile(in: folder, because: reason)
        }
        try folder.rename(Layout.salvaged, to: Layout.archive)
        try folder.synchronize()
        log.incidents.append(.changedExternally(reason: reason, quarantinedAs: quarantined))
        return file
    }
}
