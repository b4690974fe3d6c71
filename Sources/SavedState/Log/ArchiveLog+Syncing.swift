import LinuxIO

// Making appended records durable.

extension ArchiveLog {
    /// Whether all state that the file should contain is durable.
    var isDurable: Bool { !isPending && durability.isComplete }

    /// Begins a sync, see ``ApplicationArchive/beginSync()``.
    func beginSync() -> SyncJob? {
        guard appends, durability.covering == nil, !durability.isComplete else { return nil }
        do throws(IOError) {
            if let reason = try examiner.changedName() {
                notice(reason)
                return nil
            }
        } catch {
            // A file that cannot be checked is assumed to be unchanged.
            incidents.append(.notLookedAt(error))
        }
        durability.begin()
        return SyncJob(
            files: files, epoch: durability.epoch, covers: durability.written,
            names: isNameDurable ? nil : place)
    }

    /// Processes the result of a sync, see ``ApplicationArchive/endSync(_:_:)``.
    func endSync(_ job: SyncJob, _ result: Result<Void, IOError>) throws(SaveError) {
        guard job.epoch == durability.epoch, durability.covering == job.covers else { return }
        if case .failure(let error) = result {
            durability.end(isDurable: false)
            throw failSync(named(error))
        }
        if job.names != nil { isNameDurable = true }
        durability.end(isDurable: true)
        markSynced(job.files)
    }

    /// Makes all written records durable before it returns, if the file is open for appending.
    func synchronize() throws(SaveError) {
        guard appends else { return }
        do throws(IOError) {
            for file in files { try file.synchronizeData() }
            if !isNameDurable { try place.synchronize() }
            isNameDurable = true
        } catch {
            throw failSync(error)
        }
        durability.markDurable()
        markSynced(files)
    }

    private func failSync(_ error: IOError) -> SaveError {
        finish()
        incidents.append(.syncFailed(error))
        return .io(error)
    }

    private func markSynced(_ synced: [ArchiveFile]) {
        if case .appending(let files) = state { files.markSynced(synced.map(\.end)) }
    }

    /// Returns an error with the current path of the file.
    private func named(_ error: IOError) -> IOError {
        var error = error
        if error.operation == .synchronize { error.path = place.path }
        return error
    }
}
