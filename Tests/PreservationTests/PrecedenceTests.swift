import Preservation
import SavedState
import StateRecords
import Testing

/// Takes nothing.
final class NoReplica: StateReplica {
    var progress: ReplicaProgress { ReplicaProgress() }

    func append(_ records: RecordList, turn: UInt64) {}
    func replace(with records: RecordList, turn: UInt64) {}
    func replaceDocument(_ name: String, with bytes: [UInt8]) {}
}

/// From which of two states an application goes on.
struct PrecedenceTests {
    private func decide(
        _ turn: UInt64?, _ mark: ReplicaMark?, replicated: (term: UInt64, turn: UInt64)?
    ) -> Precedence {
        Precedence(
            turn: turn, mark: mark,
            in: Tenancy(cluster: "one", term: 10, replica: NoReplica(), isValid: { true }),
            replicated: replicated.map {
                ReplicatedContents(
                    archive: [], documents: [:], host: "b", term: $0.term, turn: $0.turn)
            })
    }

    @Test func `without a replica what this host saved counts`() {
        #expect(decide(7, nil, replicated: nil) == .local)
        #expect(decide(nil, nil, replicated: nil) == .local)
    }

    @Test func `a host that saved nothing goes on from the replica`() {
        #expect(decide(nil, nil, replicated: (3, 7)) == .replicated(passesLocalBy: false))
    }

    @Test func `in one term the higher turn counts`() {
        let mark = ReplicaMark(cluster: "one", term: 3)
        #expect(decide(8, mark, replicated: (3, 7)) == .local)
        #expect(decide(7, mark, replicated: (3, 7)) == .local)
        // A power cut took the rest, which the replica has.
        #expect(decide(6, mark, replicated: (3, 7)) == .replicated(passesLocalBy: false))
    }

    @Test func `a later term counts, and what was not replicated before it is passed by`() {
        let mark = ReplicaMark(cluster: "one", term: 3)
        #expect(decide(9, mark, replicated: (4, 7)) == .replicated(passesLocalBy: true))
        let whole = ReplicaMark(cluster: "one", term: 3, replicated: 9)
        #expect(decide(9, whole, replicated: (4, 7)) == .replicated(passesLocalBy: false))
        #expect(decide(10, whole, replicated: (4, 7)) == .replicated(passesLocalBy: true))
    }

    @Test func `a term that replicated nothing yet goes on from what it began with`() {
        // The second is the term of the present owner, which was launched in it before.
        for term: UInt64 in [5, 10] {
            let mark = ReplicaMark(cluster: "one", term: term)
            #expect(decide(9, mark, replicated: (4, 7)) == .local)
        }
    }

    @Test func `what belongs to no cluster, or another one, is passed by`() {
        #expect(decide(9, nil, replicated: (4, 7)) == .replicated(passesLocalBy: true))
        // Servers that were set up anew count their terms anew.
        let later = ReplicaMark(cluster: "one", term: 11)
        #expect(decide(9, later, replicated: (4, 7)) == .replicated(passesLocalBy: true))
        let other = ReplicaMark(cluster: "two", term: 9)
        #expect(decide(9, other, replicated: (4, 7)) == .replicated(passesLocalBy: true))
    }
}
