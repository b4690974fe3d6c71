import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Application on a ``SimulatedDisk``, and the turns that the tests append.
enum Sample {
    static let application = "org.example.Sample"
    static let directory = "Saved Application State/\(application).savedState"
    static let file = "\(directory)/data.archive"

    static func archive(on disk: SimulatedDisk, limit: Int = 1 << 20) -> ApplicationArchive {
        ApplicationArchive(bundleIdentifier: application, below: disk.root, limit: limit)
    }

    static func loaded(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = archive(on: disk)
        _ = try archive.load()
        return archive
    }

    /// Appends records until the archive is worth compacting.
    static func grow(_ archive: ApplicationArchive, times: Int = 20) throws {
        for number in 0..<times {
            var turn = TurnRecords()
            turn.addObject(
                header(4, below: 1, "side"),
                values: [UInt8](
                    repeating: UInt8(truncatingIfNeeded: number &* 7 &+ times), count: 80))
            turn.endPass(PassEnd(scene: 1, timestamp: Int64(number)))
            try archive.append(turn)
        }
    }

    /// Returns an archive that consists mostly of obsolete records.
    static func grownArchive(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = ApplicationArchive(
            bundleIdentifier: Sample.application, below: disk.root, maximumUncompactedBytes: 0)
        _ = try archive.load()
        try archive.append(Sample.first)
        try Sample.grow(archive)
        return archive
    }

    /// Compacts an archive up to the exchange of the names, and returns the step that exchanges them.
    static func exchange(of archive: ApplicationArchive) throws -> CompactionJob {
        let copy = try #require(archive.beginCompaction())
        return try #require(archive.endCompaction(copy, copy.run()))
    }

    /// Makes all appended records durable.
    static func synchronize(_ archive: ApplicationArchive) throws {
        guard let job = archive.beginSync() else { return }
        try archive.endSync(job, job.run())
    }

    /// Returns the contents that a new load finds, which must be intact, or `nil` if there is no archive.
    static func contents(on disk: SimulatedDisk) throws -> ArchiveContents? {
        let archive = archive(on: disk)
        switch try archive.load() {
        case .none: return nil
        case .loaded: return archive.contents
        case .damaged(let damage):
            Issue.record("unexpected damage: \(damage)")
            return nil
        }
    }

    static func header(_ number: UInt32, below parent: UInt32, _ id: String) -> ObjectHeader {
        ObjectHeader(number: number, parent: parent, kind: 1, identifier: id, classToken: 1)
    }

    /// Scene with an object, a child of the object, and another object.
    static var first: TurnRecords {
        var turn = TurnRecords()
        turn.addName("Token", number: 1)
        turn.addName("text", number: 2)
        turn.addObject(header(1, below: 0, "main"), values: [])
        turn.addObject(header(2, below: 1, "nav"), values: [1, 2, 3])
        turn.addObject(header(3, below: 2, "wörld 🌍"), values: Array(0..<40))
        turn.addObject(header(4, below: 1, "side"), values: [9])
        turn.endPass(PassEnd(scene: 1, timestamp: 1_000_000))
        return turn
    }

    /// Change to one object, and a second scene in a separate pass.
    static var second: TurnRecords {
        var turn = TurnRecords()
        turn.addObject(header(3, below: 2, "wörld 🌍"), values: [7, 7])
        turn.addRemoval(4)
        turn.endPass(PassEnd(scene: 1, timestamp: 2_000_000))
        turn.addName("late", number: 3)
        turn.addObject(header(5, below: 0, "other"), values: [5])
        turn.addObject(header(6, below: 5, "child"), values: [6])
        turn.endPass(PassEnd(scene: 5, timestamp: 2_000_001))
        return turn
    }

    /// Change to the positions of two objects, without their values.
    static var third: TurnRecords {
        var turn = TurnRecords()
        turn.addName("Storyboard", number: 4)
        turn.addPlacement(header(3, below: 1, "above"))
        var moved = header(2, below: 3, "below")
        moved.storyboard = 4
        turn.addPlacement(moved)
        turn.endPass(PassEnd(scene: 1, timestamp: 3_000_000))
        return turn
    }

    /// Change that can follow ``second``.
    static var late: TurnRecords {
        var turn = TurnRecords()
        turn.addObject(header(6, below: 5, "child"), values: [8, 8])
        turn.endPass(PassEnd(scene: 5, timestamp: 4_000_000))
        return turn
    }

    /// Returns the bytes of an archive that grew as a log of the turns' records.
    ///
    /// - Parameter published: Number of records that were synced before the file got its name.
    static func log(
        _ turns: [TurnRecords], published: UInt64 = 0, synced: UInt64? = nil,
        application: String = application
    ) -> [UInt8] {
        let header = ArchiveHeader(
            fileID: Array(1...16), publishedSequence: published, bundleIdentifier: application)
        var records = RecordList()
        var store = ObjectStore()
        for pass in turns.flatMap(\.passes) {
            let changes = store.changes(of: pass)
            records.append(changes.records)
            store.merge(changes, pass.end)
        }
        return EncodedRecords(header: header, after: 0, records, syncedSequence: synced).bytes
    }

    static func log(_ entries: [ArchiveEntry], published: UInt64? = nil) -> [UInt8] {
        log(RecordList(entries), published: published)
    }

    static func log(_ records: RecordList, published: UInt64? = nil) -> [UInt8] {
        let header = ArchiveHeader(
            fileID: Array(1...16), publishedSequence: published ?? UInt64(records.count),
            bundleIdentifier: application)
        return EncodedRecords(header: header, after: 0, records).bytes
    }
}

/// Record, and the end of a pass if the record ends one.
struct ArchiveEntry {
    var record: ArchiveRecord
    var end: PassEnd?

    init(_ record: ArchiveRecord, end: PassEnd? = nil) {
        self.record = record
        self.end = end
    }
}

extension RecordList {
    init(_ entries: [ArchiveEntry]) {
        self.init()
        for entry in entries { append(entry.record, end: entry.end) }
    }
}

extension ApplicationArchive {
    /// Makes a generation unless the newest generation contains the same state.
    func makeGenerationIfChanged(because reason: String) throws(SaveError) -> String? {
        unchangedGenerationPath() == nil ? try makeGeneration(because: reason) : nil
    }
}

extension ArchiveContents {
    /// Numbers of the objects, in order.
    var numbers: [UInt32] { objects.map(\.header.number) }

    /// Returns the values of an object.
    func values(_ number: UInt32) -> [UInt8]? {
        objects.first { $0.header.number == number }.map { Array($0.values) }
    }

    /// Contents without the properties that depend on when and how they were written.
    var state: ArchiveContents {
        var state = self
        state.sequence = 0
        state.isClosed = false
        state.highestObjectNumber = 0
        return state
    }
}
