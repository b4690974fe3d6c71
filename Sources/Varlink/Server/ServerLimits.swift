/// What a server bears from its clients.
package struct ServerLimits: Sendable {
    /// The most connections one user may have; a further one is closed at once and logged.
    package var connectionsPerUser: Int

    /// The most bytes a call may have, without its NUL; the connection that sends more is closed.
    package var requestBytes: Int

    /// The error to reply before that close, of an interface that the service has; nil closes
    /// without a reply, as systemd does.
    package var requestTooLarge: VarlinkError?

    /// How many calls of one connection are answered in a row before others that share its event
    /// loop get their turn.
    package var callsPerTurn: Int

    /// How long ``VarlinkServer/stop()`` waits for the calls that are under way.
    package var drain: Duration

    /// Limits; the defaults are those of the daemon.
    package init(
        connectionsPerUser: Int = 128, requestBytes: Int = 1 << 20,
        requestTooLarge: VarlinkError? = nil, callsPerTurn: Int = 64, drain: Duration = .seconds(10)
    ) {
        self.connectionsPerUser = connectionsPerUser
        self.requestBytes = requestBytes
        self.requestTooLarge = requestTooLarge
        self.callsPerTurn = callsPerTurn
        self.drain = drain
    }
}
