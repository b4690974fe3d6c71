import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Synchronization
import Testing

@testable import SavedState

/// Tests of saves, loads and removals in which one of several steps fails.
@Suite struct InterruptedSaveTests {
    private let foreign = Sample.log([Sample.first, Sample.third], published: 9)
    private let salvaged = "\(Sample.directory)/data.archive.salvaged"
    private let compacted = "\(Sample.directory)/data.archive.compacted"

    private func saved(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        return archive
    }

    /// Returns an archive whose next write moves another program's file to quarantine.
    private func replacing(_ bytes: [UInt8], on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try saved(on: disk)
        _ = try disk.root.remove(Sample.file)
        disk.put(bytes, at: Sample.file)
        _ = try archive.check(readingContents: true)
        archive.quarantineOnNextWrite()
        #expect(archive.consumeIncidents() == [])
        return archive
    }

    /// Makes the first operation of each of these kinds fail.
    private func refuseFirst(_ kinds: Set<DiskOperation.Kind>, on disk: SimulatedDisk) {
        let remaining = Mutex(kinds)
        disk.setGate { kind in remaining.withLock { $0.remove(kind) == nil } }
    }

    // MARK: Replacing another program's file

    @Test func `a replaced file is reported only after the new file's name is durable`() throws {
        let disk = SimulatedDisk()
        let archive = try replacing(foreign, on: disk)
        // The fifth sync of a directory makes the name of the new file durable.
        disk.inject(SimulatedDisk.Fault(operation: 5, code: EIO, kinds: [.synchronizeDirectory]))
        #expect(throws: SaveError.self) { try archive.append(TurnRecords()) }
        #expect(disk.hasFaultOccurred)
        disk.inject(nil)
        #expect(archive.consumeIncidents() == [])
        #expect(try archive.check(readingContents: true) == .unchanged)
        #expect(try archive.append(TurnRecords()) == .durable)
        // The retry replaces the new file, which does not count as another program's file.
        let path = archive.quarantinePath(of: "000001-data.archive")
        #expect(
            archive.consumeIncidents() == [
                .changedExternally(reason: "another archive is at its path", quarantinePath: path),
                .rewritten,
            ])
        #expect(try archive.quarantinedFiles().map(\.path) == [path])
        #expect(disk.kept(foreign))
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `a save does not need the quarantine if the other program's file has been removed`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try replacing(foreign, on: disk)
        disk.put([], at: "\(Sample.directory)/quarantine")
        #expect(throws: SaveError.self) { try archive.append(TurnRecords()) }
        _ = try disk.root.remove(Sample.file)
        try archive.append(TurnRecords())
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `L1: a forced quit reports another program's file that it quarantines`() throws {
        let archive = try replacing(foreign, on: SimulatedDisk())
        try archive.remove(because: "of a test")
        guard case .changedExternally(_, _?) = archive.consumeIncidents().first else {
            Issue.record("it is not reported")
            return
        }
    }

    @Test func `the next save succeeds if the status of a new file could not be determined`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try replacing(foreign, on: disk)
        // The first status is that of the other program's file.
        disk.inject(SimulatedDisk.Fault(operation: 2, code: EIO, kinds: [.status]))
        #expect(throws: SaveError.self) { try archive.append(TurnRecords()) }
        #expect(disk.hasFaultOccurred)
        disk.inject(nil)
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(disk.kept(foreign))
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    // MARK: Leftovers

