import Glibc
import NIOCore
import Synchronization
import Varlink

/// The connections of a server, or of several: how many each user has, and what of their replies
/// nobody has read.
public final class ConnectionRegister: Sendable {
    /// There are as many connections as there may be.
    enum Full: Error, Equatable, CustomStringConvertible {
        /// The user has so many.
        case user(Int)
        /// The user has so many, with those that have closed and whose calls are still carried out.
        case closed(Int, limit: Int)
        /// All users together have so many.
        case all(Int)

        /// The limit as it is set.
        var limit: Int {
            switch self {
            case .user(let limit), .closed(_, let limit), .all(let limit): limit
            }
        }

        var description: String {
            switch self {
            case .user(let limit):
                "the user has \(limit) connections, the maximum for a user"
            case .closed(let count, _):
                "the user has \(count) connections, with those that have closed and whose calls "
                    + "are still carried out; this is the maximum"
            case .all(let limit):
                "there are \(limit) connections, which is the maximum"
            }
        }
    }

    fileprivate struct Entry {
        let connection: Connection
        let descriptor: CInt
        var isOpen = true
        /// What it had received and not carried out when it closed.
        var left = 0
        var unread = 0
        /// Since when the peer has read nothing of it.
        var since = NIODeadline.distantPast
        /// A call that waits until there is less unread.
        var held: CheckedContinuation<Void, Never>?
    }

    fileprivate struct User {
        /// The connections that are open.
        var open = 0
        /// With those that have closed, and whose `oneway` calls are still carried out.
        var all = 0
        /// What those that have closed have received and not carried out yet.
        var left = 0
        var unread = Unread()

        /// Whether there are too many that have closed.
        func isFull(_ limits: ServerLimits) -> Bool {
            all >= ServerLimits.times(2, limits.connectionsPerUser)
                && left > ServerLimits.bytesOfClosed || all >= limits.connectionsWithClosed
        }
    }

    /// The replies that nobody has read.
    fileprivate struct Unread {
        var bytes = 0
        var connections = 0

        /// Whether that is too much. A single one may be as large as it is.
        func exceeds(_ limit: Int) -> Bool { bytes > limit && connections > 1 }

        mutating func change(from before: Int, to bytes: Int) {
            self.bytes += bytes - before
            connections += (bytes > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
        }
    }

    fileprivate struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var users: [uid_t: User] = [:]
        var open = 0
        var unread = Unread()
        /// The methods that have had large replies; the others' need no room.
        var large: Set<String> = []
        /// The connections with a call that is held back.
        var held: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())
    private let anyUnread = Atomic(false)
    private let now: @Sendable () -> NIODeadline

    /// There are none yet.
    public convenience init() {
        self.init(now: { .now() })
    }

    /// - Parameter now: the time.
    init(now: @escaping @Sendable () -> NIODeadline) {
        self.now = now
    }

    /// The clients that are connected, those first that came first.
    public var clients: [ClientReport] {
        let entries = state.withLock { $0.entries.values.filter(\.isOpen) }
        return entries.map { entry in
            var report = entry.connection.account.report
            report.unreadBytes = entry.unread
            return report
        }.sorted { $0.accepted < $1.accepted }
    }

    /// How many clients are connected.
    public var count: Int { state.withLock { $0.open } }

