import FoundationEssentials
import Glibc
import RepriseControl
import Varlink

/// Connection to the daemon.
///
/// The connection finds the daemon's socket, waits for a daemon that is starting, and makes calls. All calls share one
/// client, which is replaced after its connection has closed.
final class DaemonConnection {
    /// Default timeouts for the daemon to start and to reply.
    static let defaultTimeouts = (start: Duration.seconds(5), reply: Duration.seconds(60))
    /// Pause between two attempts to connect, in microseconds.
    static let retryDelayMicroseconds: useconds_t = 20_000
    /// Pause between two attempts to find the host that runs an application, in microseconds.
    private static let ownerRetryDelayMicroseconds: useconds_t = 200_000

    private let socket: String?
    /// Host that the command line specifies, or `nil` for this host.
    private let specifiedHost: RemoteHost?
    /// Host to which calls were redirected because it runs an application, or `nil` if calls go to the specified host.
    private var ownerHost: RemoteHost?
    private let timeout: Duration?
    /// Whether calls are redirected to the host that runs an application.
    let followsOwner: Bool
    /// Whether a call was redirected to another host, and that host has not replied yet.
    private var hasUnansweredRedirect = false
    private var client: VarlinkClient?

    /// Creates a connection, which the first call opens.
    ///
    /// - Parameters:
    ///   - socket: Socket path from the command line, or `nil` to search the default paths.
    ///   - host: Host of the daemon, as an `ssh` destination, or `nil` for this host.
    ///   - timeout: Timeout for the daemon to start and to reply, or `nil` for the default timeouts.
    ///   - followsOwner: Whether a call is sent to the daemon on another host if that host runs the application.
    init(
        socket: String?, host: String? = nil, timeout: Duration? = nil, followsOwner: Bool = false
    ) {
        self.followsOwner = followsOwner
        self.socket = socket
        specifiedHost = host.map { RemoteHost(name: $0, socket: socket, timeout: timeout) }
        self.timeout = timeout
    }

    /// Makes a call and returns the parameters of the reply as a JSON object.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - isRepeatable: Whether making the call twice has the same effect as making it once. Such a call is repeated
    ///     if the daemon restarts before it replies.
    ///   - defaultTimeout: Timeout if the command line does not specify one, or `nil` for the default timeouts.
    /// - Throws: ``Failure`` if the call fails.
    func call<Call: MethodCall>(
        _ call: Call, isRepeatable: Bool, defaultTimeout: Duration? = nil
    ) throws -> [UInt8] {
        var path = try socketPath()
        let timeout = timeout ?? defaultTimeout
        let replyTimeout = timeout ?? Self.defaultTimeouts.reply
        var startWait = StartWait(timeout ?? Self.defaultTimeouts.start, path: path)
        // Whether a call was sent but its reply was lost.
        var isReplyLost = false
        // The application may have moved again since an earlier call.
        hasUnansweredRedirect = false
        while true {
            do {
                return try openClient(path, within: replyTimeout).call(
                    Call.qualifiedMethod, json: try JSONText.write(call), within: replyTimeout)
            } catch let error as VarlinkError {
                guard followOwner(error) else {
                    throw Failure(error, from: path, isReadOnly: Call.isReadOnly)
                }
                path = try socketPath()
            } catch let error as ClientError {
                client = nil
                if let host { throw host.failure(error, of: Call.self) }
                var wasDaemonAvailable = isReplyLost
                switch error {
                case .disconnected: (isReplyLost, wasDaemonAvailable) = (true, true)
                case .notReceived: wasDaemonAvailable = true
                default: break
                }
                let failure =
                    isReplyLost && !Call.isReadOnly
                    ? Failure(
                        unanswered: Call.method,
                        because: "the connection to the daemon at \(path) was lost")
                    : Failure(error)
                guard error.isTransient, isRepeatable || !isReplyLost else { throw failure }
                // The daemon was available a moment ago and may be restarting, which includes saving all state.
                if wasDaemonAvailable { startWait.maximumDuration = replyTimeout }
                try startWait.pauseBeforeRetry(for: failure)
            }
        }
    }

    private var host: RemoteHost? { ownerHost ?? specifiedHost }

    /// Host of the daemon, as an `ssh` destination, or `nil` if the daemon is on this host.
    var hostName: String? { host?.name }

    /// Host to which calls were redirected because it runs an application, as an `ssh` destination, or `nil` if calls
    /// go to the host that the command line specifies.
    var ownerHostName: String? { ownerHost?.name }

