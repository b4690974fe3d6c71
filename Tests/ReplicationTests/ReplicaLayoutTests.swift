import Encryption
import ExactText
import StateRecords
import Testing

@testable import Replication

/// Tests of the keys and values that a writer writes for each batch.
@Suite struct ReplicaLayoutTests {
    private static let name = "org.example.Jobs"

    private let keyspace = Keyspace(cluster: "test")
    private var layout: ReplicaLayout {
        ReplicaLayout(
            epoch: ReplicaWriter.Epoch(bundleIdentifier: Self.name, host: "a", number: 7),
            keyspace: keyspace, keys: .none, writerID: 5)
    }

    /// Returns a record whose payload has this many bytes.
    private func record(_ byteCount: Int) -> RecordList {
        RecordList(
            [RecordList.Span(type: .nothing, buffer: 0, start: 0, count: byteCount)],
            in: [UInt8](repeating: 0, count: byteCount))
    }

    private func step(
        at position: ReplicaPosition, _ change: (inout ReplicaBatch) -> Void
    ) -> ReplicaStep {
        var batch = ReplicaBatch()
        change(&batch)
        return layout.makeStep(writing: batch, of: nil, at: position)
    }

    /// Position after a complete state was published.
    private var published: ReplicaPosition {
        step(at: ReplicaPosition(currentState: nil, writtenBatchCount: 0)) {
            $0.completeState = (record(10), 1)
        }.position
    }

    @Test func `records are written to the log, and the current state stays the same`() throws {
        let step = step(at: published) { ($0.records, $0.turn) = (record(3), 2) }
        #expect(
            step.writes.map(\.key)
                == [keyspace.logKey(Self.name, published.stateID, epoch: 7, turn: 2)])
        #expect(step.finalOperations == [])
        #expect(step.position.currentState == published.currentState)
        #expect(step.position.entryCount == 1)
        #expect(step.position.writtenBatchCount == 2)
    }

    @Test func `documents are written without a log entry, and change the current state`() throws {
        let step = step(at: published) { $0.documents["notes"] = [1] }
        let key = keyspace.documentsPrefix(Self.name) + "notes"
        #expect(step.writes.map(\.key) == [key])
        let current = try #require(published.currentState).withNumber(2)
        #expect(
            step.finalOperations == [
                .delete("\(key)/", to: "\(key)/0000000000000007-00000002/"),
                .put(keyspace.currentStateKey(Self.name), current.bytes),
            ])
        #expect(step.position.currentState == current)
        #expect(step.position.entryCount == 0)
        // A transaction of an earlier attempt no longer succeeds, because it names the earlier state.
        #expect(
            step.conditions.contains(
                .value(
                    of: keyspace.currentStateKey(Self.name),
                    is: published.currentState?.bytes ?? [])))
    }

    @Test func `all documents of a batch are written before its records`() {
        let names = ["a", "b", "c"]
        let step = step(at: published) {
            for name in names { $0.documents[ExactString(name)] = [1] }
            ($0.records, $0.turn) = (record(3), 2)
        }
        let prefix = keyspace.documentsPrefix(Self.name)
        #expect(step.writes.dropLast().map(\.key).sorted() == names.map { prefix + $0 })
        #expect(step.writes.last?.key.contains("/log/") == true)
    }

    @Test func `a complete state is a new state, and all other states are deleted`() throws {
        let first = published
        let step = step(at: first) { $0.completeState = (record(20), 3) }
        let (id, current) = (step.position.stateID, try #require(step.position.currentState))
        #expect(first.stateID < id)
        #expect(current.id == id)
        #expect(
            step.writes.map(\.key)
                == [keyspace.archiveLineageKey(Self.name, id), keyspace.baseKey(Self.name, id)])
        let states = keyspace.statesPrefix(Self.name)
        let own = keyspace.statePrefix(Self.name, id)
        #expect(
            step.finalOperations == [
                .put(keyspace.currentStateKey(Self.name), current.bytes),
                .delete(states, to: own), .delete(own.endOfPrefix, to: states.endOfPrefix),
            ])
    }

    @Test func `the length of a log is counted from its complete state`() {
        var position = published
        func append(_ count: Int) {
            for turn in 1...count {
                position =
                    step(at: position) {
                        ($0.records, $0.turn) = (record(1), UInt64(turn))
                    }.position
            }
        }
        append(600)
        #expect(position.entryCount == 600)
        #expect(!position.isLogTooLong)
        position = step(at: position) { $0.completeState = (record(10), 601) }.position
        #expect(position.entryCount == 0)
        append(600)
        #expect(!position.isLogTooLong)
        append(600)
        #expect(position.isLogTooLong)
    }

    @Test func `a new writer makes itself the only writer of the current state`() throws {
        let current = try #require(published.currentState)
        var other = current
        other.writer = 6
        let step = layout.makeFencingStep(
            other, at: ReplicaPosition(currentState: other, writtenBatchCount: 4))
        #expect(
            step.conditions == [
                .createRevision(of: keyspace.ownerKey(Self.name), is: 7),
                .value(of: keyspace.currentStateKey(Self.name), is: other.bytes),
            ])
        #expect(
            step.finalOperations
                == [.put(keyspace.currentStateKey(Self.name), current.bytes)])
        #expect(step.position.currentState == current)
        #expect(step.position.writtenBatchCount == 4)
    }
}
