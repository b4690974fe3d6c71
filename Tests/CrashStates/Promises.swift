import SimulatedDisk

/// Durability that an archive has reported to an application, which determines the states that a load may find after a
/// crash.
struct Promises: Sendable {
    /// State that a load may find.
    struct Version: Sendable {
        /// Saved state, or `nil` if no state is saved.
        var model: SavedModel?
        var isClosed = false
        /// Operation that created the version.
        var origin: String
    }

    /// Versions that a load may find at one moment: the last promised version and all later versions.
    struct Bounds: Sendable {
        /// Version that survives a kill.
        var written = 0
        /// Version that survives a power cut.
        var durable = 0
        /// Newest version that was begun.
        var newest = 0
    }

    /// Bytes that must be stored under a path or, if there is no path, in the archive, the history or the quarantine.
    struct RetainedContents: Sendable {
        var bytes: [UInt8]
        var path: String?
        /// Whether the bytes must be stored only if a load finds no state.
        var appliesOnlyWithoutState = false
        /// Contents of the file with the reason next to the path, or `nil` if that file may be missing.
        var reason: [UInt8]?
        /// Index of the first snapshot in which the bytes must be stored.
        var since: Int
        /// Index of the first snapshot in which the bytes need no longer be stored.
        var until = Int.max
        /// Index of the first snapshot in which bytes in quarantine must have a reason.
        var reasonSince = 0
    }

    private(set) var versions: [Version]
    private(set) var retainedContents: [RetainedContents] = []
    /// Bounds, each with the index of the first snapshot to which they apply.
    private var boundsChanges: [(snapshot: Int, bounds: Bounds)]

    /// Creates promises for an existing state, durable or not.
    init(_ first: Version) {
        versions = [first]
        boundsChanges = [(0, Bounds())]
    }

    var newest: Int { versions.count - 1 }
    var currentBounds: Bounds { boundsChanges[boundsChanges.count - 1].bounds }

    /// Records that a call begins. Its versions may be found after the next operation.
    mutating func begin(_ newVersions: [Version], after snapshot: Int) {
        versions += newVersions
        change(from: snapshot + 1) { [newest] in $0.newest = newest }
    }

    /// Records that a call has returned. This version or a later version survives a kill.
    mutating func promiseWritten(_ version: Int, at snapshot: Int) {
        change(from: snapshot) { $0.written = max($0.written, version) }
    }

    /// Records that a call has returned. This version or a later version survives a power cut.
    mutating func promiseDurable(_ version: Int, at snapshot: Int) {
        change(from: snapshot) {
            $0.durable = max($0.durable, version)
            $0.written = max($0.written, version)
        }
    }

    /// Records that bytes were reported as stored.
    mutating func promiseRetained(_ retained: RetainedContents) {
        retainedContents.append(retained)
    }

    /// Permits the loss of the bytes under a path, and of the same bytes elsewhere, from the next operation on.
    mutating func release(_ path: String, after snapshot: Int) {
        let released = retainedContents.filter { $0.path == path }.map(\.bytes)
        for index in retainedContents.indices
        where retainedContents[index].path == path
            || (retainedContents[index].path == nil
                && released.contains(retainedContents[index].bytes))
        {
            retainedContents[index].until = min(retainedContents[index].until, snapshot + 1)
        }
    }

    /// Returns the bounds at each snapshot of a record.
    func bounds(count: Int) -> [Bounds] {
        var all: [Bounds] = []
        var bounds = Bounds()
        var next = 0
        for snapshot in 0..<count {
            while next < boundsChanges.count, boundsChanges[next].snapshot <= snapshot {
                bounds = boundsChanges[next].bounds
                next += 1
            }
            all.append(bounds)
        }
        return all
    }

    private mutating func change(from snapshot: Int, _ body: (inout Bounds) -> Void) {
        var bounds = currentBounds
        body(&bounds)
        // A call that has just begun counts from the next snapshot on, which may be later than `snapshot`.
        boundsChanges.append(
            (max(snapshot, boundsChanges[boundsChanges.count - 1].snapshot), bounds))
    }
}

/// Operations between two power cuts, and the promises that were made during them.
struct Episode: Sendable {
    var record: DiskRecord
    var promises: Promises
    /// Damaged file that a load was about to quarantine, or `nil` if there was no such file.
    var damagedFile: [UInt8]?
    /// Whether operations failed.
    var hasFaults: Bool

    /// Returns the last few steps up to a snapshot.
    func recentSteps(upTo snapshot: Int, last count: Int = 40) -> [String] {
        record.steps.filter { $0.snapshot <= snapshot }.suffix(count).map(\.description)
    }
}
