import ExactText
import Glibc
import LinuxIO
import StateRecords

extension ApplicationArchive {
    /// Saves the changes of a turn and all changes that could not be saved before.
    ///
    /// A required generation is made first. One write(2) then appends the records to the file. If the file does
    /// not exist or is not trusted, a whole new file is written durably. A file is not trusted if the previous
    /// process did not close it.
    ///
    /// A turn without changes writes nothing (P16), unless something else must be written. An empty turn
    /// therefore retries a failed write.
    ///
    /// After an error from the kernel, previously saved state is unchanged and the turn is pending. A malformed pass
    /// and the passes after it are rejected, and the passes before it are pending.
    ///
    /// - Returns: Durability level of all changes appended so far.
    @discardableResult
    package func append(_ turn: TurnRecords) throws(SaveError) -> SaveLevel {
        try stage(turn)
        if isGenerationRequired { try makeRequiredGeneration() }
        if log.isPending || log.isInherited { try flush() }
        return log.durability.isComplete ? .durable : .written
    }

    /// Applies the changes of a turn to the state in memory without writing them. The changes are pending.
    package func stage(_ turn: TurnRecords) throws(SaveError) {
        try checkLoaded()
        do throws(MalformedPass) {
            for pass in turn.passes {
                let records = try store.checkAndApply(pass)
                if !records.isEmpty { log.add(records, wholeByteCount: store.byteCount) }
            }
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
        if !turn.open.isEmpty {
            throw .malformed(path: path, reason: "the last pass of a turn is incomplete")
        }
    }

    /// Checks that every pass of a turn would be accepted. The cost grows with the total number of objects.
    package func check(_ turn: TurnRecords) throws(SaveError) {
        try checkLoaded()
        var store = store
        do throws(MalformedPass) {
            for pass in turn.passes { _ = try store.checkAndApply(pass) }
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
    }

    /// Records that the application is running, with one short write and no sync.
    ///
    /// If the process is then killed, the archive does not end with `closed`.
    package func markOpened() throws(SaveError) {
        try checkLoaded()
        guard log.isClosed, log.appends else { return }
        try log.open()
        guard log.appends else { return try writeWhole() }
        replicateAppended(.opened)
    }

    /// Saves pending changes and durably appends a `closed` record, for an orderly shutdown.
    ///
    /// An archive is not created just for this record.
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
            replicateAppended(.closed)
            files = log.files
            try log.synchronize()
        } catch {
            guard !log.appends else { throw error }
            do throws(SaveError) {
                try writeWhole(isClosed: true)
            } catch {
                // The next process must not consider a file closed if its sync has failed.
                log.revokeClosing(of: files)
                throw error
            }
        }
    }

    /// Removes the file's reserved space until the next write by truncating the file to the end of its last record.
    ///
    /// After an error, the next write writes a whole new file.
    package func releaseReservedSpace() throws(SaveError) { _ = try log.releaseReservedSpace() }

    /// Writes the pending changes.
    private func flush() throws(SaveError) {
        let maximumBytes = log.maximumBytes(
            wholeByteCount: store.byteCount, minimum: compactionMinimum)
        guard log.hasRoom(for: maximumBytes) else { return try writeWhole() }
        let limit = reservesSpace ? place.limit : 0
        guard let appended = try log.flush(reservingUpTo: limit) else { return try writeWhole() }
        replicateAppended(appended)
    }

    // MARK: Whole files

    /// Replaces the file durably with a new file that contains the whole state in memory.
    ///
    /// Another program's file with the archive's name is moved to quarantine if the application has decided so.
    /// Otherwise the file causes an error.
    private func writeWhole(isClosed: Bool = false) throws(SaveError) {
        log.markPending()
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
                    // Writing the new file took time, so the old file is checked again.
                    foreign = try self.log.examiner.foreignFile(in: folder)
                    if foreign != nil { throw IOError(.rename, path: self.path, code: ESTALE) }
                    self.log.identity.add(new)
                }
            }
            try log.adoptWholeFile(ArchiveFile(file, path: path, whole), isClosed: isClosed)
        } catch {
            if let foreign {
                log.notice(foreign)
                throw .changedExternally(path: path, reason: foreign)
            }
            // The name may refer to either file.
            if log.appends { log.finish() }
            throw .io(error)
        }
        replicateWhole()
        if wasFinished { log.incidents.append(.rewritten) }
        log.recordDevices()
    }

    /// Returns the reason to quarantine the file with the archive's name, or `nil` if the file is our own or missing.
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

    /// Makes a new archive durable, moves the file with the archive's name to quarantine, and renames the new archive
    /// to that name.
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
