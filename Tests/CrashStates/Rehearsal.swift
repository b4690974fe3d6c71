import Encryption
import Glibc
import LinuxIO
import SavedState
import SimulatedDisk
import TestSupport

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
    var episodes: [Episode] = []

    var numbers: SeededNumbers
    var maker: TurnMaker
    var disk: SimulatedDisk
    var archive: ApplicationArchive
    var promises: Promises
    /// What is in memory.
    var model = SavedModel()
    var sync = BackgroundJob<SyncJob, Result<Void, IOError>>.idle
    /// Up to which version the sync that is going on makes durable.
    var syncCovers = 0
    var compaction = BackgroundJob<CompactionJob, CompactionResult>.idle
    /// What was saved when a generation of it was required, until that is made.
    var required: (model: SavedModel, before: [String])?
    /// What may be found at the first start.
    private let possible: [Promises.Version]
    let leavesOut: (@Sendable (SyncSite) -> Bool)?
    /// Whether the archives reserve space.
    let reservesSpace: Bool
    /// The file that was found, if it was damaged by more than a crash.
    var damaged: [UInt8]?
    /// The file that was found, if its end was torn.
    var torn: [UInt8]?
    /// Whether the disk may fail now.
    var mayFail = false
    /// Whether it could since the last power cut.
    var hasFaults = false
    /// Whether the armed fault has struck.
    var faultStruck = false

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
        reservesSpace = seed % 2 == 0
        archive = Self.archive(on: disk, reservesSpace: reservesSpace)
        promises = Promises(possible[0])
        disk.leaveOut(leavesOut)
        disk.startRecording()
    }

    /// What a load reads.
    static func file(on disk: SimulatedDisk) -> [UInt8]? {
        disk.content(file) ?? disk.content("\(file).salvaged")
    }

    /// - Parameter reservesSpace: See ``ApplicationArchive/reservesSpace``.
    static func archive(on disk: SimulatedDisk, reservesSpace: Bool = false) -> ApplicationArchive {
        // Small, so that files are compacted that are quick to check.
        let archive = ApplicationArchive(
            bundleIdentifier: application,
            below: SealedFolder(disk.root, keys: EncryptedDisk.keys), compactionMinimum: 4096)
        archive.reservesSpace = reservesSpace
        return archive
    }

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
        case 86..<89: try requireGeneration()
        case 89..<92: try closeAndStart()
        case 92..<94: try killAndStart()
        case 94..<97: try losePowerAndStart()
        case 97: try removeAll()
        case 98: try damageAndStart()
        default: try retry()
        }
    }

    /// A call begins that makes versions.
    mutating func begin(_ versions: [Promises.Version]) {
        promises.begin(versions, after: disk.recordedSnapshot)
    }

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
