import ExactText
package import SavedState
import Synchronization

/// This host's right to run an application that only one host of a cluster runs at a time.
package struct Ownership: Sendable {
    /// Identifier of this ownership by this process, which no other ownership has.
    package var writer: UInt64
    /// Replica that receives the saved state, where other hosts can read it.
    package var replica: any StateReplica
    /// Returns whether it is certain that no other host runs the application now.
    package var isValid: @Sendable () -> Bool

    /// Creates an ownership.
    package init(
        writer: UInt64, replica: any StateReplica, isValid: @escaping @Sendable () -> Bool
    ) {
        self.writer = writer
        self.replica = replica
        self.isValid = isValid
    }
}

/// Choice between local and replicated state when a host becomes the owner of an application.
package enum Precedence: Equatable {
    /// The application continues from the state that this host saved.
    case local
    /// The application continues from the replicated state.
    ///
    /// If `passesLocalBy` is `true`, this host saved state that the replicated state does not contain.
    case replicated(passesLocalBy: Bool)

    /// - Parameters:
    ///   - turn: Number of the last record that this host saved, or `nil` if it saved nothing.
    ///   - mark: This host's last record about the replica.
    ///   - replicated: State in the replica, or `nil` if there is none.
    package init(turn: UInt64?, mark: ReplicaMark?, replicated: ReplicatedContents?) {
        guard let replicated else {
            self = .local
            return
        }
        guard let turn else {
            self = .replicated(passesLocalBy: false)
            return
        }
        guard let mark, let lineage = replicated.lineage else {
            self = .replicated(passesLocalBy: true)
            return
        }
        if mark.lineage.contains(lineage, at: replicated.turn, within: turn) {
            self = .local
            return
        }
        // A record that the application quit, which follows the last replicated turn, is irrelevant.
        let needed = mark.replicated == turn && turn > 0 ? turn - 1 : turn
        self = .replicated(
            passesLocalBy: !lineage.contains(mark.lineage, at: needed, within: replicated.turn))
    }
}

extension Precedence {
    /// Returns the lineage of a writer that continues the chosen state.
    ///
    /// - Parameters:
    ///   - writer: Identifier of the writer.
    ///   - mark: This host's last record about the replica, before this choice.
    ///   - turn: Number of the last record in the archive that the writer continues.
    ///   - replicated: State in the replica, or `nil` if there is none.
    package func lineage(
        of writer: UInt64, mark: ReplicaMark?, turn: UInt64, replicated: ReplicatedContents?
    ) -> Lineage {
        let parent: (lineage: Lineage?, turn: UInt64) =
            switch self {
            case .local: (mark?.lineage, turn)
            case .replicated: (replicated?.lineage, replicated?.turn ?? 0)
            }
        return parent.lineage?.continued(by: writer, after: parent.turn) ?? Lineage(writer: writer)
    }
}

/// Passes replaced documents to the replica, on any thread.
final class DocumentMirror: Sendable {
    private let state = Mutex<(replica: (any StateReplica)?, count: Int)>((nil, 0))

    /// Number of documents that were replaced.
    var count: Int { state.withLock(\.count) }

    /// Sets the replica that receives replaced documents, or `nil` for none.
    func replicate(to new: (any StateReplica)?) { state.withLock { $0.replica = new } }

    /// Counts a replaced document, and passes it to the replica.
    func replicateDocument(_ name: String, _ bytes: [UInt8]) {
        let replica = state.withLock { state in
            state.count += 1
            return state.replica
        }
        replica?.replaceDocument(name, with: bytes)
    }
}
