import FoundationEssentials
import Glibc
import RepriseControl
import Varlink

/// The way to the daemon: finds its socket, waits for a daemon that is just starting, and calls. One
/// connection serves all calls, and another once it is over.
final class DaemonConnection {
    /// How long a daemon that is not there is waited for, and an answer, unless the command line says.
    static let patience = (start: Duration.seconds(5), answer: Duration.seconds(60))
    /// How long it is waited before another try.
    static let pauseMicroseconds: useconds_t = 20_000

    private let socket: String?
    private var host: RemoteHost?
    private let timeout: Duration?
    /// Whether a daemon is asked on another host if that runs the application.
    private var followsOwner: Bool
    private var client: VarlinkClient?

    /// - Parameters:
    ///   - socket: The socket that the command line states; nil: the usual places are looked at.
    ///   - host: The host that the daemon is on, as `ssh` takes it; nil: this one.
    ///   - timeout: How long the daemon, or its answer, is waited for; nil: as long as is usual.
    ///   - followsOwner: Whether the daemon of another host is asked if that runs the application.
    init(
        socket: String?, host: String? = nil, timeout: Duration? = nil, followsOwner: Bool = false
    ) {
        self.followsOwner = followsOwner
        self.socket = socket
        self.host = host.map { RemoteHost(name: $0, socket: socket, timeout: timeout) }
        self.timeout = timeout
    }

    /// Makes a call and gives the reply's parameters, one JSON object.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - isRepeatable: whether calling twice does the same as calling once, so that the call is
    ///     made again if the daemon restarts before it answers.
    ///   - usualTimeout: Timeout for a daemon that is not there, and for its reply, if the command line states none;
    ///     or `nil` for the usual timeouts.
    /// - Throws: ``Failure``.
    func call<Call: ControlCall>(
        _ call: Call, isRepeatable: Bool, usualTimeout: Duration? = nil
    ) throws -> [UInt8] {
        let path = try path()
        let timeout = timeout ?? usualTimeout
        let limit = timeout ?? Self.patience.answer
        var wait: StartWait?
        // Whether a call was sent whose reply never came.
        var isCutOff = false
        while true {
            do {
                return try connected(path, within: limit).call(
                    Call.qualifiedMethod, json: try JSONText.encode(call), within: limit)
            } catch let error as VarlinkError {
                guard followsOwner, case .ownedElsewhere(_, let owner?)? = ControlError(error)
                else {
                    throw Failure(error, from: path, isLooking: Call.isLooking)
                }
                // Once: two hosts that name each other would be asked for ever.
                followsOwner = false
                client = nil
                host = RemoteHost(name: owner, socket: socket, timeout: timeout)
            } catch let error as ClientError {
                client = nil
                if let host { throw host.failure(error, of: Call.self) }
                var wasThere = isCutOff
                switch error {
                case .disconnected: (isCutOff, wasThere) = (true, true)
                case .notTaken: wasThere = true
                default: break
                }
                let failure =
                    isCutOff && !Call.isLooking
                    ? Failure(unanswered: Call.method, because: "the daemon at \(path) went away")
                    : Failure(error)
                guard error.mayPass, isRepeatable || !isCutOff else { throw failure }
                var waiting = wait ?? StartWait(timeout ?? Self.patience.start, path: path)
                // It was there a moment ago, and comes again once it has saved everything.
                if wasThere { waiting.patience = limit }
                try waiting.pause(for: failure)
                wait = waiting
            }
        }
    }

    /// Whether the daemon is on another host.
    var isRemote: Bool { host != nil }

    /// Ends the connection; the next call makes another one.
    func disconnect() { client = nil }

    /// Another connection, for who waits by itself for a daemon that is not there.
    func connect() throws -> VarlinkClient {
        let limit = timeout ?? Self.patience.answer
        return try host?.connect(within: limit)
            ?? VarlinkClient(path: try path(), timeout: limit)
    }

    /// Makes a call that has several replies, and hands over each one. It is made again when the
    /// daemon has restarted.
    ///
    /// - Parameters:
    ///   - call: the call, as it is to be made now.
    ///   - body: takes a reply's parameters, one JSON object; false ends it.
    ///   - missed: the events after the last one are not known any more: those that follow the number
    ///     are.
    /// - Throws: ``Failure``.
    func follow<Call: ControlCall>(
        _ call: () -> Call, body: ([UInt8]) throws -> Bool,
        missed: (_ instance: String, _ number: Int) -> Void = { _, _ in }
    ) throws {
        let path = try path()
        let limit = timeout ?? Self.patience.answer
        var patience = timeout ?? Self.patience.start
        // Since when it does not answer.
        var wait: StartWait?
        func pause(for failure: Failure) throws {
            var waiting = wait ?? StartWait(patience, path: path)
            try waiting.pause(for: failure)
            wait = waiting
        }
        while true {
            do {
                let json = try JSONText.encode(call())
                try connected(path, within: limit).follow(
                    Call.qualifiedMethod, json: json, within: limit
                ) { reply in
                    wait = nil
                    patience = limit
                    if try !body(reply) { throw Enough() }
                }
                return
            } catch is Enough {
                client = nil
                return
            } catch let error as VarlinkError {
                switch ControlError(error) {
                case .eventsGone(let instance, let number)?: missed(instance, number)
                case .daemonEnding?:
                    client = nil
                    try pause(for: Failure(error, from: path, isLooking: Call.isLooking))
                default: throw Failure(error, from: path, isLooking: Call.isLooking)
                }
            } catch let error as ClientError {
                client = nil
                if let host { throw host.failure(error, of: Call.self) }
                guard error.mayPass else { throw Failure(error) }
                try pause(for: Failure(error))
            }
        }
    }

    /// Nothing more is wanted.
    private struct Enough: Error {}

    /// Asks on the side, once; nil if there is no answer in time, or a refusal.
    func ask<Call: ControlCall>(_ call: Call, within limit: Duration) -> Call.Reply? {
        do {
            let client = try connected(try path(), within: limit)
            return try Call.decode(
                client.call(
                    Call.qualifiedMethod, json: try JSONText.encode(call), within: limit))
        } catch is ClientError {
            client = nil  // A reply that comes yet would be taken for another's.
            return nil
        } catch {
            return nil
        }
    }

    private func connected(_ path: String, within limit: Duration) throws -> VarlinkClient {
        if let client, !client.isOver { return client }
        let client = try host?.connect(within: limit) ?? VarlinkClient(path: path, timeout: limit)
        self.client = client
        return client
    }

    private func path() throws -> String {
        try host?.name ?? DaemonSocket.path(named: socket)
    }
}

/// Waits for a daemon that is just starting, from the first time that it does not answer.
private struct StartWait {
    /// How long at most.
    var patience: Duration
    private let path: String
    private let start = ContinuousClock.now
    private var hasTold = false

    init(_ patience: Duration, path: String) {
        self.patience = patience
        self.path = path
    }

    /// Waits a moment, and says so the first time.
    ///
    /// - Throws: the failure, once the time is over.
    mutating func pause(for failure: Failure) throws(Failure) {
        guard ContinuousClock.now - start < patience else { throw failure }
        if !hasTold {
            let seconds = Int((patience / .seconds(1)).rounded(.up))
            Terminal.complain(
                "the daemon at \(path) does not answer; waiting up to "
                    + "\(count(seconds, "second")) for it.")
            hasTold = true
        }
        usleep(DaemonConnection.pauseMicroseconds)
    }
}