    /// Counts a connection, or refuses it. It is to be ``closed(_:)`` and ``remove(_:)``d once.
    ///
    /// - Parameter descriptor: its socket's, open until it is closed.
    func add(_ connection: Connection, _ descriptor: CInt) throws(Full) {
        let (uid, limits) = (connection.peer.uid, connection.limits)
        let refusal: Full? = state.withLock { state in
            let user = state.users[uid] ?? User()
            if user.open >= limits.connectionsPerUser, !state.isAnyLeft(by: uid, limits) {
                return .user(limits.connectionsPerUser)
            }
            if user.isFull(limits) {
                return .closed(user.all, limit: limits.connectionsPerUser)
            }
            if state.open >= limits.connections { return .all(limits.connections) }
            state.users[uid, default: User()].open += 1
            state.users[uid]?.all += 1
            state.open += 1
            state.entries[ObjectIdentifier(connection)] = Entry(
                connection: connection, descriptor: descriptor)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// The connection has closed: its user may have another one.
    ///
    /// - Parameter left: how many bytes it has received and not carried out.
    func closed(_ connection: Connection, left: Int) {
        let released = state.withLock { state in
            state.note(unread: 0, of: connection, hasRead: true, now())
            anyUnread.store(state.unread.bytes > 0, ordering: .relaxed)
            state.entries[ObjectIdentifier(connection)]?.isOpen = false
            state.entries[ObjectIdentifier(connection)]?.left = left
            state.users[connection.peer.uid]?.left += left
            state.users[connection.peer.uid]?.open -= 1
            state.open -= 1
            return state.takeReleased()
        }
        for continuation in released { continuation.resume() }
    }

    /// Forgets a connection that has ended, with all that ran for it.
    func remove(_ connection: Connection) {
        state.withLock { state in
            let uid = connection.peer.uid
            guard let entry = state.entries.removeValue(forKey: ObjectIdentifier(connection))
            else { return }
            state.users[uid]?.all -= 1
            state.users[uid]?.left -= entry.left
            if state.users[uid]?.all == 0 { state.users[uid] = nil }
        }
    }

    // MARK: Unread replies

    /// Notes how many bytes of replies the peer of a connection has not read.
    ///
    /// - Parameter hasRead: whether it has read some since this was noted before.
    /// - Returns: the connections that are to be closed because that is too much in all, and they have
    ///   read nothing for a while.
    func note(unread bytes: Int, of connection: Connection, hasRead: Bool) -> [Connection] {
        let now = now()
        let (stuck, released) = state.withLock { state in
            state.note(unread: bytes, of: connection, hasRead: hasRead, now)
            var stuck: [Connection] = []
            while let next = state.nextToClose(for: connection, now) {
                state.note(unread: 0, of: next, hasRead: true, now)
                stuck.append(next)
            }
            anyUnread.store(state.unread.bytes > 0, ordering: .relaxed)
            return (stuck, state.takeReleased())
        }
        for continuation in released { continuation.resume() }
        return stuck
    }

    /// Whether anything is unread; else no call is held back.
    var isAnyUnread: Bool { anyUnread.load(ordering: .relaxed) }

    /// A method, of those that the service has, has a large reply.
    func noteLargeReplies(of method: String) {
        state.withLock { _ = $0.large.insert(method) }
    }

    /// Returns when a call of a connection may be carried out, or have its reply: while its user, or all
    /// users of whom it is one, leave too much unread, no method may that has had large replies.
    func waitForRoom(_ connection: Connection, _ method: String) async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                let key = ObjectIdentifier(connection)
                guard state.large.contains(method), state.isHeldBack(key) else { return false }
                state.entries[key]?.held = continuation
                state.held.insert(key)
                return true
            }
            if !isHeld { continuation.resume() }
        }
    }
}

extension ConnectionRegister.State {
    /// Whether so many of a user's connections have been left by their peers, which is only not noticed
    /// yet, that there may be another one.
    fileprivate func isAnyLeft(by uid: uid_t, _ limits: ServerLimits) -> Bool {
        let user = users[uid] ?? .init()
        if user.open >= ServerLimits.times(16, limits.connectionsPerUser) { return false }
        var polled = entries.values.filter { $0.isOpen && $0.connection.peer.uid == uid }
            .map { pollfd(fd: $0.descriptor, events: 0, revents: 0) }
        guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return false }
        let left = polled.count { $0.revents & Int16(POLLHUP) != 0 }
        return user.open - left < limits.connectionsPerUser
    }

    fileprivate mutating func note(
        unread bytes: Int, of connection: Connection, hasRead: Bool, _ now: NIODeadline
    ) {
        let key = ObjectIdentifier(connection)
        guard var entry = entries[key], entry.isOpen else { return }
        if entry.unread == 0 || hasRead { entry.since = now }
        users[connection.peer.uid]?.unread.change(from: entry.unread, to: bytes)
        unread.change(from: entry.unread, to: bytes)
        entry.unread = bytes
        entries[key] = entry
    }

    /// The connection that has read nothing for longest, if it is too much that is unread in all, or of
    /// the user of the connection; and if that is long enough.
    fileprivate func nextToClose(for connection: Connection, _ now: NIODeadline) -> Connection? {
        let (uid, limits) = (connection.peer.uid, connection.limits)
        let isForAll = unread.exceeds(limits.unsentBytesOfAll)
        let isForUser = users[uid]?.unread.exceeds(limits.unsentBytes) == true
        guard isForAll || isForUser else { return nil }
        let last = now - TimeAmount(limits.unsentInterval)
        return entries.values.filter {
            $0.unread > 0 && $0.since <= last && (isForAll || $0.connection.peer.uid == uid)
        }.min { $0.since < $1.since }?.connection
    }

    fileprivate func isHeldBack(_ key: ObjectIdentifier) -> Bool {
        guard let entry = entries[key], entry.isOpen else { return false }
        let limits = entry.connection.limits
        guard let user = users[entry.connection.peer.uid], user.unread.bytes > 0 else {
            return false
        }
        return user.unread.exceeds(limits.unsentBytes)
            || unread.exceeds(limits.unsentBytesOfAll)
    }

    /// Those whose calls need not be held back any more.
    fileprivate mutating func takeReleased() -> [CheckedContinuation<Void, Never>] {
        guard !held.isEmpty else { return [] }
        let released = held.filter { !isHeldBack($0) }
        held.subtract(released)
        return released.compactMap { entries[$0]?.held.take() }
    }
}