    /// Directs further calls to another host. If the name is `nil`, they go to the host that the command line
    /// specifies.
    func switchHost(to ownerHostName: String?) {
        hasUnansweredRedirect = false
        client = nil
        ownerHost?.disconnect()
        ownerHost = ownerHostName.map { RemoteHost(name: $0, socket: socket, timeout: timeout) }
    }

    /// Closes the connection and terminates `ssh`. The next call opens a new connection.
    func disconnect() {
        client = nil
        ownerHost?.disconnect()
        specifiedHost?.disconnect()
    }

    /// Opens a separate connection for a caller that handles an unavailable daemon itself.
    func connect(within replyTimeout: Duration? = nil) throws -> VarlinkClient {
        let replyTimeout = replyTimeout ?? timeout ?? Self.defaultTimeouts.reply
        return try host?.connect(within: replyTimeout)
            ?? VarlinkClient(path: try socketPath(), timeout: replyTimeout)
    }

    /// Makes a streaming call and passes each reply to a closure. The call is repeated after the daemon has restarted.
    ///
    /// If the connection follows an application that begins to run on another host, the call is repeated on that host.
    ///
    /// - Parameters:
    ///   - call: A closure that returns the call. The closure is called again before each repetition.
    ///   - body: A closure that receives the parameters of a reply as a JSON object. It returns `false` to stop.
    ///   - onMissedEvents: A closure that is called if the events after the last received event are no longer
    ///     available. Its arguments identify the position at which the available events begin.
    /// - Throws: ``Failure`` if the call fails.
    func follow<Call: MethodCall>(
        _ call: () -> Call, body: ([UInt8]) throws -> Bool,
        onMissedEvents: (_ instance: String, _ number: Int) -> Void = { _, _ in }
    ) throws {
        let replyTimeout = timeout ?? Self.defaultTimeouts.reply
        var waits = try FollowWaits(startWithin: startTimeout, path: socketPath())
        while true {
            do {
                let json = try JSONText.write(call())
                let connectTimeout =
                    waits.owner?.hasBegun == true ? min(startTimeout, replyTimeout) : replyTimeout
                try openClient(waits.path, within: connectTimeout).follow(
                    Call.qualifiedMethod, json: json, within: replyTimeout
                ) { reply in
                    waits.start = StartWait(replyTimeout, path: waits.path)
                    waits.owner = StartWait(forOwnerWithin: replyTimeout)
                    hasUnansweredRedirect = false
                    if try !body(reply) { throw StopFollowingError() }
                }
                return
            } catch is StopFollowingError {
                client = nil
                return
            } catch let error as VarlinkError {
                if case .eventsGone(let instance, let number)? = ControlError(error) {
                    onMissedEvents(instance, number)
                } else {
                    try recover(from: error, isReadOnly: Call.isReadOnly, &waits)
                }
            } catch let error as ClientError {
                try recover(from: error, of: Call.self, &waits)
            }
        }
    }

    /// Timeout for a daemon to start.
    private var startTimeout: Duration { timeout ?? Self.defaultTimeouts.start }

    /// Pauses before a streaming call is repeated, because the daemon replied with an error.
    ///
    /// - Throws: The failure of the call, if it must not be repeated.
    private func recover(
        from error: VarlinkError, isReadOnly: Bool, _ waits: inout FollowWaits
    ) throws {
        let failure = Failure(error, from: waits.path, isReadOnly: isReadOnly)
        switch ControlError(error) {
        case .daemonEnding?:
            client = nil
            try waits.start.pauseBeforeRetry(for: failure)
        case .ownedElsewhere? where followsOwner:
            if !followOwner(error) { try waitForOwner(&waits, failure) }
            waits.beginStarting(within: startTimeout, path: try socketPath())
        default: throw failure
        }
    }

    /// Pauses before a streaming call is repeated, because its connection was lost.
    ///
    /// - Throws: The failure of the call, if it must not be repeated.
    private func recover<Call: MethodCall>(
        from error: ClientError, of call: Call.Type, _ waits: inout FollowWaits
    ) throws {
        client = nil
        guard let host else {
            guard error.isTransient else { throw Failure(error) }
            return try waits.start.pauseBeforeRetry(for: Failure(error))
        }
        let failure = host.failure(error, of: call)
        // The host that ran the application may be lost.
        guard host === ownerHost else { throw failure }
        try waitForOwner(&waits, failure)
        waits.beginStarting(within: startTimeout, path: try socketPath())
    }

