import ExactText
import Glibc
import LinuxIO
import StateRecords

extension ApplicationArchive {
    /// Saves a turn's changes, together with all changes that could not be saved earlier.
    ///
    /// If a generation is required, it is first added to the history. The records are then appended to the file with
    /// one write(2). If the file does not exist or cannot be trusted, for example because a previous process did not
    /// close it, a complete new file is written durably instead.
    ///
    /// A turn without changes writes nothing (P16) unless something else must be written (see ``hasUnwrittenState``).
    /// Appending an empty turn therefore retries a failed write.
    ///
    /// After a system call has failed, the previously saved state is unchanged, and the turn is pending. If a pass is
    /// malformed, it and all later passes are rejected, and all earlier passes are pending.
    ///
    /// - Returns: Durability level of all changes appended so far.
    @discardableResult
    package func append(_ turn: TurnRecords) throws(SaveError) -> SaveLevel {
        try stage(turn)
        if isGenerationRequired { try makeRequiredGeneration() }
        if log.needsWrite || log.hasInheritedFile { try flush() }
        return log.durability.isComplete ? .durable : .written
    }

    /// Applies a turn's changes to the state in memory without writing them. The changes are then pending.
    package func stage(_ turn: TurnRecords) throws(SaveError) {
        try checkLoaded()
        do throws(MalformedPass) {
            for pass in turn.passes {
                let records = try store.checkAndApply(pass)
                if !records.isEmpty { log.add(records, compactedByteCount: store.byteCount) }
            }
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
        if !turn.currentPass.isEmpty {
            throw .malformed(path: path, reason: "the last pass of a turn is incomplete")
        }
    }

    /// Checks that every pass in a turn would be accepted.
    ///
    /// The cost grows with the total number of objects in the archive.
    package func check(_ turn: TurnRecords) throws(SaveError) {
        try checkLoaded()
        var store = store
        do throws(MalformedPass) {
            for pass in turn.passes { _ = try store.checkAndApply(pass) }
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
    }

    /// Marks the archive as open while the application is running, with one short write and no sync.
    ///
    /// If the process is killed later, the archive therefore does not end with a `closed` record.
    package func markOpened() throws(SaveError) {
        try checkLoaded()
        guard log.isClosed, log.isAppending else { return }
        try log.appendOpenedRecord()
        guard log.isAppending else { return try writeNewFile() }
        replicateAppendedRecords(.opened)
    }

    /// Saves pending changes and durably appends a `closed` record, for an orderly shutdown.
    ///
    /// If the application has no archive, no archive is created for this record.
    package func close() throws(SaveError) {
        if isGenerationRequired { try makeRequiredGeneration() }
        guard log.needsWrite || (log.hasFile && !log.isClosed) else { return try synchronize() }
        try SaveError.wrapping(try log.cancelCompaction())
        if log.needsWrite, log.isAppending { try flush() }
        if log.isAppending { try SaveError.wrapping(try log.recordPathChange()) }
        guard log.isAppending, log.knownFiles.isFileOurs else {
            return try writeNewFile(isClosed: true)
        }
        var files: [ArchiveFile] = []
        do throws(SaveError) {
            try synchronize()
            try log.appendClosedRecord()
            guard log.isAppending else { return try writeNewFile(isClosed: true) }
            replicateAppendedRecords(.closed)
            files = log.files
            try log.synchronize()
        } catch {
            guard !log.isAppending else { throw error }
            do throws(SaveError) {
                try writeNewFile(isClosed: true)
            } catch {
                // A file whose sync has failed must not appear closed to the next process.
                log.revokeClosing(of: files)
                throw error
            }
        }
    }

    /// Truncates the file to the end of its last record. Later writes may reserve space again.
    ///
    /// After an error, the next write writes a complete new file.
    package func releaseReservedSpace() throws(SaveError) { _ = try log.releaseReservedSpace() }

    /// Writes the pending changes.
    private func flush() throws(SaveError) {
        let maximumBytes = log.maximumBytes(
            compactedByteCount: store.byteCount, maximumUncompactedBytes: maximumUncompactedBytes)
        guard log.hasRoom(upTo: maximumBytes) else { return try writeNewFile() }
        let limit = reservesSpace ? location.maximumFileBytes : 0
        guard let appendedRecords = try log.flush(reservingUpTo: limit) else {
            return try writeNewFile()
        }
        replicateAppendedRecords(appendedRecords)
    }

    // MARK: Whole files

    /// Replaces the file durably with a new file that contains the complete state in memory.
    ///
    /// Another program's file at the archive's path is moved to quarantine if the application has requested this.
    /// Otherwise, the method throws an error.
    private func writeNewFile(isClosed: Bool = false) throws(SaveError) {
        log.setNeedsWrite()
        let quarantineReason = try reasonToQuarantine()
        try SaveError.wrapping(try log.cancelCompaction())
        var records = store.allRecords()
        if isClosed { records.append(.closed, end: PassEnd()) }
        try log.checkLength(of: records, reservedByteCount: ArchiveLog.openCloseByteCount)
        let newFile = log.encodeNewFile(records)
        var wasAbandoned = false
        if case .abandoned = log.state { wasAbandoned = true }
        var foreignFileReason: String?
        do throws(IOError) {
            let directory = try openOrCreateDirectory()
            try quarantineTornCopy(in: directory)
            let file: any FileProtocol
            if let quarantineReason {
                file = try quarantineAndInstall(
                    newFile.bytes, in: directory, because: quarantineReason)
            } else {
                file = try directory.replace(
                    StateDirectoryLayout.archiveFileName, with: newFile.bytes,
                    temporaryName: StateDirectoryLayout.temporaryArchiveName
                ) { newFileStatus throws(IOError) in
                    // The old file is checked again, because it may have changed while the new file was being written.
                    foreignFileReason = try self.log.changeDetector.foreignFileReason(in: directory)
                    if foreignFileReason != nil {
                        throw IOError(.rename, path: self.path, code: ESTALE)
                    }
                    self.log.knownFiles.add(newFileStatus)
                }
            }
            try log.adoptNewFile(ArchiveFile(file, path: path, newFile), isClosed: isClosed)
        } catch {
            if let foreignFileReason {
                log.recordExternalChange(foreignFileReason)
                throw .changedExternally(path: path, reason: foreignFileReason)
            }
            // The name may refer to either the old or the new file.
            forgetUnnamedFiles()
            if log.isAppending { log.abandonFile() }
            throw .io(error)
        }
        replicateFullState()
        if wasAbandoned { log.incidents.append(.rewritten) }
        log.recordDevices()
    }

    /// Forgets the known files that do not have the archive's name after a failed replacement.
    private func forgetUnnamedFiles() {
        do throws(IOError) {
            log.knownFiles.forgetAll(
                except: try location.openDirectory()?.status(
                    of: StateDirectoryLayout.archiveFileName))
        } catch {}  // The next failed replacement tries again.
    }

    /// Returns the reason to quarantine the file at the archive's path, or `nil` if the file is ours or missing.
    private func reasonToQuarantine() throws(SaveError) -> String? {
        if log.knownFiles.isFileOurs {
            let reason = try SaveError.wrapping { () throws(IOError) -> String? in
                if let reason = try location.unreachableReason() { return reason }
                guard let directory = try location.openDirectory() else { return nil }
                return try log.changeDetector.foreignFileReason(in: directory)
            }
            if let reason { log.recordExternalChange(reason) }
        }
        switch log.knownFiles.externalState {
        case .none: return nil
        case .detected(let reason): throw .changedExternally(path: path, reason: reason)
        case .quarantineScheduled(let reason): return reason
        }
    }

    /// Writes a new archive durably, moves the file at the archive's path to quarantine, and renames the new archive to
    /// that path. From then on, the file at that path is ours, even if its name is not durable yet.
    private func quarantineAndInstall(
        _ bytes: [UInt8], in directory: any DirectoryProtocol, because reason: String
    ) throws(IOError) -> any FileProtocol {
        let file: any FileProtocol = try directory.replace(
            StateDirectoryLayout.salvagedArchiveName, with: bytes,
            temporaryName: StateDirectoryLayout.temporaryArchiveName)
        try quarantineForeignFile(in: directory, because: reason)
        if !log.incidents.hasDeferredIncidents {
            log.incidents.appendDeferred(.changedExternally(reason: reason, quarantinePath: nil))
        }
        let status = try file.status()
        try directory.rename(
            StateDirectoryLayout.salvagedArchiveName, to: StateDirectoryLayout.archiveFileName)
        log.knownFiles.recordAppend(status)
        log.knownFiles.forgetChange()
        try directory.synchronize()
        return file
    }
}
