public import Varlink

/// What a server bears from its clients; the defaults are those of the daemon.
public struct ServerLimits: Sendable {
    /// The defaults.
    public init() {}

    /// The most connections one user may have; a further one gets an error, is closed, and logged.
    public var connectionsPerUser = 128

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

    /// The most bytes of replies that the connections of one user may leave unread, above which the
    /// one is closed that has not read for longest; all users together may leave
    /// ``usersOfUnsentBytes`` times as many. A single reply may be larger.
    public var unsentBytes = 64 << 20

    static let usersOfUnsentBytes = 4

    /// How long a peer may read nothing of a reply that waits for it before it is closed.
    public var unsentTime = Duration.seconds(60)

    /// The same, once the server stops.
    static let unsentTimeAtStop = Duration.seconds(1)

    /// How many calls of one connection are answered in a row before others that share its event
    /// loop get their turn.
    public var callsPerTurn = 64

    /// How long ``VarlinkServer/stop()`` waits for the calls that are under way.
    public var drain = Duration.seconds(10)
}
