import Preservation
import SavedState
import StateRecords
import Testing

/// Replica that discards everything it receives.
final class NoReplica: StateReplica {
    var progress: ReplicaProgress { ReplicaProgress() }

    func setLineage(_ lineage: Lineage) {}
    func append(_ records: RecordList, turn: UInt64) {}
    func replace(with records: RecordList, turn: UInt64) {}
    func replaceDocument(_ name: String, with bytes: [UInt8]) {}
}

/// Choice between the local state and the replicated state.
struct ReplicaPrecedenceTests {
    /// Lineages of the writers 1 and 2. Writer 2 continued from record 7 of writer 1.
    private static let first = Lineage(writer: 1)
    private static let second = first.continued(by: 2, after: 7)

    private func decide(
        _ turn: UInt64?, _ checkpoint: ReplicaCheckpoint?,
        replicated: (lineage: Lineage?, turn: UInt64)?
    ) -> StatePrecedence {
        StatePrecedence(
            turn: turn, checkpoint: checkpoint,
            replicated: replicated.map {
                var contents = ReplicatedContents(
                    archive: [], documents: [:], host: "b", epoch: 3, turn: $0.turn)
                contents.lineage = $0.lineage
                return contents
            })
    }

    @Test func `without a replica, the application continues from the host's state`() {
        #expect(decide(7, nil, replicated: nil) == .local)
        #expect(decide(nil, nil, replicated: nil) == .local)
    }

    @Test func `a host that saved nothing continues from the replica`() {
        #expect(
            decide(nil, nil, replicated: (Self.first, 7))
                == .replicated(supersedesLocalState: false))
    }

    @Test func `of two states by one writer, the state with more records takes precedence`() {
        let checkpoint = ReplicaCheckpoint(lineage: Self.first)
        #expect(decide(8, checkpoint, replicated: (Self.first, 7)) == .local)
        #expect(decide(7, checkpoint, replicated: (Self.first, 7)) == .local)
        // The host lost the last record in a power cut.
        #expect(
            decide(6, checkpoint, replicated: (Self.first, 7))
                == .replicated(supersedesLocalState: false)
        )
    }

    @Test func `a state that continues the other state takes precedence`() {
        let (first, second) = (
            ReplicaCheckpoint(lineage: Self.first), ReplicaCheckpoint(lineage: Self.second)
        )
        #expect(
            decide(7, first, replicated: (Self.second, 9))
                == .replicated(supersedesLocalState: false))
        // The servers were restored from a backup that is older than the second writer.
        #expect(decide(9, second, replicated: (Self.first, 7)) == .local)
        // The second writer has not replicated any record yet.
        #expect(decide(7, second, replicated: (Self.first, 7)) == .local)
    }

    @Test func `local records that the replicated state does not continue are superseded`() {
        let checkpoint = ReplicaCheckpoint(lineage: Self.first)
        #expect(
            decide(9, checkpoint, replicated: (Self.second, 12))
                == .replicated(supersedesLocalState: true))
        // The last record only states that the application quit. Everything before it was replicated.
        let whole = ReplicaCheckpoint(lineage: Self.first, replicatedTurn: 8)
        #expect(
            decide(8, whole, replicated: (Self.second, 12))
                == .replicated(supersedesLocalState: false))
        #expect(
            decide(9, whole, replicated: (Self.second, 12))
                == .replicated(supersedesLocalState: true))
        // Everything was replicated, and the servers were then restored from an earlier backup.
        let lost = ReplicaCheckpoint(lineage: Self.first, replicatedTurn: 20)
        #expect(
            decide(20, lost, replicated: (Self.second, 12))
                == .replicated(supersedesLocalState: true))
    }

    @Test func `of two states that continue the same state, the replicated state takes precedence`()
    {
        // The numbers are irrelevant, although the local state has more records and a later writer.
        let checkpoint = ReplicaCheckpoint(
            lineage: Self.first.continued(by: 3, after: 7), replicatedTurn: 90)
        #expect(
            decide(90, checkpoint, replicated: (Self.second, 8))
                == .replicated(supersedesLocalState: true))
        // The second writer continued from record 7 of the first writer, and etcd contains record 8 of the first
        // writer.
        let second = ReplicaCheckpoint(lineage: Self.second)
        #expect(
            decide(9, second, replicated: (Self.first, 8))
                == .replicated(supersedesLocalState: true))
    }

    @Test func `if either lineage is unknown, the replicated state supersedes the local state`() {
        #expect(
            decide(9, nil, replicated: (Self.first, 7)) == .replicated(supersedesLocalState: true))
        let checkpoint = ReplicaCheckpoint(lineage: Self.first)
        #expect(
            decide(9, checkpoint, replicated: (nil, 7)) == .replicated(supersedesLocalState: true))
    }

    @Test func `a quit record does not have to be continued if it was replicated`() {
        // The lineage of the second writer continues from record 7 of the first writer.
        for (turn, replicated, supersedesLocalState) in [
            (8, 8, false), (8, nil, true), (8, 7, true), (8, 9, true), (7, nil, false),
            (7, 7, false),
            (0, 0, false),
        ] as [(UInt64, UInt64?, Bool)] {
            let checkpoint = ReplicaCheckpoint(lineage: Self.first, replicatedTurn: replicated)
            #expect(
                decide(turn, checkpoint, replicated: (Self.second, 12))
                    == .replicated(supersedesLocalState: supersedesLocalState),
                "\(turn) \(replicated ?? 0)")
        }
    }
}
