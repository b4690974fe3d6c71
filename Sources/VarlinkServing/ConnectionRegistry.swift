import Glibc
import NIOCore
import Synchronization
import Varlink

/// Registry of the connections to one or more servers. It counts each user's connections and unread reply bytes.
public final class ConnectionRegistry: Sendable {
    /// Error for a connection that exceeds a limit.
    enum LimitExceeded: Error, Equatable, CustomStringConvertible {
        /// The user already has the maximum number of connections. The associated value is this maximum.
        case user(Int)
        /// The user has reached the limit. The first associated value is the number of connections, including closed
        /// connections whose calls are still running.
        case includingClosed(Int, limit: Int)
        /// All users together already have the maximum number of connections. The associated value is this maximum.
        case all(Int)

        /// Configured limit.
        var limit: Int {
            switch self {
            case .user(let limit), .includingClosed(_, let limit), .all(let limit): limit
            }
        }

        var description: String {
            switch self {
            case .user(let limit):
                "the user has \(limit) connections, which is the maximum for a user"
            case .includingClosed(let count, _):
                "the user has \(count) connections, which is the maximum; this includes closed "
                    + "connections with running calls"
            case .all(let limit):
                "there are \(limit) connections, which is the maximum"
            }
        }
    }

    /// Registered connection and its counters.
    fileprivate struct Entry {
        let connection: Connection
        let descriptor: CInt
        var isOpen = true
        /// Number of bytes in received calls that had not run yet when the connection closed.
        var pendingByteCount = 0
        var unreadByteCount = 0
        /// Time at which the peer last read reply bytes, or at which reply bytes first became unread.
        var lastReadTime = NIODeadline.distantPast
        /// Continuation of a call that is waiting until fewer bytes are unread.
        var deferredCallContinuation: CheckedContinuation<Void, Never>?
    }

    /// Counters for all connections of one user.
    fileprivate struct User {
        /// Number of open connections.
        var openConnectionCount = 0
        /// Number of open connections, plus closed connections whose `oneway` calls are still running.
        var totalConnectionCount = 0
        /// Number of bytes in calls that closed connections have received but not run yet.
        var pendingByteCount = 0
        var unreadReplies = UnreadReplies()

        /// Returns whether the user has reached a limit that includes closed connections with running calls.
        func hasReachedLimit(_ limits: ServerLimits) -> Bool {
            totalConnectionCount
                >= ServerLimits.saturatingProduct(2, limits.maximumConnectionsPerUser)
                && pendingByteCount > ServerLimits.maximumBytesOfClosedConnections
                || totalConnectionCount >= limits.maximumConnectionsIncludingClosed
        }
    }

    /// Number of unread reply bytes, and number of connections with unread replies.
    fileprivate struct UnreadReplies {
        var byteCount = 0
        var connectionCount = 0

        /// Returns whether the unread bytes exceed a limit. A single connection may exceed the limit, because a reply
        /// may have any size.
        func exceeds(_ limit: Int) -> Bool { byteCount > limit && connectionCount > 1 }

        mutating func updateByteCount(from oldByteCount: Int, to byteCount: Int) {
            self.byteCount += byteCount - oldByteCount
            connectionCount += (byteCount > 0 ? 1 : 0) - (oldByteCount > 0 ? 1 : 0)
        }
    }