    /// Pauses while another host takes over the application, and directs the next call to the specified host. That host
    /// knows the new owner as soon as there is one.
    ///
    /// - Throws: The given failure, if no host has replied to the call yet or the timeout has expired.
    private func waitForOwner(_ waits: inout FollowWaits, _ failure: Failure) throws(Failure) {
        guard waits.owner != nil else { throw failure }
        try waits.owner?.pauseBeforeRetry(
            for: failure, microseconds: Self.ownerRetryDelayMicroseconds)
        switchHost(to: nil)
    }

    /// Directs the next call to the host that runs the application, if an error identifies that host.
    ///
    /// - Returns: Whether the next call is sent to another host.
    func followOwner(_ error: VarlinkError) -> Bool {
        // Two hosts that refer to each other would cause an endless loop.
        guard followsOwner, !hasUnansweredRedirect,
            case .ownedElsewhere(_, let owner?, _)? = ControlError(error)
        else { return false }
        switchHost(to: owner)
        hasUnansweredRedirect = true
        return true
    }

    /// Allows calls to be redirected to the application's owner again, because the owner has replied.
    func ownerDidReply() { hasUnansweredRedirect = false }

    /// Error that ends the stream after the closure has returned `false`.
    private struct StopFollowingError: Error {}

    /// Makes a call once, and ignores failures.
    ///
    /// - Returns: The reply, or `nil` if the daemon refuses the call or does not reply in time.
    func tryCall<Call: MethodCall>(_ call: Call, within replyTimeout: Duration) -> Call.Reply? {
        do {
            let client = try openClient(try socketPath(), within: replyTimeout)
            return try Call.decode(
                client.call(
                    Call.qualifiedMethod, json: try JSONText.write(call), within: replyTimeout))
        } catch is ClientError {
            client = nil  // A late reply would be mistaken for the reply to the next call.
            return nil
        } catch {
            return nil
        }
    }

    private func openClient(_ path: String, within replyTimeout: Duration) throws -> VarlinkClient {
        if let client, !client.isClosed { return client }
        let client = try connect(within: replyTimeout)
        self.client = client
        return client
    }

    private func socketPath() throws -> String {
        try host?.name ?? DaemonSocket.path(named: socket)
    }
}

/// Waits of a streaming call that is repeated after the daemon has restarted or the application has moved.
private struct FollowWaits {
    /// Path of the daemon's socket, or name of its host.
    private(set) var path: String
    /// State of the wait for the daemon.
    var start: StartWait
    /// State of the wait for another host to take over the application, or `nil` if no reply has arrived yet.
    var owner: StartWait?

    init(startWithin timeout: Duration, path: String) {
        self.path = path
        start = StartWait(timeout, path: path)
    }

    /// Prepares to wait for another daemon.
    mutating func beginStarting(within timeout: Duration, path: String) {
        self.path = path
        start = StartWait(timeout, path: path)
    }
}

/// State of a wait for a daemon that is starting, or for a host that takes over an application.
///
/// The wait begins with the first failed attempt.
private struct StartWait {
    /// Maximum duration of the wait.
    var maximumDuration: Duration
    /// Reason for the wait, as the beginning of a sentence.
    private let reason: String
    private var startTime: ContinuousClock.Instant?
    /// Whether an attempt has failed since the wait was created.
    var hasBegun: Bool { startTime != nil }

    init(_ maximumDuration: Duration, path: String) {
        self.maximumDuration = maximumDuration
        reason = "the daemon at \(path) does not respond"
    }

    init(forOwnerWithin maximumDuration: Duration) {
        self.maximumDuration = maximumDuration
        reason = "it is not known which host runs the application"
    }

    /// Pauses before the next attempt, and prints a message before the first pause.
    ///
    /// - Throws: The given failure, if the timeout has expired.
    mutating func pauseBeforeRetry(
        for failure: Failure,
        microseconds delay: useconds_t = DaemonConnection.retryDelayMicroseconds
    ) throws(Failure) {
        if let startTime {
            guard ContinuousClock.now - startTime < maximumDuration else { throw failure }
        } else {
            startTime = .now
            let seconds = Int((maximumDuration / .seconds(1)).rounded(.up))
            Terminal.printError("\(reason); waiting up to \(countPhrase(seconds, "second")).")
        }
        usleep(delay)
    }
}
