import Encryption
import ExactText
import SavedState
import StateRecords

/// Changes that are written together.
struct ReplicaBatch {
    var whole: (records: RecordList, turn: UInt64)?
    var records = RecordList()
    var turn: UInt64 = 0
    var documents: [ExactString: [UInt8]] = [:]
    /// Number of the accepted change up to which all changes are replicated after this batch.
    var taken: UInt64 = 0
    var hasRecords: Bool { whole != nil || !records.isEmpty }
}

/// Position of the application's state in the store.
struct ReplicaPosition {
    /// Minimum size of a log that is replaced by a whole state, in bytes.
    private static let shortLog = 1 << 20
    /// Size that is added to each log entry, because a new owner takes about as long to read an entry as a kilobyte.
    private static let entryOverhead = 1 << 10

    /// The current state, or `nil` if there is none.
    var current: CurrentState?
    /// Identifier of the current state, if this writer published it.
    var id = ""
    var chain: ReplicaChain?
    /// Number of log entries after the whole state.
    var entryCount = 0
    /// Key of the last write, or `nil` if this writer has written nothing.
    var lastKey: String?
    /// Number of batches that were written in the epoch.
    var number = 0

    init(current: CurrentState?, number: Int) {
        self.current = current
        self.number = number
    }

    /// Whether a new owner would read the log for longer than a whole state.
    var isLong: Bool {
        guard let chain else { return false }
        return chain.addedByteCount + entryCount * Self.entryOverhead
            > max(Self.shortLog, 2 * chain.wholeByteCount)
    }
}

/// Writes of a batch, and the position of the state after them.
struct ReplicaStep {
    var writes: [(key: String, value: [UInt8])] = []
    /// Additional operations in the transaction of the last write.
    var last: [StoreOperation] = []
    var guards: [StoreCondition]
    /// Key of the last write before the step, or `nil` if there is none.
    let previousKey: String?
    /// Current state before the step.
    let before: CurrentState?
    var position: ReplicaPosition

    init(at position: ReplicaPosition, guards: [StoreCondition]) {
        (self.guards, self.position) = (guards, position)
        (previousKey, before) = (position.lastKey, position.current)
    }
}

/// Keys and values that a ``ReplicaWriter`` writes for one application during one epoch.
struct ReplicaLayout {
    let epoch: ReplicaWriter.Epoch
    let keyspace: Keyspace
    let keys: EncryptionKeys
    /// Identifier of the writer.
    let writer: UInt64

    private var application: String { epoch.bundleIdentifier }

    /// Condition that this host owns the application.
    private var isOwner: StoreCondition {
        .createRevision(of: keyspace.owner(application), is: Int64(epoch.number))
    }

    /// Returns the step that makes this writer the only writer of the current state.
    func fence(_ current: CurrentState, at position: ReplicaPosition) -> ReplicaStep {
        var mine = current
        mine.writer = writer
        let key = keyspace.current(application)
        var step = ReplicaStep(at: position, guards: [isOwner, .value(of: key, is: current.bytes)])
        step.last = [.put(key, mine.bytes)]
        step.position.current = mine
        return step
    }

    /// Returns the step that writes a batch.
    func step(
        writing batch: ReplicaBatch, of lineage: Lineage?, at position: ReplicaPosition
    ) -> ReplicaStep {
        let key = keyspace.current(application)
        let isUnchanged =
            position.current.map { StoreCondition.value(of: key, is: $0.bytes) }
            ?? .createRevision(of: key, is: 0)
        var step = ReplicaStep(at: position, guards: [isOwner, isUnchanged])
        step.position.number += 1
        let line = ReplicatedValue.Line(
            host: epoch.host, term: epoch.number, turn: batch.whole?.turn ?? batch.turn,
            number: step.position.number)
        for (name, bytes) in batch.documents {
            let key = keyspace.documents(application) + name.text
            step.writes += ReplicatedValue.make(key, bytes, by: line, sealedBy: keys)
            step.last.append(.delete("\(key)/", to: line.pieces(of: key)))
        }
        if let whole = batch.whole {
            publish(whole.records, of: lineage ?? Lineage(writer: writer), by: line, in: &step)
            return step
        }
        if !batch.documents.isEmpty, let current = position.current {
            // An earlier attempt that is executed late must not restore an earlier document.
            let next = current.numbered(step.position.number)
            step.last.append(.put(key, next.bytes))
            step.position.current = next
        }
        if batch.hasRecords, let bytes = step.position.chain?.append(batch.records) {
            step.position.entryCount += 1
            step.writes += ReplicatedValue.make(
                keyspace.log(application, position.id, epoch: epoch.number, turn: batch.turn),
                bytes, by: line, sealedBy: keys)
        }
        return step
    }

    /// Writes a whole state in addition to the current state, and then makes it the current state.
    private func publish(
        _ records: RecordList, of lineage: Lineage, by line: ReplicatedValue.Line,
        in step: inout ReplicaStep
    ) {
        let id = Keyspace.stateID(epoch: epoch.number, number: line.number, writer: writer)
        let (chain, bytes) = ReplicaChain.begin(with: records, of: application, turn: line.turn)
        step.writes += ReplicatedValue.make(
            keyspace.lineage(application, id), Array(lineage.text.utf8), by: line, sealedBy: keys)
        step.writes += ReplicatedValue.make(
            keyspace.base(application, id), bytes, by: line, sealedBy: keys)
        let current = CurrentState(id: id, host: epoch.host, term: epoch.number, writer: writer)
        let (states, own) = (keyspace.states(application), keyspace.state(application, id))
        step.last += [
            .put(keyspace.current(application), current.bytes), .delete(states, to: own),
            .delete(own.endOfPrefix, to: states.endOfPrefix),
        ]
        step.position.current = current
        step.position.id = id
        step.position.chain = chain
        step.position.entryCount = 0
    }
}
