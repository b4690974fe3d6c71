import Glibc
import LinuxIO
import SavedState
import SimulatedDisk

/// A seeded run of an application over its archive, recorded for crashes.
///
/// It takes turns, syncs, compacts with appends between the steps, makes generations, closes, is
/// killed, loses power, finds its file damaged, and goes on. What it finds after each start is
/// checked at once.
struct Rehearsal {
    static let application = "org.example.Crash"
    static let folder = "Saved Application State/\(application).savedState"
    static let file = "\(folder)/data.archive"

    /// What ended, one power cut after the other.
    private(set) var episodes: [Episode] = []

    var numbers: SeededNumbers
    var maker: TurnMaker
    private(set) var disk: SimulatedDisk
    private(set) var archive: ApplicationArchive
    var promises: Promises
    /// What is in memory.
    var model = SavedModel()
    var sync = Background<SyncJob, Result<Void, IOError>>.idle
    /// Up to which version the sync that is going on makes durable.
    var syncCovers = 0
    var compaction = Background<CompactionJob, CompactionResult>.idle
    /// What was saved when a generation of it was owed, until that is made.
    var owed: (model: SavedModel, before: [String])?
    /// What may be found at the first start.
    private let possible: [Promises.Version]
    private let leavesOut: (@Sendable (SyncSite) -> Bool)?
    private var damaged: [UInt8]?
    /// The file that was found, if its end was torn.
    private var torn: [UInt8]?
    /// Whether the disk may fail now.
    private(set) var mayFail = false
    /// Whether it could since the last power cut.
    private var hasFaults = false

    /// A job of the archive that another thread would run.
    enum Background<Job: Sendable, Outcome: Sendable> {
        case idle
        case begun(Job)
        case running(Job, SteppedJob<Outcome>)
        case ran(Job, Outcome)

        /// Whether others have to wait for it.
        var holdsLock: Bool { if case .running(_, let job) = self { job.holdsLock } else { false } }

        /// None of its operations happens any more.
        mutating func abandon() {
            if case .running(_, let job) = self { job.abandon() }
            self = .idle
        }

        var isGoingOn: Bool { if case .idle = self { false } else { true } }
        var isRunning: Bool { if case .running = self { true } else { false } }
    }

    /// Begins on a disk that is durable as it is.
    ///
    /// - Parameters:
    ///   - possible: what may be found there.
    ///   - leavesOut: syncs that claim to succeed and do nothing.
    init(
        seed: UInt64, disk: SimulatedDisk = SimulatedDisk(),
        possible: [Promises.Version] = [Promises.Version(origin: "the beginning")],
        leavesOut: (@Sendable (SyncSite) -> Bool)? = nil
    ) {
        numbers = SeededNumbers(seed: seed)
        let time = possible.reduce(0) { max($0, $1.model?.lastTime ?? 0) }
        maker = TurnMaker(seed: seed ^ 0x5EED, after: time)
        self.disk = disk
        self.possible = possible
        self.leavesOut = leavesOut
        archive = Self.archive(on: disk)
        promises = Promises(possible[0])
        disk.leaveOut(leavesOut)
        disk.startRecording()
    }

    /// What a load reads.
    static func file(on disk: SimulatedDisk) -> [UInt8]? {
        disk.file(file) ?? disk.file("\(file).salvaged")
    }

    static func archive(on disk: SimulatedDisk) -> ApplicationArchive {
        // Small, so that files are compacted that are quick to check.
        ApplicationArchive(
            bundleIdentifier: application, below: disk.root, compactionMinimum: 4096)
    }

    /// From now on the disk fails so.
    mutating func arm(_ fault: SimulatedDisk.Fault) {
        mayFail = true
        hasFaults = true
        disk.inject(fault)
    }

    /// Whether the armed fault has struck.
    private(set) var faultStruck = false

    /// Starts the application and runs a script; a broken promise is told with its story.
    mutating func run(
        _ script: (inout Rehearsal) throws(Violation) -> Void
    ) throws(Violation) {
        do throws(Violation) {
            try begin(with: start(from: possible[...]))
            try script(&self)
            sync.abandon()
            compaction.abandon()
            endEpisode()
        } catch {
            sync.abandon()
            compaction.abandon()
            endEpisode()
            throw error.adding(episodes.last?.story(upTo: .max) ?? [])
        }
    }

    /// The disk is well again: then everything that is in memory can be saved, and is.
    mutating func mend() throws(Violation) {
        noteStrike()
        disk.inject(nil)
        // What has run may still have to tell that it failed.
        while sync.isGoingOn { try advanceSync() }
        while compaction.isGoingOn { try advanceCompaction() }
        mayFail = false
        try retry()
        repeat { try advanceCompaction() } while compaction.isGoingOn
        try synchronizeAll()
        guard archive.isDurable, !archive.hasPending else {
            throw Violation("After the fault was gone something is still not durable")
        }
        let after = disk.copy(afterPowerCut: true)
        let again = Self.archive(on: after)
        let outcome = Result { try again.load() }
        guard case .success(let outcome) = outcome else {
            throw Violation("After the fault was gone a load fails: \(outcome)")
        }
        // Where nothing is saved, what was removed without success may come back.
        let newest = promises.newest
        let oldest = promises.versions[newest].model == nil ? promises.now.durable : newest
        _ = try Finding(outcome, again).version(among: promises.versions[oldest...newest])
    }

    private mutating func noteStrike() {
        if disk.faultStruck { faultStruck = true }
    }

    private mutating func endEpisode() {
        noteStrike()
        guard let record = disk.takeRecord() else { return }
        episodes.append(
            Episode(
                record: record, promises: promises, damaged: damaged, hasFaults: hasFaults))
    }

