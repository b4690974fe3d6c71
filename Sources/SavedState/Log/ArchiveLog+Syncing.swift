import LinuxIO

// Making durable what was appended.

extension ArchiveLog {
    /// Whether everything is durable that the file should hold.
    var isDurable: Bool { !isPending && durability.isComplete }

    /// See ``ApplicationArchive/beginSync()``.
    func beginSync() -> SyncJob? {
        guard appends, durability.covering == nil, !durability.isComplete else { return nil }
        do throws(IOError) {
            if let reason = try examiner.changedName() {
                notice(reason)
                return nil
            }
        } catch {
            // What cannot be looked at is not known to have changed.
            incidents.append(.notLookedAt(error))
        }
        durability.begin()
        return SyncJob(
            files: files, epoch: durability.epoch, covers: durability.written,
            names: isNameDurable ? nil : place)
    }

    /// See ``ApplicationArchive/endSync(_:_:)``.
    func endSync(_ job: SyncJob, _ result: Result<Void, IOError>) throws(SaveError) {
        guard job.epoch == durability.epoch, durability.covering == job.covers else { return }
        if case .failure(let error) = result {
            durability.end(isDurable: false)
            throw failSync(named(error))
        }
        if job.names != nil { isNameDurable = true }
        durability.end(isDurable: true)
        noteSynced(job.files)
    }

    /// Makes all that was written durable before it returns, if the file is appended to.
    func synchronize() throws(SaveError) {
        guard appends else { return }
        do throws(IOError) {
            for file in files { try file.synchronizeData() }
            if !isNameDurable { try place.synchronize() }
            isNameDurable = true
        } catch {
            throw failSync(error)
        }
        durability.noteDurable()
        noteSynced(files)
    }

    private func failSync(_ error: IOError) -> SaveError {
        finish()
        incidents.append(.syncFailed(error))
        return .io(error)
    }

    private func noteSynced(_ synced: [ArchiveFile]) {
        if case .appending(let files) = state { files.noteSynced(synced.map(\.end)) }
    }

    /// An error of the file under the name that it has now.
    private func named(_ error: IOError) -> IOError {
        var error = error
        if error.operation == .synchronize { error.path = place.path }
        return error
    }
}
