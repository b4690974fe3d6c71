import Encryption
import ExactText
import SavedState
import StateRecords

/// Changes that are written together.
struct ReplicaBatch {
    /// Complete state and the sequence number of its last record, or `nil` if the batch contains only changes.
    var completeState: (records: RecordList, turn: UInt64)?
    /// Changed records.
    var records = RecordList()
    /// Sequence number of the last record in ``records``, or 0 if there are no records.
    var turn: UInt64 = 0
    /// New contents of documents, keyed by name.
    var documents: [ExactString: [UInt8]] = [:]
    /// Number of changes, counted from the writer's first change, that are replicated after this batch has been
    /// written.
    var replicatedCount: UInt64 = 0
    var hasRecords: Bool { completeState != nil || !records.isEmpty }
}

/// A writer's view of an application's state in the store.
struct ReplicaPosition {
    /// Size in bytes that a log must exceed before it is replaced with a complete state.
    private static let minimumReplacedLogSize = 1 << 20
    /// Cost of each log entry in addition to its length, in bytes.
    ///
    /// A new owner takes about as long to read an entry as to read a kilobyte.
    private static let entryOverhead = 1 << 10

    /// The current state, or `nil` if there is none.
    var currentState: CurrentState?
    /// Identifier of the current state if this writer published it, or an empty string otherwise.
    var stateID = ""
    /// Encoder for additions to the current state, or `nil` if this writer has not published the state.
    var encoder: ReplicaEncoder?
    /// Number of log entries that follow the complete state.
    var entryCount = 0
    /// Last key that this writer wrote, or `nil` if it has written nothing.
    var lastKey: String?
    /// Number of batches written in the epoch.
    var writtenBatchCount = 0

    init(currentState: CurrentState?, writtenBatchCount: Int) {
        self.currentState = currentState
        self.writtenBatchCount = writtenBatchCount
    }

    /// Whether a new owner would take too long to read the log, so that the writer must replace it with a complete
    /// state.
    var isLogTooLong: Bool {
        guard let encoder else { return false }
        return encoder.addedByteCount + entryCount * Self.entryOverhead
            > max(Self.minimumReplacedLogSize, 2 * encoder.baseByteCount)
    }
}

/// Set of writes for a batch, with the position after the writes.
struct ReplicaStep {
    var writes: [(key: String, value: [UInt8])] = []
    /// Further operations in the transaction that contains the last write.
    var finalOperations: [StoreOperation] = []
    var conditions: [StoreCondition]
    /// Key of the last write before the step, or `nil` if there is no such write.
    let previousKey: String?
    /// The current state before the step, or `nil` if there was none.
    let previousState: CurrentState?
    var position: ReplicaPosition

    init(at position: ReplicaPosition, conditions: [StoreCondition]) {
        (self.conditions, self.position) = (conditions, position)
        (previousKey, previousState) = (position.lastKey, position.currentState)
    }
}

/// Layout of the keys and values that a ``ReplicaWriter`` writes for one application during one epoch.
struct ReplicaLayout {
    let epoch: ReplicaWriter.Epoch
    let keyspace: Keyspace
    let keys: EncryptionKeys
    /// Identifier of the ``ReplicaWriter``.
    let writerID: UInt64

    private var application: String { epoch.bundleIdentifier }

    /// Condition that holds only while this host owns the application in the epoch.
    private var ownershipCondition: StoreCondition {
        .createRevision(of: keyspace.ownerKey(application), is: Int64(epoch.number))
    }

    /// Returns a step after which only this writer can change the current state.
    func makeFencingStep(_ currentState: CurrentState, at position: ReplicaPosition) -> ReplicaStep
    {
        var claimedState = currentState
        claimedState.writer = writerID
        let key = keyspace.currentStateKey(application)
        var step = ReplicaStep(
            at: position, conditions: [ownershipCondition, .value(of: key, is: currentState.bytes)])
        step.finalOperations = [.put(key, claimedState.bytes)]
        step.position.currentState = claimedState
        return step
    }

    /// Returns a step that writes a batch.
    func makeStep(
        writing batch: ReplicaBatch, of lineage: Lineage?, at position: ReplicaPosition
    ) -> ReplicaStep {
        let key = keyspace.currentStateKey(application)
        let currentStateCondition =
            position.currentState.map { StoreCondition.value(of: key, is: $0.bytes) }
            ?? .createRevision(of: key, is: 0)
        var step = ReplicaStep(
            at: position, conditions: [ownershipCondition, currentStateCondition])
        step.position.writtenBatchCount += 1
        let header = ReplicatedValue.Header(
            host: epoch.host, epoch: epoch.number, turn: batch.completeState?.turn ?? batch.turn,
            number: step.position.writtenBatchCount)
        for (name, bytes) in batch.documents {
            let key = keyspace.documentsPrefix(application) + name.text
            step.writes += ReplicatedValue.makeEntries(key, bytes, by: header, sealedBy: keys)
            step.finalOperations.append(.delete("\(key)/", to: header.piecePrefix(of: key)))
        }
        if let completeState = batch.completeState {
            addCompleteState(
                completeState.records, of: lineage ?? Lineage(writer: writerID), by: header,
                in: &step
            )
            return step
        }
        if !batch.documents.isEmpty, let currentState = position.currentState {
            // An earlier attempt that is executed late must not bring back an old version of a document.
            let nextState = currentState.withNumber(step.position.writtenBatchCount)
            step.finalOperations.append(.put(key, nextState.bytes))
            step.position.currentState = nextState
        }
        if batch.hasRecords, let bytes = step.position.encoder?.append(batch.records) {
            step.position.entryCount += 1
            step.writes += ReplicatedValue.makeEntries(
                keyspace.logKey(
                    application, position.stateID, epoch: epoch.number, turn: batch.turn),
                bytes, by: header, sealedBy: keys)
        }
        return step
    }

    /// Adds writes that store a new complete state beside the current state, followed by operations that make the new
    /// state current.
    private func addCompleteState(
        _ records: RecordList, of lineage: Lineage, by header: ReplicatedValue.Header,
        in step: inout ReplicaStep
    ) {
        let id = Keyspace.stateID(epoch: epoch.number, number: header.number, writerID: writerID)
        let (encoder, bytes) = ReplicaEncoder.begin(
            with: records, of: application, turn: header.turn)
        step.writes += ReplicatedValue.makeEntries(
            keyspace.archiveLineageKey(application, id), Array(lineage.text.utf8), by: header,
            sealedBy: keys)
        step.writes += ReplicatedValue.makeEntries(
            keyspace.baseKey(application, id), bytes, by: header, sealedBy: keys)
        let currentState = CurrentState(
            id: id, host: epoch.host, epoch: epoch.number, writer: writerID)
        let (statesPrefix, ownPrefix) = (
            keyspace.statesPrefix(application), keyspace.statePrefix(application, id)
        )
        step.finalOperations += [
            .put(keyspace.currentStateKey(application), currentState.bytes),
            .delete(statesPrefix, to: ownPrefix),
            .delete(ownPrefix.endOfPrefix, to: statesPrefix.endOfPrefix),
        ]
        step.position.currentState = currentState
        step.position.stateID = id
        step.position.encoder = encoder
        step.position.entryCount = 0
    }
}
