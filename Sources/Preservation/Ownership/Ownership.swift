import ExactText
package import SavedState
import Synchronization

/// This host's right to run an application that only one host in a cluster may run at a time.
package struct Ownership: Sendable {
    /// Unique identifier of this process's ownership.
    package var writerID: UInt64
    /// Replica that makes the saved state available to other hosts.
    package var replica: any StateReplica
    /// Closure that returns whether the ownership is valid. While it is valid, no other host runs the application.
    package var isValid: @Sendable () -> Bool

    /// Creates an ownership from an identifier, a replica and a closure that checks whether the ownership is valid.
    package init(
        writerID: UInt64, replica: any StateReplica, isValid: @escaping @Sendable () -> Bool
    ) {
        self.writerID = writerID
        self.replica = replica
        self.isValid = isValid
    }
}

/// Choice between local and replicated state when a host becomes the owner of an application.
package enum StatePrecedence: Equatable {
    /// The application continues from the state saved by this host.
    case local
    /// The application continues from the replicated state.
    ///
    /// If `supersedesLocalState` is `true`, the replicated state lacks some of the state that this host has saved.
    case replicated(supersedesLocalState: Bool)

    /// Chooses the newer of local and replicated state.
    ///
    /// - Parameters:
    ///   - turn: The number of the last record that this host saved, or `nil` if this host has not saved any state.
    ///   - checkpoint: The replica checkpoint that this host last wrote, or `nil` if there is no checkpoint.
    ///   - replicated: The state in the replica, or `nil` if there is no state.
    package init(turn: UInt64?, checkpoint: ReplicaCheckpoint?, replicated: ReplicatedContents?) {
        guard let replicated else {
            self = .local
            return
        }
        guard let turn else {
            self = .replicated(supersedesLocalState: false)
            return
        }
        guard let checkpoint, let lineage = replicated.lineage else {
            self = .replicated(supersedesLocalState: true)
            return
        }
        if checkpoint.lineage.contains(lineage, at: replicated.turn, within: turn) {
            self = .local
            return
        }
        // If everything was replicated before the application stopped, only the record of the stop may be missing from
        // the replica. That record is not needed.
        let neededTurn = checkpoint.replicatedTurn == turn && turn > 0 ? turn - 1 : turn
        self = .replicated(
            supersedesLocalState: !lineage.contains(
                checkpoint.lineage, at: neededTurn, within: replicated.turn))
    }
}

extension StatePrecedence {
    /// Returns the lineage of a writer that continues from the chosen state.
    ///
    /// - Parameters:
    ///   - writerID: The identifier of the writer.
    ///   - checkpoint: The replica checkpoint that this host last wrote before the choice, or `nil` if there is no
    ///     checkpoint.
    ///   - turn: The number of the last record in the archive from which the writer continues.
    ///   - replicated: The state in the replica, or `nil` if there is no state.
    package func lineage(
        of writerID: UInt64, checkpoint: ReplicaCheckpoint?, turn: UInt64,
        replicated: ReplicatedContents?
    ) -> Lineage {
        let parent: (lineage: Lineage?, turn: UInt64) =
            switch self {
            case .local: (checkpoint?.lineage, turn)
            case .replicated: (replicated?.lineage, replicated?.turn ?? 0)
            }
        return parent.lineage?.continued(by: writerID, after: parent.turn)
            ?? Lineage(writer: writerID)
    }
}

/// Object that passes replaced documents to a replica. It can be used from any thread.
final class DocumentReplicator: Sendable {
    private let state = Mutex<(replica: (any StateReplica)?, replacementCount: Int)>((nil, 0))

    /// Number of documents that have been replaced.
    var replacementCount: Int { state.withLock(\.replacementCount) }

    /// Sets the replica that receives replaced documents, or removes it if the argument is `nil`.
    func setReplica(to newReplica: (any StateReplica)?) {
        state.withLock { $0.replica = newReplica }
    }

    /// Counts a replaced document, and passes it to the replica.
    func replicateDocument(_ name: String, _ bytes: [UInt8]) {
        let replica = state.withLock { state in
            state.replacementCount += 1
            return state.replica
        }
        replica?.replaceDocument(name, with: bytes)
    }
}
