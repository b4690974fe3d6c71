import LinuxIO
import SimulatedDisk
import StateRecords
import Synchronization
import Testing

@testable import SavedState

/// Tests of the state that an archive must still write or send to a replica.
@Suite struct UnwrittenStateTests {
    private let disk = SimulatedDisk()

    @Test func `only an archive that was not closed has unwritten state after a load`() throws {
        try Sample.loaded(on: disk).append(Sample.first)
        let unclosed = try Sample.loaded(on: disk)
        #expect(unclosed.hasUnwrittenState)
        #expect(!unclosed.hasPendingChanges)
        try unclosed.close()
        let closed = try Sample.loaded(on: disk)
        #expect(!closed.hasUnwrittenState)
    }

    @Test func `an archive without a file is saved and closed with one write`() throws {
        let archive = try Sample.loaded(on: disk)
        try archive.stage(Sample.first)
        // The log of operations starts again.
        disk.inject(nil)
        try archive.close()
        #expect(disk.log.count { $0 == .write } == 1)
        let contents = try #require(try Sample.contents(on: disk))
        #expect(contents.numbers == [1, 2, 3, 4])
        #expect(contents.isClosed)
    }

    @Test func `an archive that is not loaded sends no state to a replica`() throws {
        try Sample.loaded(on: disk).append(Sample.first)
        let archive = Sample.archive(on: disk)
        let replica = CountingReplica()
        archive.setReplica(to: replica)
        archive.replicateFullState()
        #expect(replica.replacementCount == 0)
        _ = try archive.load()
        archive.replicateFullState()
        #expect(replica.replacementCount == 1)
    }
}

/// Replica that counts how often its contents are replaced.
private final class CountingReplica: StateReplica {
    private let count = Mutex(0)

    var replacementCount: Int { count.withLock { $0 } }
    var progress: ReplicaProgress { ReplicaProgress() }

    func setLineage(_ lineage: Lineage) {}
    func append(_ records: RecordList, turn: UInt64) {}
    func replace(with records: RecordList, turn: UInt64) { count.withLock { $0 += 1 } }
    func replaceDocument(_ name: String, with bytes: [UInt8]) {}
}
