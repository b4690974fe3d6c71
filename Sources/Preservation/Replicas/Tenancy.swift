import ExactText
package import SavedState
import Synchronization

/// By what an application runs here that may run on other hosts, too, one at a time.
package struct Tenancy: Sendable {
    /// The name of the cluster.
    package var cluster: String
    /// The term: a number that is higher for each later owner.
    package var term: UInt64
    /// Takes what is saved to where the other hosts find it.
    package var replica: any StateReplica
    /// Whether it is certain, now, that no other host runs it.
    package var isValid: @Sendable () -> Bool

    /// A tenancy.
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

/// Which of two states an application goes on from when a host takes it over.
package enum Precedence: Equatable {
    /// What this host saved.
    case local
    /// What is replicated; and whether this host saved something that is not in that.
    case replicated(passesLocalBy: Bool)

    /// - Parameters:
    ///   - turn: the number of the last record that this host saved; nil: it saved nothing.
    ///   - mark: what this host knows of the replica.
    ///   - tenancy: by what it runs here now.
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
        // A later term than the present one is of other servers, or these were set back.
        guard let mark, mark.cluster == tenancy.cluster, mark.term <= tenancy.term else {
            self = .replicated(passesLocalBy: true)
            return
        }
        if mark.term > replicated.term {
            // Who wrote that was owner before, and what this host saved began with it.
            self = .local
        } else if mark.term == replicated.term {
            // One log, of which one of the two has the longer part.
            self = turn >= replicated.turn ? .local : .replicated(passesLocalBy: false)
        } else {
            self = .replicated(passesLocalBy: mark.replicated != turn)
        }
    }
}

/// Hands documents on that an application replaces, on whatever thread.
final class DocumentMirror: Sendable {
    private let state = Mutex<(replica: (any StateReplica)?, count: Int)>((nil, 0))

    /// How many were replaced.
    var count: Int { state.withLock(\.count) }

    /// From now on they go to a replica; nil: nowhere.
    func replicate(to new: (any StateReplica)?) { state.withLock { $0.replica = new } }

    /// A document was replaced.
    func note(_ name: String, _ bytes: [UInt8]) {
        let replica = state.withLock { state in
            state.count += 1
            return state.replica
        }
        replica?.replaceDocument(name, with: bytes)
    }
}
