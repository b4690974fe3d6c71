import SimulatedDisk
import StateRecords
import Synchronization
import Testing

@testable import SavedState

@Suite struct ApplicationArchiveReplicaTests {
    @Test func `the replica receives each record with its sequence number in the log`() throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        let replica = RecordingReplica()
        archive.setReplica(to: replica)
        _ = try archive.append(Sample.first)
        #expect(replica.turns == [archive.lastSequenceNumber])
        try archive.close()
        #expect(replica.turns.last == archive.lastSequenceNumber)
        try archive.markOpened()
        #expect(replica.turns.last == archive.lastSequenceNumber)
        #expect(replica.turns.count == 3)
        #expect(replica.turns == replica.turns.sorted() && Set(replica.turns).count == 3)
    }

    @Test func `adding a generation does not advance the turn number, but a later change does`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        let turn = archive.lastSequenceNumber
        try archive.makeGeneration(because: "a test")
        #expect(archive.lastSequenceNumber == turn)
        try archive.close()
        #expect(archive.lastSequenceNumber == turn + 1)
        #expect(try Sample.loaded(on: disk).lastSequenceNumber == archive.lastSequenceNumber)
    }

    @Test func `a replica that is attached at launch does not end with a closed record`() throws {
        let disk = SimulatedDisk()
        let before = try Sample.loaded(on: disk)
        _ = try before.append(Sample.first)
        try before.close()
        let archive = try Sample.loaded(on: disk)
        let replica = RecordingReplica()
        archive.setReplica(to: replica)
        try archive.markOpened()
        #expect(replica.types.last != .closed)
    }

    @Test func `an archive holds no more than a turn if at most a closed record follows it`() throws
    {
        let archive = try Sample.loaded(on: SimulatedDisk())
        _ = try archive.append(Sample.first)
        let turn = archive.lastSequenceNumber
        func held() -> [Bool] { (turn - 1...turn + 2).map { archive.isUnchanged(since: $0) } }
        #expect(held() == [false, true, false, false])
        try archive.close()
        #expect(held() == [false, true, true, false])
        try archive.markOpened()
        #expect(held() == [false, false, false, true])
    }

    @Test
    func `a power cut never leaves an adopted archive with the replica mark of the old archive`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        try Sample.synchronize(archive)
        try archive.writeReplicaCheckpoint(ReplicaCheckpoint(lineage: Lineage(writer: 1)))
        let states = Mutex<[SimulatedDisk]>([])
        disk.setGate { _ in
            states.withLock { $0 += [false, true].map { disk.copy(afterPowerCut: $0) } }
            return true
        }
        let replaced = ReplicaEncoder.begin(with: RecordList(), of: Sample.application, turn: 9)
        try archive.adoptReplica(replaced.bytes)
        disk.setGate(nil)
        #expect(try archive.replicaCheckpoint() == nil)
        for state in states.withLock({ $0 }) {
            let found = try Sample.loaded(on: state)
            // Either the archive is the old archive, or it has no mark.
            #expect(try found.sceneCount == 1 || found.replicaCheckpoint() == nil)
        }
    }

    @Test func `state is replicated only while an attached replica is up to date`() throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        #expect(!archive.isReplicated)
        let replica = RecordingReplica()
        archive.setReplica(to: replica)
        #expect(!archive.isReplicated)
        try archive.append(Sample.first)
        #expect(archive.isReplicated)
        replica.fallBehind()
        #expect(!archive.isReplicated)
        archive.setReplica(to: nil)
        #expect(!archive.isReplicated)
    }

    @Test(
        arguments: [
            ("5\n", 5), ("-\n", nil), ("x\n", nil), ("18446744073709551615\n", .max),
        ] as [(String, UInt64?)])
    func `a replica mark is parsed as it was encoded`(line: String, replicated: UInt64?) {
        let checkpoint = ReplicaCheckpoint(Array("\(line)a 3\n1f\n".utf8))
        #expect(checkpoint?.replicatedTurn == replicated)
        #expect(checkpoint?.lineage == Lineage(writer: 0xA).continued(by: 0x1F, after: 3))
        #expect(checkpoint.flatMap { ReplicaCheckpoint($0.bytes) } == checkpoint)
        #expect(ReplicaCheckpoint(Array(line.dropLast().utf8)) == nil)
    }
}

/// Replica that records the calls of an archive.
private final class RecordingReplica: StateReplica {
    private let taken = Mutex<(turns: [UInt64], types: [RecordType])>(([], []))

    /// Sequence numbers that were passed with the lists of records, in order.
    var turns: [UInt64] { taken.withLock { $0.turns } }
    /// Types of the records in the replica, in order.
    var types: [RecordType] { taken.withLock { $0.types } }
    private let isBehind = Mutex(false)
    var progress: ReplicaProgress {
        var progress = ReplicaProgress()
        progress.acceptedCount = isBehind.withLock { $0 } ? 1 : 0
        return progress
    }

    func fallBehind() { isBehind.withLock { $0 = true } }

    func setLineage(_ lineage: Lineage) {}

    func append(_ records: RecordList, turn: UInt64) {
        taken.withLock {
            $0.turns.append(turn)
            $0.types += records.spans.map(\.type)
        }
    }

    func replace(with records: RecordList, turn: UInt64) {
        taken.withLock {
            $0.turns.append(turn)
            $0.types = records.spans.map(\.type)
        }
    }

    func replaceDocument(_ name: String, with bytes: [UInt8]) {}
}
