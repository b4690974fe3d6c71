import LinuxIO

// Making appended records durable.

extension ArchiveLog {
    /// Whether all state that the file should contain is durable.
    var isDurable: Bool { !needsWrite && durability.isComplete }

    /// Begins a sync (see ``ApplicationArchive/beginSync()``).
    func beginSync() -> SyncJob? {
        guard isAppending, durability.syncingWriteNumber == nil, !durability.isComplete else {
            return nil
        }
        do throws(IOError) {
            if let reason = try changeDetector.pathChangeReason() {
                recordExternalChange(reason)
                return nil
            }
        } catch {
            // A file that cannot be checked is assumed to be unchanged.
            incidents.append(.checkFailed(error))
        }
        durability.beginSync()
        return SyncJob(
            files: files, epoch: durability.epoch, coveredWriteNumber: durability.writeCount,
            unsyncedLocation: isDirectoryEntryDurable ? nil : location)
    }

    /// Processes the result of a sync (see ``ApplicationArchive/endSync(_:_:)``).
    func endSync(_ job: SyncJob, _ result: Result<Void, IOError>) throws(SaveError) {
        guard job.epoch == durability.epoch, durability.syncingWriteNumber == job.coveredWriteNumber
        else {
            return
        }
        if case .failure(let error) = result {
            durability.endSync(isDurable: false)
            throw failSync(withCurrentPath(error))
        }
        if job.unsyncedLocation != nil { isDirectoryEntryDurable = true }
        durability.endSync(isDurable: true)
        markSynced(job.files)
    }

    /// Makes all written records durable before returning. Does nothing if no file is open for appending.
    func synchronize() throws(SaveError) {
        guard isAppending else { return }
        do throws(IOError) {
            for file in files { try file.synchronizeData() }
            if !isDirectoryEntryDurable { try location.synchronize() }
            isDirectoryEntryDurable = true
        } catch {
            throw failSync(error)
        }
        durability.markDurable()
        markSynced(files)
    }

    private func failSync(_ error: IOError) -> SaveError {
        abandonFile()
        incidents.append(.syncFailed(error))
        return .io(error)
    }

    private func markSynced(_ syncedFiles: [ArchiveFile]) {
        if case .appending(let appendState) = state {
            appendState.markSynced(syncedFiles.map(\.end))
        }
    }

    /// Returns the error with the file's current path.
    private func withCurrentPath(_ error: IOError) -> IOError {
        var error = error
        if error.operation == .synchronize { error.path = location.path }
        return error
    }
}
