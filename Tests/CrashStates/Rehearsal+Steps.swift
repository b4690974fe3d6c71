import SavedState
import SimulatedDisk

extension Rehearsal {
    /// A turn changes something.
    mutating func appendTurn() throws(Violation) {
        let (turn, states) = maker.turn(on: model)
        try save(turn, states, "append of pass \(maker.time)")
    }

    /// A turn without changes, which saves what could not be saved before.
    mutating func retry() throws(Violation) {
        let newest = promises.versions[promises.newest]
        // A whole new file is that of an application that runs.
        let isRewritten = archive.hasPending && newest.isClosed
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
            promises.promiseWritten(promises.newest, at: disk.recordedSnapshot)
            if (level == .durable) != archive.isDurable {
                throw Violation("An append is \(level), and the archive says otherwise")
            }
        }
        try noteGeneration()
        noteDurability()
        if archive.contents.map(SavedModel.digest) != model.digest {
            throw Violation("The archive has not in memory what was appended")
        }
    }

    /// A sync begins, runs or ends.
    mutating func advanceSync() throws(Violation) {
        switch sync {
        case .idle:
            disk.begin("begin of a sync")
            guard let job = archive.beginSync() else { return }
            syncCovers = promises.now.written
            sync = .begun(job)
        case .begun(let job):
            disk.begin("sync")
            sync = start(job, job.run)
        case .running(let job, let stepped):
            disk.resume("sync")
            stepped.step()
            if let result = stepped.outcome { sync = .ran(job, result) }
        case .ran(let job, let result):
            sync = .idle
            let ended: Void? = try attempt("end of a sync") { archive throws(SaveError) in
                try archive.endSync(job, result)
            }
            if ended != nil { promises.promiseDurable(syncCovers, at: disk.recordedSnapshot) }
        }
        noteDurability()
    }

    /// Runs a job, or begins to, so that other things happen between its operations.
    private mutating func start<Job, Outcome>(
        _ job: Job, _ run: @escaping @Sendable () -> Outcome
    ) -> Background<Job, Outcome> {
        // Two at a time on one disk could not be told apart.
        if sync.isRunning || compaction.isRunning || numbers.happens(percent: 50) {
            return .ran(job, run())
        }
        let stepped = SteppedJob(on: disk, stopsInside: !mayFail, run)
        return stepped.outcome.map { .ran(job, $0) } ?? .running(job, stepped)
    }

    /// A sync from its beginning to its end.
    mutating func synchronizeAll() throws(Violation) {
        repeat { try advanceSync() } while sync.isGoingOn
    }

    /// A compaction to its end, with anything else between its steps.
    mutating func compactAll() throws(Violation) {
        repeat {
            try advanceCompaction()
            switch numbers.below(6) {
            case 0 where !compaction.holdsLock: try synchronizeAll()
            case 1, 2: try appendTurn()
            default: break
            }
        } while compaction.isGoingOn
        try appendTurn()
        try synchronizeAll()
    }

    /// A step of a compaction begins, runs or ends.
    mutating func advanceCompaction() throws(Violation) {
        switch compaction {
        case .idle:
            disk.begin("begin of a compaction")
            if let job = archive.beginCompaction() { compaction = .begun(job) }
        case .begun(let job):
            disk.begin("compaction")
            compaction = start(job, job.run)
        case .running(let job, let stepped):
            disk.resume("compaction")
            stepped.step()
            if let result = stepped.outcome { compaction = .ran(job, result) }
        case .ran(let job, let result):
            disk.begin("end of a compaction step")
            let next = archive.endCompaction(job, result)
            compaction = next.map { .begun($0) } ?? .idle
        }
        noteDurability()
    }

    /// What is saved becomes a generation.
    mutating func makeGeneration() throws(Violation) {
        let path = try attempt("generation") { archive throws(SaveError) in
            try archive.makeGeneration()
        }
        try noteGeneration()
        if let path, let path { try keepGeneration(path) }
        noteDurability()
    }

    /// What is saved becomes a generation with the next append.
    mutating func oweGeneration() throws(Violation) {
        if archive.owesGeneration || archive.hasPending { return }
        owed = disk.file(Self.file) == nil ? nil : (model, generations)
        _ = try attempt("owing of a generation") { archive throws(SaveError) in
            try archive.oweGeneration()
        }
    }

    /// The paths of the generations, the oldest first.
    private var generations: [String] {
        let folder = "\(Self.folder)/history"
        return disk.names(in: folder).filter { $0 != "archive.new" }
            .map { "\(folder)/\($0)" }
    }

    /// A generation that was owed is made before anything else is written.
    private mutating func noteGeneration() throws(Violation) {
        guard let owed, !archive.owesGeneration else { return }
        self.owed = nil
        for name in generations where !owed.before.contains(name) {
            guard let bytes = disk.file(name), try holds(bytes, owed.model) else { continue }
            promises.keep(
                Promises.Keepsake(bytes: bytes, path: name, since: disk.recordedSnapshot))
            return
        }
        throw Violation("The generation that was owed is not there")
    }

    /// An orderly stop, and the next start.
    mutating func closeAndStart() throws(Violation) {
        let before = promises.versions[promises.newest]
        var closed = before
        closed.isClosed = closed.model != nil
        closed.origin = "close"
        begin([closed])
        let done: Void? = try attempt("close") { archive throws(SaveError) in try archive.close() }
        try noteGeneration()
        if done == nil {
            begin([before])
        } else if closed.model != nil {
            promises.promiseDurable(promises.newest, at: disk.recordedSnapshot)
        }
        noteDurability()
        try killAndStart()
    }

    /// The application runs.
    mutating func markOpened() throws(Violation) {
        let before = promises.versions[promises.newest]
        var opened = before
        opened.isClosed = false
        opened.origin = "opening"
        begin([opened])
        let done: Void? = try attempt("opening") { archive throws(SaveError) in
            try archive.markOpened()
        }
        // Where nothing can be written it stays as it was.
        if done == nil || archive.contents?.closed == true {
            begin([before])
        } else {
            promises.promiseWritten(promises.newest, at: disk.recordedSnapshot)
        }
        noteDurability()
    }

    /// The application is quit by force.
    mutating func removeAll() throws(Violation) {
        let before = promises.versions[promises.newest]
        let start = disk.recordedSnapshot
        begin([Promises.Version(origin: "removal")])
        let path = try attempt("removal") { archive throws(SaveError) in try archive.remove() }
        try noteGeneration()
        if let path {
            let moved = disk.recordedSnapshot(afterLast: .rename, of: "data.archive")
            if let path { try keepGeneration(path, since: moved.flatMap { $0 > start ? $0 : nil }) }
            model = SavedModel()
            promises.promiseDurable(promises.newest, at: disk.recordedSnapshot)
        } else {
            begin([before])
        }
        noteDurability()
    }

    private mutating func begin(_ versions: [Promises.Version]) {
        promises.begin(versions, after: disk.recordedSnapshot)
    }

    /// A generation holds what is in memory, whole, and stays.
    ///
    /// - Parameter moved: the snapshot after what was the archive was moved there; `nil` if it is new.
    private mutating func keepGeneration(
        _ path: String, since moved: Int? = nil
    ) throws(Violation) {
        let name = String(path.dropFirst(disk.root.path.utf8.count + 1))
        guard let bytes = disk.file(name) else {
            throw Violation("The generation \(path) is not there")
        }
        guard try holds(bytes, model) else {
            throw Violation("A generation does not hold what was in memory")
        }
        promises.keep(Promises.Keepsake(bytes: bytes, path: name, since: disk.recordedSnapshot))
        if let moved {
            promises.keep(Promises.Keepsake(bytes: bytes, isForNothing: true, since: moved))
        }
    }

    /// Whether a generation holds this, and is a whole archive.
    private func holds(_ bytes: [UInt8], _ model: SavedModel) throws(Violation) -> Bool {
        switch ArchiveReader.read(bytes, bundleIdentifier: Self.application) {
        case .whole(let prefix), .torn(let prefix, _):
            return SavedModel.digest(of: prefix.contents) == model.digest
        case .damaged(let reason, _, _):
            throw Violation("A generation is damaged: \(reason)")
        case .newer:
            throw Violation("A generation is of a newer format")
        }
    }
}
