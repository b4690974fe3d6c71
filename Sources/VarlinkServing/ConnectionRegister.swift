import Glibc
import NIOCore
import Synchronization
import Varlink

/// The connections of a server: how many each user has, and what of their replies nobody has read.
public final class ConnectionRegister: Sendable {
    /// There are as many connections as there may be.
    struct Full: Error, Equatable, CustomStringConvertible {
        let limit: Int
        /// Whether it is the limit for all users together.
        let isForAll: Bool

        var description: String {
            isForAll
                ? "there are \(limit) connections, as many as there may be"
                : "the user has \(limit) connections, as many as one may have"
        }
    }

    fileprivate struct Entry {
        let connection: Connection
        var unread = 0
        /// Since when there is something unread.
        var since = NIODeadline.distantPast
    }

    fileprivate struct User {
        /// The connections that are open.
        var open = 0
        /// With those that have closed, and whose `oneway` calls are still carried out.
        var all = 0
        /// The bytes of replies that nobody has read.
        var unread = 0
    }

    fileprivate struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var users: [uid_t: User] = [:]
        var open = 0
        var unread = 0
    }

    private let state = Mutex(State())

    /// There are none yet.
    public init() {}

    /// The clients that are connected, those first that came first.
    public var clients: [ClientReport] {
        let entries = state.withLock { Array($0.entries.values) }
        return entries.map { entry in
            var report = entry.connection.account.report
            report.unreadBytes = entry.unread
            return report
        }.sorted { $0.accepted < $1.accepted }
    }

    /// How many clients are connected.
    public var count: Int { state.withLock { $0.open } }

    /// Counts a connection, or refuses it. It is to be ``closed(_:)`` and ``remove(_:)``d once.
    func add(_ connection: Connection, _ limits: ServerLimits) throws(Full) {
        let uid = connection.peer.uid
        let refusal: Full? = state.withLock { state in
            let user = state.users[uid] ?? User()
            if user.open >= limits.connectionsPerUser || user.all >= 8 * limits.connectionsPerUser {
                return Full(limit: limits.connectionsPerUser, isForAll: false)
            }
            if state.open >= limits.connections {
                return Full(limit: limits.connections, isForAll: true)
            }
            state.users[uid, default: User()].open += 1
            state.users[uid]?.all += 1
            state.open += 1
            state.entries[ObjectIdentifier(connection)] = Entry(connection: connection)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// The connection has closed: its user may have another one.
    func closed(_ connection: Connection) {
        state.withLock { state in
            state.note(unread: 0, of: connection)
            state.users[connection.peer.uid]?.open -= 1
            state.open -= 1
        }
    }

    /// Forgets a connection that has ended, with all that ran for it.
    func remove(_ connection: Connection) {
        state.withLock { state in
            let uid = connection.peer.uid
            guard state.entries.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
                return
            }
            state.users[uid]?.all -= 1
            if state.users[uid]?.all == 0 { state.users[uid] = nil }
        }
    }

    /// Notes how many bytes of replies the peer of a connection has not read.
    ///
    /// - Returns: the connections that are to be closed because that is too much in all: those that
    ///   have waited longest, but never the only one of a user.
    func note(
        unread bytes: Int, of connection: Connection, _ limits: ServerLimits
    ) -> [Connection] {
        state.withLock { state in
            state.note(unread: bytes, of: connection)
            var stuck: [Connection] = []
            while let uid = state.overdrawn(connection.peer.uid, limits),
                let longest = state.longestUnread(of: uid)
            {
                state.note(unread: 0, of: longest)
                stuck.append(longest)
            }
            return stuck
        }
    }

    /// The connections at this moment.
    var all: [Connection] {
        state.withLock { $0.entries.values.map(\.connection) }
    }
}

extension ConnectionRegister.State {
    fileprivate mutating func note(unread bytes: Int, of connection: Connection) {
        let key = ObjectIdentifier(connection)
        guard var entry = entries[key], entry.unread != bytes else { return }
        if entry.unread == 0 { entry.since = .now() }
        users[connection.peer.uid]?.unread += bytes - entry.unread
        unread += bytes - entry.unread
        entry.unread = bytes
        entries[key] = entry
    }

    /// The user who has left more unread than a user may, or most of what is too much for all.
    fileprivate func overdrawn(_ uid: uid_t, _ limits: ServerLimits) -> uid_t? {
        if users[uid, default: .init()].unread > limits.unsentBytes { return uid }
        guard unread > ServerLimits.usersOfUnsentBytes * limits.unsentBytes else { return nil }
        return users.max { $0.value.unread < $1.value.unread }?.key
    }

    fileprivate func longestUnread(of uid: uid_t) -> Connection? {
        let waiting = entries.values.filter { $0.connection.peer.uid == uid && $0.unread > 0 }
        return waiting.count < 2 ? nil : waiting.min { $0.since < $1.since }?.connection
    }
}
