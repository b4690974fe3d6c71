import Glibc
import Synchronization
import Varlink

/// The connections of a server and how many each user has.
final class ConnectionRegister: Sendable {
    /// A user has as many connections as one may have.
    struct Full: Error, CustomStringConvertible {
        let peer: Peer
        let limit: Int

        var description: String {
            "User \(peer.uid) has \(limit) connections already, the limit for one user; process \(peer.pid) was refused."
        }
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var counts: [uid_t: Int] = [:]
    }

    private let state = Mutex(State())

    /// Counts a connection of the peer's user, or refuses it.
    ///
    /// - Parameter limit: the most connections that a user may have.
    func admit(_ peer: Peer, limit: Int) throws(Full) {
        let isAdmitted = state.withLock { state in
            guard state.counts[peer.uid, default: 0] < limit else { return false }
            state.counts[peer.uid, default: 0] += 1
            return true
        }
        guard isAdmitted else { throw Full(peer: peer, limit: limit) }
    }

    /// Keeps an admitted connection until ``remove(_:)``.
    func add(_ connection: Connection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
    }

    /// Forgets a connection that has ended, with all that ran for it.
    func remove(_ connection: Connection) {
        state.withLock { state in
            guard state.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
                return
            }
            let count = state.counts[connection.peer.uid, default: 0] - 1
            state.counts[connection.peer.uid] = count > 0 ? count : nil
        }
    }

    /// The connections at this moment.
    var all: [Connection] {
        state.withLock { Array($0.connections.values) }
    }
}
