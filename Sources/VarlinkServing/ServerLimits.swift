public import Varlink

/// What a server bears from its clients.
public struct ServerLimits: Sendable {
    /// The defaults.
    public init() {}

    /// The most connections one user may have; a further one gets an error, is closed, and logged.
    public var connectionsPerUser = 128

    /// The most connections one user may have together with those that have closed, and whose `oneway`
    /// calls are still carried out; beyond twice ``connectionsPerUser`` only while the closed ones have
    /// little to do.
    var connectionsWithClosed: Int { Self.times(64, connectionsPerUser) }

    /// The most bytes of calls that connections of one user have, which have closed, so that there may be
    /// many of them.
    static let bytesOfClosed = 4 << 20

    /// The most connections that all users may have together.
    public var connections = 4096

    /// Makes the error to reply, to whatever is called, on a connection above one of these limits,
    /// which is given; nil closes it without a reply.
    public var tooManyConnections: (@Sendable (Int) -> VarlinkError?)?

    /// The most bytes a call may have, without its NUL; the connection that sends more is closed.
    public var requestBytes = 1 << 20

    /// Makes the error to reply before that close, of an interface that the service has; nil closes
    /// without a reply, as systemd does.
    public var requestTooLarge: (@Sendable () -> VarlinkError?)?

    /// The most bytes of replies that the connections of one user may leave unread; all users together
    /// may leave four times as many. Above it no method is called for the user that has had a large
    /// reply (64 KiB), and connections are closed that have read nothing for a second, first the one
    /// that has not for longest; a call that was begun before waits with its reply. A single reply may
    /// be larger.
    public var unsentBytes = 64 << 20

    /// The most bytes of replies that all users together may leave unread.
    var unsentBytesOfAll: Int { Self.times(4, unsentBytes) }

    /// How often is looked whether a peer reads, while something is unread.
    var unsentInterval = Duration.seconds(1)

    /// How long a peer may read nothing of a reply that waits for it before it is closed.
    public var unsentTime = Duration.seconds(60)

    /// The same, once the server stops.
    var unsentTimeAtStop = Duration.seconds(1)

    /// Whether memory is given back to the system, see malloc_trim(3), some seconds after replies had to
    /// wait for their peer, and after a connection that took more than 64 KiB has closed; that looks through the whole process's heap, on a thread of its own.
    public var trimsMemory = false

    /// How many calls of one connection are answered in a row before others that share its event
    /// loop get their turn; and how many of the calls that a client left behind are still looked at.
    public var callsPerTurn = 64

    /// How long calls of one connection are answered in a row; the call that is under way ends first.
    public var turnTime = Duration.milliseconds(2)

    /// How long ``VarlinkServer/stop()`` waits for the calls that are under way.
    public var drain = Duration.seconds(10)

    static func times(_ factor: Int, _ limit: Int) -> Int {
        let (product, isTooLarge) = limit.multipliedReportingOverflow(by: factor)
        return isTooLarge ? .max : product
    }
}