    /// Does something at random.
    mutating func step() throws(Violation) {
        if sync.holdsLock || compaction.holdsLock {
            if numbers.happens(percent: 50) { try appendTurn() }
            if sync.holdsLock { try advanceSync() }
            while compaction.holdsLock { try advanceCompaction() }
            return
        }
        // An end in the middle of a compaction is rare otherwise.
        if compaction.isRunning, numbers.happens(percent: 10) { return try closeAndStart() }
        switch numbers.below(100) {
        case 0..<50: try appendTurn()
        case 50..<62: try advanceSync()
        case 62..<65: try synchronizeAll()
        case 65..<78: try advanceCompaction()
        case 78..<83: try compactAll()
        case 83..<86: try makeGeneration()
        case 86..<89: try oweGeneration()
        case 89..<92: try closeAndStart()
        case 92..<94: try killAndStart()
        case 94..<97: try losePowerAndStart()
        case 97: try removeAll()
        case 98: try damageAndStart()
        default: try retry()
        }
    }

    // MARK: Ends and starts

    /// The process ends and another one starts.
    mutating func killAndStart() throws(Violation) {
        // No process can know what one before it was told.
        if disk.snapshot.hasLost { return try losePowerAndStart() }
        restart()
        let bounds = promises.now
        let version = try start(from: promises.versions[bounds.written...bounds.newest])
        promises.begin([version], after: disk.recordedSnapshot)
        promises.promiseWritten(promises.newest, at: disk.recordedSnapshot)
        try goOn()
    }

    private mutating func losePowerAndStart() throws(Violation) {
        let seed = numbers.next()
        let bounds = promises.now
        let possible = promises.versions[bounds.durable...bounds.newest]
        let left = disk.snapshot.afterPowerCut(seed: seed)
        do throws(Violation) {
            move(to: left)
            try begin(with: start(from: possible))
        } catch {
            let story = episodes.last?.story(upTo: .max) ?? []
            throw error.adding(["before, up to the power cut \(seed):"] + story)
        }
    }

    /// Bytes of the file change while nobody runs.
    private mutating func damageAndStart() throws(Violation) {
        guard let good = disk.file(Self.file), !good.isEmpty else { return }
        var bytes = good
        for _ in 0..<1 + numbers.below(3) {
            bytes[numbers.below(bytes.count)] ^= UInt8(1 + numbers.below(255))
        }
        if bytes == good { return }
        let left = disk.copy(afterPowerCut: false)
        left.put(bytes, at: Self.file)
        move(to: left)
        damaged = bytes
        try begin(with: start(from: nil), keeping: bytes)
    }

    private mutating func move(to disk: SimulatedDisk) {
        sync.abandon()
        compaction.abandon()
        endEpisode()
        self.disk = disk
        damaged = nil
        mayFail = false
        hasFaults = false
        disk.leaveOut(leavesOut)
        disk.startRecording()
        restart()
    }

    /// The next process, which knows nothing.
    private mutating func restart() {
        sync.abandon()
        compaction.abandon()
        archive = Self.archive(on: disk)
        owed = nil
    }

    /// Loads, and finds one of the versions that can be.
    ///
    /// - Parameter possible: `nil` if the file was damaged, so that any part of it may be found.
    private mutating func start(
        from possible: ArraySlice<Promises.Version>?
    ) throws(Violation) -> Promises.Version {
        let bytes = Self.file(on: disk)
        let outcome = try load()
        let found = Finding(outcome, archive)
        var version: Promises.Version
        if let possible {
            version = try found.version(among: possible)
        } else {
            version = try found.salvage()
        }
        version.isClosed = found.isClosed
        version.origin = "loaded: \(version.origin)"
        model = version.model ?? SavedModel()
        torn = found.isTorn ? bytes : nil
        return version
    }

    /// The disk is durable as it is, and holds this.
    ///
    /// - Parameter bytes: a file that cannot be used, and has to be kept.
    private mutating func begin(
        with version: Promises.Version, keeping bytes: [UInt8]? = nil
    ) throws(Violation) {
        promises = Promises(version)
        if let bytes = bytes ?? torn {
            promises.keep(
                Promises.Keepsake(
                    bytes: bytes, since: 0,
                    reasonSince: damaged == nil ? 0 : disk.recordedSnapshot))
        }
        try goOn()
    }

    private mutating func goOn() throws(Violation) {
        noteDurability()
        if numbers.happens(percent: 90) { try markOpened() }
    }

    private mutating func load() throws(Violation) -> LoadOutcome {
        disk.begin("load")
        do throws(LoadError) {
            return try archive.load()
        } catch {
            guard mayFail else { throw Violation("The load failed: \(error)") }
        }
        noteStrike()
        disk.inject(nil)
        do throws(LoadError) {
            return try archive.load()
        } catch {
            throw Violation("The load failed again, without a fault: \(error)")
        }
    }

    // MARK: Calls

    /// Calls the archive; `nil` if that failed, which it may only while the disk may fail.
    mutating func attempt<Result>(
        _ call: String, _ body: (ApplicationArchive) throws(SaveError) -> Result
    ) throws(Violation) -> Result? {
        disk.begin(call)
        do throws(SaveError) {
            return try body(archive)
        } catch {
            guard mayFail else { throw Violation("The \(call) failed: \(error)") }
            return nil
        }
    }

    /// Everything that the archive says is durable must be; of what is not saved it says nothing.
    mutating func noteDurability() {
        if archive.isDurable, promises.versions[promises.newest].model != nil {
            promises.promiseDurable(promises.newest, at: disk.recordedSnapshot)
        }
    }
}
