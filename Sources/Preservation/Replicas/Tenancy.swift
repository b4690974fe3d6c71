import ExactText
package import SavedState
import Synchronization

/// This host's right to run an application that only one host of a cluster runs at a time.
package struct Tenancy: Sendable {
    /// The name of the cluster.
    package var cluster: String
    /// Epoch of the ownership, which is higher for each later owner.
    package var term: UInt64
    /// Replica that receives the saved state, where other hosts can read it.
    package var replica: any StateReplica
    /// Returns whether it is certain that no other host runs the application now.
    package var isValid: @Sendable () -> Bool

    /// Creates an ownership.
    package init(
        cluster: String, term: UInt64, replica: any StateReplica,
        isValid: @escaping @Sendable () -> Bool
    ) {
        self.cluster = cluster
        self.term = term
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
    ///   - tenancy: The current ownership.
    package init(
        turn: UInt64?, mark: ReplicaMark?, in tenancy: Tenancy, replicated: ReplicatedContents?
    ) {
        guard let replicated else {
            self = .local
            return
        }
        guard let turn else {
            self = .replicated(passesLocalBy: false)
            return
        }
        // An epoch higher than the current one comes from other etcd servers, or these servers were restored
        // from a backup.
        guard let mark, mark.cluster == tenancy.cluster, mark.term <= tenancy.term else {
            self = .replicated(passesLocalBy: true)
            return
        }
        if mark.term > replicated.term {
            // The replicated state was written by an earlier owner, and this host continued from that state.
            self = .local
        } else if mark.term == replicated.term {
            // Both states are parts of one log, and the longer one is current.
            self = turn >= replicated.turn ? .local : .replicated(passesLocalBy: false)
        } else {
            self = .replicated(passesLocalBy: mark.replicated != turn)
        }
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
    func note(_ name: String, _ bytes: [UInt8]) {
        let replica = state.withLock { state in
            state.count += 1
            return state.replica
        }
        replica?.replaceDocument(name, with: bytes)
    }
}
