import SavedState
import SimulatedDisk
import TestSupport

extension ArchiveSimulation {
    /// Appends a turn with changes.
    mutating func appendTurn() throws(Violation) {
        let (turn, states) = turnGenerator.turn(on: model)
        try save(turn, states, "append of pass \(turnGenerator.time)")
    }

    /// Appends a turn without changes, which saves all changes that could not be saved before.
    mutating func retry() throws(Violation) {
        let newest = promises.versions[promises.newest]
        // A whole new file belongs to a running application.
        let isRewritten = archive.hasPendingChanges && newest.isClosed
        try save(TurnRecords(), isRewritten ? [model] : [], "empty append")
    }

    private mutating func save(
        _ turn: TurnRecords, _ states: [SavedModel], _ origin: String
    ) throws(Violation) {
        begin(states.map { Promises.Version(model: $0, origin: origin) })
        if let last = states.last { model = last }
        if let level = try attempt(
            "append", { archive throws(SaveError) in try archive.append(turn) })
        {
            promises.promiseWritten(promises.newest, at: disk.snapshotIndex)
            if (level == .durable) != archive.isDurable {
                throw Violation("An append is \(level), and the archive says otherwise")
            }
        }
        try checkRequiredGeneration()
        recordDurability()
        if archive.contents.map(SavedModel.digest) != model.digest {
            throw Violation("The archive has not in memory what was appended")
        }
    }

    /// Performs the next step of a sync.
    mutating func advanceSync() throws(Violation) {
        switch sync {
        case .idle:
            disk.begin("begin of a sync")
            guard let job = archive.beginSync() else { return }
            syncingVersion = promises.currentBounds.written
            sync = .pending(job)
        case .pending(let job):
            disk.begin("sync")
            sync = start(job, job.run)
        case .running(let job, let stepped):
            disk.resume("sync")
            stepped.step()
            if let result = stepped.outcome { sync = .finished(job, result) }
        case .finished(let job, let result):
            sync = .idle
            let done: Void? = try attempt("end of a sync") { archive throws(SaveError) in
                try archive.endSync(job, result)
            }
            if done != nil { promises.promiseDurable(syncingVersion, at: disk.snapshotIndex) }
        }
        recordDurability()
    }

    /// Runs a job, or starts it so that other operations can happen between its operations.
    private mutating func start<Job, Outcome>(
        _ job: Job, _ run: @escaping @Sendable () -> Outcome
    ) -> BackgroundJob<Job, Outcome> {
        // Two jobs that run at the same time on one disk could not be distinguished.
        if sync.isRunning || compaction.isRunning || numbers.happens(percent: 50) {
            return .finished(job, run())
        }
        let stepped = SteppedJob(on: disk, stopsWhileLocked: !mayFail, run)
        return stepped.outcome.map { .finished(job, $0) } ?? .running(job, stepped)
    }

    /// Performs a sync from beginning to end.
    mutating func synchronizeAll() throws(Violation) {
        repeat { try advanceSync() } while sync.isInProgress
    }

    /// Finishes a compaction, with other operations between its steps.
    mutating func compactAll() throws(Violation) {
        repeat {
            try advanceCompaction()
            switch numbers.below(6) {
            case 0 where !compaction.holdsLock: try synchronizeAll()
            case 1, 2: try appendTurn()
            default: break
            }
        } while compaction.isInProgress
        try appendTurn()
        try synchronizeAll()
    }

    /// Performs the next step of a compaction.
    mutating func advanceCompaction() throws(Violation) {
        switch compaction {
        case .idle:
            disk.begin("begin of a compaction")
            if let job = archive.beginCompaction() { compaction = .pending(job) }
        case .pending(let job):
            disk.begin("compaction")
            compaction = start(job, job.run)
        case .running(let job, let stepped):
            disk.resume("compaction")
            stepped.step()
            if let result = stepped.outcome { compaction = .finished(job, result) }
        case .finished(let job, let result):
            disk.begin("end of a compaction step")
            let next = archive.endCompaction(job, result)
            compaction = next.map { .pending($0) } ?? .idle
        }
        recordDurability()
    }
}
