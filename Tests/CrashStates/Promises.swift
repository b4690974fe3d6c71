import SimulatedDisk

/// What an application was told of its saved state, and so what it may find after a crash.
struct Promises: Sendable {
    /// One state that a load may find.
    struct Version: Sendable {
        /// `nil`: nothing is saved.
        var model: SavedModel?
        var isClosed = false
        /// What made it.
        var origin: String
    }

    /// Which versions may be found at one moment: the last that was promised, and all after it.
    struct Bounds: Sendable {
        /// What survives the end of the process.
        var written = 0
        /// What survives a power cut.
        var durable = 0
        /// The newest that was begun.
        var newest = 0
    }

    /// Bytes that must be somewhere: under one path, or be the archive, in history or in quarantine.
    struct Keepsake: Sendable {
        var bytes: [UInt8]
        var path: String?
        /// Whether that is so only if a load finds nothing.
        var isForNothing = false
        /// The file with the reason beside the path; nil: it may be missing.
        var reason: [UInt8]?
        /// From this snapshot on.
        var since: Int
        /// Before this snapshot.
        var until = Int.max
        /// From this snapshot on a reason lies beside them in quarantine.
        var reasonSince = 0
    }

    private(set) var versions: [Version]
    private(set) var keepsakes: [Keepsake] = []
    /// The bounds from a snapshot on.
    private var marks: [(snapshot: Int, bounds: Bounds)]

    /// Begins with a state that is there, durably or not.
    init(_ first: Version) {
        versions = [first]
        marks = [(0, Bounds())]
    }

    var newest: Int { versions.count - 1 }
    var now: Bounds { marks[marks.count - 1].bounds }

    /// A call begins that makes versions: they may be seen after the next operation.
    mutating func begin(_ new: [Version], after snapshot: Int) {
        versions += new
        change(from: snapshot + 1) { [newest] in $0.newest = newest }
    }

    /// A call has returned: this version, or a later one, survives the end of the process.
    mutating func promiseWritten(_ version: Int, at snapshot: Int) {
        change(from: snapshot) { $0.written = max($0.written, version) }
    }

    /// A call has returned: this version, or a later one, survives a power cut.
    mutating func promiseDurable(_ version: Int, at snapshot: Int) {
        change(from: snapshot) {
            $0.durable = max($0.durable, version)
            $0.written = max($0.written, version)
        }
    }

    /// These bytes were told to be safe.
    mutating func keep(_ keepsake: Keepsake) { keepsakes.append(keepsake) }

    /// What is under a path need not stay from the next operation on, nor the same bytes elsewhere.
    mutating func release(_ path: String, after snapshot: Int) {
        let released = keepsakes.filter { $0.path == path }.map(\.bytes)
        for index in keepsakes.indices
        where keepsakes[index].path == path
            || (keepsakes[index].path == nil && released.contains(keepsakes[index].bytes))
        {
            keepsakes[index].until = min(keepsakes[index].until, snapshot + 1)
        }
    }

    /// The bounds at each snapshot of a record.
    func bounds(count: Int) -> [Bounds] {
        var all: [Bounds] = []
        var bounds = Bounds()
        var next = 0
        for snapshot in 0..<count {
            while next < marks.count, marks[next].snapshot <= snapshot {
                bounds = marks[next].bounds
                next += 1
            }
            all.append(bounds)
        }
        return all
    }

    private mutating func change(from snapshot: Int, _ body: (inout Bounds) -> Void) {
        var bounds = now
        body(&bounds)
        // What was begun at the same moment was begun with the next operation.
        marks.append((max(snapshot, marks[marks.count - 1].snapshot), bounds))
    }
}

/// What happened between two power cuts, and what was promised meanwhile.
struct Episode: Sendable {
    var record: DiskRecord
    var promises: Promises
    /// A damaged file that a load was about to quarantine, if there was one.
    var damaged: [UInt8]?
    /// Whether operations failed.
    var hasFaults: Bool

    /// The steps up to a snapshot, the last few of them.
    func story(upTo snapshot: Int, last count: Int = 40) -> [String] {
        record.steps.filter { $0.snapshot <= snapshot }.suffix(count).map(\.description)
    }
}
