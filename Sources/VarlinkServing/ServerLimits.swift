public import Varlink

/// Limits that a server applies to its clients.
public struct ServerLimits: Sendable {
    /// Creates the default limits.
    public init() {}

    /// Maximum number of connections for one user. The server logs each further connection, sends the error from
    /// ``makeTooManyConnectionsError``, and closes the connection.
    public var maximumConnectionsPerUser = 128

    /// Maximum number of connections for one user, including closed connections whose `oneway` calls are still running.
    /// While the remaining calls of a user's closed connections exceed ``maximumBytesOfClosedConnections``, the user
    /// may have at most twice ``maximumConnectionsPerUser`` connections.
    var maximumConnectionsIncludingClosed: Int {
        Self.saturatingProduct(64, maximumConnectionsPerUser)
    }

    /// Maximum total size, in bytes, of a user's calls that remain after their connections have closed. While the calls
    /// exceed this maximum, the user may have at most twice ``maximumConnectionsPerUser`` connections.
    static let maximumBytesOfClosedConnections = 4 << 20

    /// Maximum number of connections for all users together.
    public var maximumConnections = 4096

    /// Closure that creates the error reply for a connection that exceeds a maximum number of connections.
    ///
    /// The argument is the limit. If the closure returns `nil`, the connection closes without a reply. The reply does
    /// not depend on the called method.
    public var makeTooManyConnectionsError: (@Sendable (Int) -> VarlinkError?)?

    /// Maximum size of a call in bytes, without its NUL. A connection that sends a larger call is closed.
    public var maximumRequestBytes = 1 << 20

    /// Closure that creates the error reply to a call that exceeds ``maximumRequestBytes``. The error must be one that
    /// an interface of the service declares. If the closure returns `nil`, the connection closes without a reply, as in
    /// systemd.
    public var makeRequestTooLargeError: (@Sendable () -> VarlinkError?)?

    /// Maximum number of reply bytes that one user's connections may leave unread. All users together may leave four
    /// times this number unread.
    ///
    /// Above this limit, the server defers this user's calls to methods that have returned a large reply (over 64 KiB).
    /// A call that has already started waits before it replies. The server also closes connections that have read
    /// nothing for a second, beginning with the connection that has not read for the longest time. A single reply may
    /// exceed the limit.
    public var maximumUnreadBytesPerUser = 64 << 20

    /// Maximum number of reply bytes that all users together may leave unread.
    var maximumUnreadBytesOfAllUsers: Int { Self.saturatingProduct(4, maximumUnreadBytesPerUser) }

    /// Interval at which the server checks, while replies are unread, whether the peer reads them.
    var readCheckInterval = Duration.seconds(1)

    /// Time after which the server closes a connection if replies are unread and the peer reads nothing.
    public var unreadReplyTimeout = Duration.seconds(60)

    /// Maximum value of ``unreadReplyTimeout`` while the server is stopping.
    var unreadReplyTimeoutAtStop = Duration.seconds(1)

    /// Whether the server returns memory to the system; see malloc_trim(3).
    ///
    /// The server returns memory a few seconds after a peer was slow to read its replies, or after a connection that
    /// transferred more than 64 KiB has closed. To do so, it examines the heap of the whole process on a separate
    /// thread.
    public var trimsMemory = false

    /// Maximum number of calls that one connection runs before other connections on the event loop get their turn. It
    /// is also the maximum number of calls that are decoded after their client has disconnected.
    public var maximumCallsPerTimeSlice = 64

    /// Maximum time that the calls on one connection run before other connections get their turn. A call that is still
    /// running after this time finishes first.
    public var maximumTimeSliceDuration = Duration.milliseconds(2)

    /// Time that a server waits for running calls when it stops; see ``VarlinkServer/stop()``.
    public var drainTimeout = Duration.seconds(10)

    /// Returns the product of two numbers, or `Int.max` if the product is too large.
    static func saturatingProduct(_ factor: Int, _ limit: Int) -> Int {
        let (product, isTooLarge) = limit.multipliedReportingOverflow(by: factor)
        return isTooLarge ? .max : product
    }
}
