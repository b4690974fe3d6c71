package import LinuxIO

extension ApplicationArchive {
    /// The number of the last write.
    package var writeNumber: UInt64 {
        if case .loaded(let image) = phase { image.durability.written } else { 0 }
    }

    /// The number of the last write that is durable, with all before it.
    package var durableWriteNumber: UInt64 {
        if case .loaded(let image) = phase { image.durability.durable } else { 0 }
    }

    /// Whether everything that was appended is durable.
    package var isDurable: Bool {
        if case .loaded(let image) = phase {
            !image.pending && image.durability.isComplete
        } else {
            true
        }
    }

    /// Begins to make durable what was written.
    ///
    /// - Returns: what another thread is to run; ``endSync(_:_:)`` has to be told of its result. Nil if
    ///   there is nothing to do, or a sync is going on.
    package func beginSync() -> SyncJob? {
        guard case .loaded(let image) = phase, image.durability.covering == nil,
            !image.durability.isComplete
        else { return nil }
        let files = image.files
        if files.isEmpty { return nil }
        do throws(IOError) {
            if let reason = try changedName(image) {
                image.notice(reason)
                return nil
            }
        } catch {
            // What cannot be looked at is not known to have changed.
            image.incidents.append(.notLookedAt(error))
        }
        image.durability.begin()
        return SyncJob(
            files: files, epoch: image.durability.epoch,
            covers: image.durability.written, names: image.nameIsDurable ? nil : archiveNames)
    }

    /// A sync has ended.
    ///
    /// If it failed the file is finished: a later success would say nothing of what was lost. What is
    /// in memory is pending then, and the next append writes a whole new file of it.
    ///
    /// - Throws: why what was written is not durable.
    package func endSync(_ job: SyncJob, _ result: Result<Void, IOError>) throws(SaveError) {
        guard case .loaded(let image) = phase, job.epoch == image.durability.epoch,
            image.durability.covering == job.covers
        else { return }
        do throws(IOError) {
            try result.get()
        } catch {
            image.durability.end(isDurable: false)
            image.finish(named(error))
            image.incidents.append(.syncFailed(named(error)))
            throw .io(named(error))
        }
        if job.names != nil { image.nameIsDurable = true }
        image.durability.end(isDurable: true)
        image.noteSynced(job.files.map(\.end))
    }

    /// An error of the file under the name that it has now.
    private func named(_ error: IOError) -> IOError {
        var error = error
        if error.operation == .synchronize { error.path = path }
        return error
    }

    /// Makes everything durable that was appended, before it returns.
    ///
    /// - Throws: why it is not; what is in memory is pending then.
    package func synchronize() throws(SaveError) {
        let image = try loadedImage()
        if !image.durability.isComplete { try synchronizeNow(image) }
    }

    /// Makes everything that was written durable before it returns, if the file is one that is
    /// appended to.
    func synchronizeNow(_ image: ArchiveImage) throws(SaveError) {
        guard image.appends else { return }
        do throws(IOError) {
            for file in image.files { try file.synchronizeData() }
            if !image.nameIsDurable { try archiveNames.synchronize() }
            image.nameIsDurable = true
        } catch {
            image.finish(error)
            image.incidents.append(.syncFailed(error))
            throw .io(error)
        }
        image.durability.noteDurable()
        image.noteSynced(image.files.map(\.end))
    }

    /// What happened to the file since this was last asked.
    package func takeIncidents() -> [ArchiveIncident] {
        guard case .loaded(let image) = phase else { return [] }
        defer { image.incidents = [] }
        return image.incidents
    }
}