    fileprivate struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var users: [uid_t: User] = [:]
        var openConnectionCount = 0
        var unreadReplies = UnreadReplies()
        /// Methods that have returned large replies. Calls to other methods never wait.
        var largeReplyMethods: Set<String> = []
        /// Connections with a deferred call.
        var deferredConnectionIDs: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())
    private let hasUnreadRepliesStorage = Atomic(false)
    private let now: @Sendable () -> NIODeadline

    /// Creates a registry without connections.
    public convenience init() {
        self.init(now: { .now() })
    }

    /// Creates a registry without connections.
    ///
    /// - Parameter now: Closure that returns the current time.
    init(now: @escaping @Sendable () -> NIODeadline) {
        self.now = now
    }

    /// Connected clients, oldest connection first.
    public var clients: [ClientReport] {
        let entries = state.withLock { $0.entries.values.filter(\.isOpen) }
        return entries.map { entry in
            var report = entry.connection.statistics.report
            report.unreadByteCount = entry.unreadByteCount
            return report
        }.sorted { $0.acceptedTime < $1.acceptedTime }
    }

    /// Number of connected clients.
    public var count: Int { state.withLock { $0.openConnectionCount } }

    /// Adds a connection, or throws an error if the connection exceeds a limit.
    ///
    /// For each added connection, the caller must call ``recordClosure(_:pendingByteCount:)`` once, and then
    /// ``remove(_:)`` once.
    ///
    /// - Parameter descriptor: Descriptor of the connection's socket, which stays open until the connection closes.
    func add(_ connection: Connection, _ descriptor: CInt) throws(LimitExceeded) {
        let (uid, limits) = (connection.peer.uid, connection.limits)
        let refusal: LimitExceeded? = state.withLock { state in
            let user = state.users[uid] ?? User()
            if user.openConnectionCount >= limits.maximumConnectionsPerUser,
                !state.isBelowLimitIgnoringClosed(for: uid, limits)
            {
                return .user(limits.maximumConnectionsPerUser)
            }
            if user.hasReachedLimit(limits) {
                return .includingClosed(
                    user.totalConnectionCount, limit: limits.maximumConnectionsPerUser)
            }
            if state.openConnectionCount >= limits.maximumConnections {
                return .all(limits.maximumConnections)
            }
            state.users[uid, default: User()].openConnectionCount += 1
            state.users[uid]?.totalConnectionCount += 1
            state.openConnectionCount += 1
            state.entries[ObjectIdentifier(connection)] = Entry(
                connection: connection, descriptor: descriptor)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Records that a connection has closed, so that its user may open another connection.
    ///
    /// - Parameter pendingByteCount: Number of bytes in received calls that have not run yet.
    func recordClosure(_ connection: Connection, pendingByteCount: Int) {
        let releasedContinuations = state.withLock { state in
            state.update(unreadByteCount: 0, of: connection, hasPeerRead: true, now())
            hasUnreadRepliesStorage.store(state.unreadReplies.byteCount > 0, ordering: .relaxed)
            state.entries[ObjectIdentifier(connection)]?.isOpen = false
            state.entries[ObjectIdentifier(connection)]?.pendingByteCount = pendingByteCount
            state.users[connection.peer.uid]?.pendingByteCount += pendingByteCount
            state.users[connection.peer.uid]?.openConnectionCount -= 1
            state.openConnectionCount -= 1
            return state.popReleasedContinuations()
        }
        for continuation in releasedContinuations { continuation.resume() }
    }

    /// Removes a connection after all of its calls have finished.
    func remove(_ connection: Connection) {
        state.withLock { state in
            let uid = connection.peer.uid
            guard let entry = state.entries.removeValue(forKey: ObjectIdentifier(connection))
            else { return }
            state.users[uid]?.totalConnectionCount -= 1
            state.users[uid]?.pendingByteCount -= entry.pendingByteCount
            if state.users[uid]?.totalConnectionCount == 0 { state.users[uid] = nil }
        }
    }

    // MARK: Unread replies

    /// Updates the number of reply bytes that a connection's peer has not read.
    ///
    /// - Parameter hasPeerRead: Whether the peer has read bytes since the previous update.
    /// - Returns: Connections that the caller must close, because too many bytes are unread in total and their peers
    ///   have not read for some time.
    func update(unreadByteCount byteCount: Int, of connection: Connection, hasPeerRead: Bool)
        -> [Connection]
    {
        let now = now()
        let (stuckConnections, releasedContinuations) = state.withLock { state in
            state.update(unreadByteCount: byteCount, of: connection, hasPeerRead: hasPeerRead, now)
            var stuckConnections: [Connection] = []
            while let nextConnection = state.nextConnectionToClose(for: connection, now) {
                state.update(unreadByteCount: 0, of: nextConnection, hasPeerRead: true, now)
                stuckConnections.append(nextConnection)
            }
            hasUnreadRepliesStorage.store(state.unreadReplies.byteCount > 0, ordering: .relaxed)
            return (stuckConnections, state.popReleasedContinuations())
        }
        for continuation in releasedContinuations { continuation.resume() }
        return stuckConnections
    }

    /// Whether any reply bytes are unread. Calls are deferred only while this value is `true`.
    var hasUnreadReplies: Bool { hasUnreadRepliesStorage.load(ordering: .relaxed) }

    /// Records that a method has returned a large reply.
    func recordLargeReplies(of method: String) {
        state.withLock { _ = $0.largeReplyMethods.insert(method) }
    }

    /// Waits until a call may start, or until its reply may be created. Calls to methods that have returned large
    /// replies are deferred while the user, or all users together, have too many unread bytes.
    func waitForReplyCapacity(_ connection: Connection, _ method: String) async {
        await withCheckedContinuation { continuation in
            let isDeferred = state.withLock { state in
                let connectionID = ObjectIdentifier(connection)
                guard state.largeReplyMethods.contains(method),
                    state.shouldDeferCall(of: connectionID)
                else {
                    return false
                }
                state.entries[connectionID]?.deferredCallContinuation = continuation
                state.deferredConnectionIDs.insert(connectionID)
                return true
            }
            if !isDeferred { continuation.resume() }
        }
    }
}

extension ConnectionRegistry.State {
    /// Returns whether a user is below the connection limit if connections with disconnected peers do not count. The
    /// server may not have closed such connections yet.
    fileprivate func isBelowLimitIgnoringClosed(for uid: uid_t, _ limits: ServerLimits) -> Bool {
        let user = users[uid] ?? .init()
        if user.openConnectionCount
            >= ServerLimits.saturatingProduct(16, limits.maximumConnectionsPerUser)
        {
            return false
        }
        var pollDescriptors = entries.values.filter { $0.isOpen && $0.connection.peer.uid == uid }
            .map { pollfd(fd: $0.descriptor, events: 0, revents: 0) }
        guard poll(&pollDescriptors, nfds_t(pollDescriptors.count), 0) > 0 else { return false }
        let disconnectedCount = pollDescriptors.count { $0.revents & Int16(POLLHUP) != 0 }
        return user.openConnectionCount - disconnectedCount < limits.maximumConnectionsPerUser
    }

    fileprivate mutating func update(
        unreadByteCount byteCount: Int, of connection: Connection, hasPeerRead: Bool,
        _ now: NIODeadline
    ) {
        let connectionID = ObjectIdentifier(connection)
        guard var entry = entries[connectionID], entry.isOpen else { return }
        if entry.unreadByteCount == 0 || hasPeerRead { entry.lastReadTime = now }
        users[connection.peer.uid]?.unreadReplies.updateByteCount(
            from: entry.unreadByteCount, to: byteCount)
        unreadReplies.updateByteCount(from: entry.unreadByteCount, to: byteCount)
        entry.unreadByteCount = byteCount
        entries[connectionID] = entry
    }

    /// Returns the next connection to close, or `nil` if no connection must be closed.
    ///
    /// Connections are closed while the user, or all users together, have too many unread bytes. The next connection to
    /// close is the one whose peer has not read for the longest time, if this time is at least
    /// ``ServerLimits/readCheckInterval``.
    fileprivate func nextConnectionToClose(for connection: Connection, _ now: NIODeadline)
        -> Connection?
    {
        let (uid, limits) = (connection.peer.uid, connection.limits)
        let exceedsTotalLimit = unreadReplies.exceeds(limits.maximumUnreadBytesOfAllUsers)
        let exceedsUserLimit =
            users[uid]?.unreadReplies.exceeds(limits.maximumUnreadBytesPerUser) == true
        guard exceedsTotalLimit || exceedsUserLimit else { return nil }
        let readDeadline = now - TimeAmount(limits.readCheckInterval)
        return entries.values.filter {
            $0.unreadByteCount > 0 && $0.lastReadTime <= readDeadline
                && (exceedsTotalLimit || $0.connection.peer.uid == uid)
        }.min { $0.lastReadTime < $1.lastReadTime }?.connection
    }

    fileprivate func shouldDeferCall(of connectionID: ObjectIdentifier) -> Bool {
        guard let entry = entries[connectionID], entry.isOpen else { return false }
        let limits = entry.connection.limits
        guard let user = users[entry.connection.peer.uid], user.unreadReplies.byteCount > 0 else {
            return false
        }
        return user.unreadReplies.exceeds(limits.maximumUnreadBytesPerUser)
            || unreadReplies.exceeds(limits.maximumUnreadBytesOfAllUsers)
    }

    /// Removes and returns the continuations of calls that no longer need to be deferred.
    fileprivate mutating func popReleasedContinuations() -> [CheckedContinuation<Void, Never>] {
        guard !deferredConnectionIDs.isEmpty else { return [] }
        let releasedConnectionIDs = deferredConnectionIDs.filter { !shouldDeferCall(of: $0) }
        deferredConnectionIDs.subtract(releasedConnectionIDs)
        return releasedConnectionIDs.compactMap { entries[$0]?.deferredCallContinuation.take() }
    }
}