    @Test func `the next save removes the leftover of a salvage that could not be removed`() throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        disk.put(foreign, at: salvaged)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.remove]))
        #expect(throws: SaveError.self) { try archive.append(Sample.first) }
        disk.inject(nil)
        #expect(disk.file(salvaged) == foreign)
        try archive.append(TurnRecords())
        #expect(disk.file(salvaged) == nil)
    }

    /// Files that a load finds next to the archive.
    enum Leftover: CaseIterable { case salvage, compaction, incompleteCompaction, foreignFile }

    @Test(arguments: Leftover.allCases)
    func `a leftover file that cannot be removed or quarantined at load is reported`(
        leftover: Leftover
    ) throws {
        let disk = SimulatedDisk()
        let archive = ApplicationArchive(
            bundleIdentifier: Sample.application, below: disk.root, maximumUncompactedBytes: 0)
        _ = try archive.load()
        try archive.append(Sample.first)
        try Sample.grow(archive)
        // The first removal is that of an incomplete archive.
        var fault = SimulatedDisk.Fault(operation: 2, code: EIO, kinds: [.remove])
        switch leftover {
        case .salvage:
            disk.put(foreign, at: salvaged)
            fault = SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.rename])
        case .compaction:
            let copy = try #require(archive.beginCompaction())
            _ = copy.run()
            #expect(disk.file(compacted) != nil)
        case .incompleteCompaction: disk.put([3], at: compacted)
        case .foreignFile:
            disk.put(foreign, at: compacted)
            fault = SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.rename])
        }
        disk.inject(fault)
        let next = try Sample.loaded(on: disk)
        guard case .cleanupFailed(let error) = next.consumeIncidents().first else {
            Issue.record("it is not reported")
            return
        }
        #expect(error.code == EIO)
    }

    // MARK: Replicas

    @Test func `an archive is not adopted before the removal of the replica mark is durable`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.writeReplicaCheckpoint(ReplicaCheckpoint(lineage: Lineage(writer: 1)))
        let before = disk.file(Sample.file)
        let replica = ReplicaEncoder.begin(with: RecordList(), of: Sample.application, turn: 9)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeDirectory]))
        #expect(throws: SaveError.self) { try archive.adoptReplica(replica.bytes) }
        #expect(disk.file(Sample.file) == before)
    }

    @Test func `L1: after a forced quit, the replica contains no state`() throws {
        let archive = try saved(on: SimulatedDisk())
        let replica = TypeRecorder()
        archive.setReplica(to: replica)
        archive.replicateFullState()
        #expect(replica.types.contains(.object))
        try archive.remove(because: "of a test")
        #expect(replica.types == [.nothing])
    }

    // MARK: Closing

    @Test(arguments: [DiskOperation.Kind.synchronizeData, .truncate])
    func `closing an archive whose file failed tries only once to write a complete new file`(
        kind: DiskOperation.Kind
    ) throws {
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk)
        archive.reservesSpace = true
        _ = try archive.load()
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        refuseFirst([kind, .create], on: disk)
        #expect(throws: SaveError.self) { try archive.close() }
        disk.setGate(nil)
        #expect(!archive.isClosed)
        try archive.close()
        let found = try Sample.contents(on: disk.copy(afterPowerCut: true))
        #expect(found?.isClosed == true)
        #expect(found?.numbers == [1, 2, 3, 5, 6])
    }

    @Test func `an archive whose closed record cannot be revoked still counts as closed`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.append(Sample.second)
        // The closed record is written but not synced, and the disk accepts no new file or record.
        let writeCount = Mutex(0)
        disk.setGate { kind in
            if kind == .create { return false }
            guard kind == .write else { return true }
            return writeCount.withLock { count -> Bool in
                count += 1
                return count != 2
            }
        }
        disk.inject(SimulatedDisk.Fault(operation: 2, code: EIO, kinds: [.synchronizeData]))
        #expect(throws: SaveError.self) { try archive.close() }
        disk.setGate(nil)
        disk.inject(nil)
        #expect(archive.isClosed)
        #expect(try Sample.contents(on: disk)?.isClosed == true)
    }
}

/// Replica that records the types of its records.
private final class TypeRecorder: StateReplica {
    private let recorded = Mutex<[RecordType]>([])

    var types: [RecordType] { recorded.withLock { $0 } }
    var progress: ReplicaProgress { ReplicaProgress() }

    func setLineage(_ lineage: Lineage) {}
    func append(_ records: RecordList, turn: UInt64) {
        recorded.withLock { $0 += records.spans.map(\.type) }
    }
    func replace(with records: RecordList, turn: UInt64) {
        recorded.withLock { $0 = records.spans.map(\.type) }
    }
    func replaceDocument(_ name: String, with bytes: [UInt8]) {}
}
