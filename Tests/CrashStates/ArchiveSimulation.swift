import Encryption
import Glibc
import LinuxIO
import SavedState
import SimulatedDisk
import TestSupport

/// Seeded run of an application with its archive, recorded for the simulation of crashes.
///
/// The run appends turns, syncs, compacts with appends between the steps, makes generations, closes the archive, is
/// killed, loses power, and finds its file damaged. The result of each load is checked immediately.
struct ArchiveSimulation {
    static let application = "org.example.Crash"
    static let directory = "Saved Application State/\(application).savedState"
    static let file = "\(directory)/data.archive"

    /// Finished episodes, each of which ends with a power cut.
    var episodes: [Episode] = []

    var numbers: SeededNumbers
    var turnGenerator: TurnGenerator
    var disk: SimulatedDisk
    var archive: ApplicationArchive
    var promises: Promises
    /// State in memory.
    var model = SavedModel()
    var sync = BackgroundJob<SyncJob, Result<Void, IOError>>.idle
    /// Version that becomes durable with the sync in progress.
    var syncingVersion = 0
    var compaction = BackgroundJob<CompactionJob, CompactionResult>.idle
    /// Saved state for which a generation is required, until the generation is made.
    var requiredGeneration: (model: SavedModel, before: [String])?
    /// Versions that the first load may find.
    private let possible: [Promises.Version]
    let omitsSync: (@Sendable (SyncSite) -> Bool)?
    /// Whether the archives reserve space.
    let reservesSpace: Bool
    /// File that a load found, if it was damaged by more than a crash.
    var damagedFile: [UInt8]?
    /// File that a load found, if its end was torn.
    var tornFile: [UInt8]?
    /// Whether the disk may fail now.
    var mayFail = false
    /// Whether the disk may have failed since the last power cut.
    var hasFaults = false
    /// Whether the injected fault has occurred.
    var hasFaultOccurred = false

    /// Creates a run on a durable disk.
    ///
    /// - Parameters:
    ///   - possible: Versions that the disk may contain.
    ///   - omitsSync: Syncs that claim to succeed and do nothing.
    init(
        seed: UInt64, disk: SimulatedDisk = SimulatedDisk(),
        possible: [Promises.Version] = [Promises.Version(origin: "the beginning")],
        omitsSync: (@Sendable (SyncSite) -> Bool)? = nil
    ) {
        numbers = SeededNumbers(seed: seed)
        let time = possible.reduce(0) { max($0, $1.model?.lastTime ?? 0) }
        turnGenerator = TurnGenerator(seed: seed ^ 0x5EED, after: time)
        self.disk = disk
        self.possible = possible
        self.omitsSync = omitsSync
        reservesSpace = seed % 2 == 0
        archive = Self.archive(on: disk, reservesSpace: reservesSpace)
        promises = Promises(possible[0])
        disk.omitSyncs(omitsSync)
        disk.startRecording()
    }

    /// Returns the bytes that a load reads.
    static func file(on disk: SimulatedDisk) -> [UInt8]? {
        disk.content(file) ?? disk.content("\(file).salvaged")
    }

    /// - Parameter reservesSpace: See ``ApplicationArchive/reservesSpace``.
    static func archive(on disk: SimulatedDisk, reservesSpace: Bool = false) -> ApplicationArchive {
        // The minimum is small, so that files are compacted that are quick to check.
        let archive = ApplicationArchive(
            bundleIdentifier: application,
            below: SealedDirectory(disk.root, keys: EncryptedDisk.keys),
            maximumUncompactedBytes: 4096)
        archive.reservesSpace = reservesSpace
        return archive
    }

    /// Starts the application and runs a script. The error for a broken promise contains the preceding operations.
    mutating func run(
        _ script: (inout ArchiveSimulation) throws(Violation) -> Void
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
            throw error.addingDetails(episodes.last?.recentSteps(upTo: .max) ?? [])
        }
    }

    /// Performs a random operation.
    mutating func step() throws(Violation) {
        if sync.holdsLock || compaction.holdsLock {
            if numbers.happens(percent: 50) { try appendTurn() }
            if sync.holdsLock { try advanceSync() }
            while compaction.holdsLock { try advanceCompaction() }
            return
        }
        // Otherwise, a process would rarely end during a compaction.
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

    /// Records that a call begins that creates versions.
    mutating func begin(_ versions: [Promises.Version]) {
        promises.begin(versions, after: disk.snapshotIndex)
    }

    /// Calls the archive. Returns `nil` if the call failed, which is permitted only while the disk may fail.
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

    /// Records the promise that the saved state is durable, if there is saved state and the archive reports this.
    mutating func recordDurability() {
        if archive.isDurable, promises.versions[promises.newest].model != nil {
            promises.promiseDurable(promises.newest, at: disk.snapshotIndex)
        }
    }
}
