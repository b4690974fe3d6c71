import StateRecords
import Testing

@testable import SavedState

/// Tests of the lineage of a state, which shows whether the state continues another state.
@Suite struct LineageTests {
    /// Returns a lineage with random writers, and the sequence number of its last record.
    private func random(
        _ count: Int, using random: inout some RandomNumberGenerator
    ) -> (lineage: Lineage, turn: UInt64) {
        var state = (
            lineage: Lineage(writer: .random(in: 0 ... .max, using: &random)), turn: UInt64(0)
        )
        for _ in 0..<count { extend(&state, using: &random) }
        return state
    }

    private func extend(
        _ state: inout (lineage: Lineage, turn: UInt64),
        using random: inout some RandomNumberGenerator
    ) {
        state.lineage = state.lineage.continued(
            by: .random(in: 0 ... .max, using: &random), after: state.turn)
        state.turn += .random(in: 0...5, using: &random)
    }

    @Test func `a lineage is parsed as it was written`() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<80 {
            let lineage = random(count, using: &generator).lineage
            #expect(Lineage(lineage.text) == lineage)
            #expect(lineage.ancestors.count == min(count, Lineage.maximumAncestors))
            #expect(lineage.text.utf8.count <= Lineage.maximumBytes)
        }
    }

    @Test(arguments: [
        "", "\n", "x\n", "1 2\n", "1 2 3\n4\n", "1 -2\n4\n", "1 18446744073709551616\n4\n",
        "1 2\r\n4\n",
        String(repeating: "1 2\n", count: 5000) + "3\n",
    ])
    func `a text that is not a lineage is refused`(text: String) {
        #expect(Lineage(text) == nil)
    }

    @Test func `a state contains its ancestors, but no state of another branch`() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<40 {
            let root = random(count, using: &generator)
            var (left, right) = (root, root)
            for _ in 0..<5 { extend(&left, using: &generator) }
            for _ in 0..<5 { extend(&right, using: &generator) }
            for branch in [left, right, root] {
                #expect(
                    branch.lineage.contains(root.lineage, at: root.turn, within: branch.turn))
                #expect(
                    !branch.lineage.contains(root.lineage, at: root.turn + 6, within: branch.turn))
            }
            #expect(!left.lineage.contains(right.lineage, at: right.turn, within: left.turn))
            #expect(!right.lineage.contains(left.lineage, at: left.turn, within: right.turn))
        }
    }

    @Test func `a state that is too old counts as another branch`() {
        var generator = SystemRandomNumberGenerator()
        let old = random(0, using: &generator)
        var new = old
        for _ in 0..<Lineage.maximumAncestors { extend(&new, using: &generator) }
        #expect(new.lineage.contains(old.lineage, at: old.turn, within: new.turn))
        extend(&new, using: &generator)
        #expect(!new.lineage.contains(old.lineage, at: old.turn, within: new.turn))
    }

    @Test func `a replica mark is parsed as it was written, and other text is refused`() {
        let lineage = Lineage(writer: 255).continued(by: 4, after: 9)
        for replicated in [nil, 0, UInt64.max] {
            let checkpoint = ReplicaCheckpoint(lineage: lineage, replicatedTurn: replicated)
            #expect(ReplicaCheckpoint(checkpoint.bytes) == checkpoint)
        }
        #expect(
            ReplicaCheckpoint(Array("7\nff 9\n4\n".utf8))
                == ReplicaCheckpoint(lineage: lineage, replicatedTurn: 7))
        // Earlier versions wrote the cluster, the epoch and the turn.
        for text in ["", "7\n", "7", "panels 12 7\n", "7\npanels 12\n"] {
            #expect(ReplicaCheckpoint(Array(text.utf8)) == nil)
        }
    }
}
