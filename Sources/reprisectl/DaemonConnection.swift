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
    private let host: RemoteHost?
    private let timeout: Duration?
    private var client: VarlinkClient?

    /// - Parameters:
    ///   - socket: The socket that the command line states; nil: the usual places are looked at.
    ///   - host: The host that the daemon is on, as `ssh` takes it; nil: this one.
    ///   - timeout: How long the daemon, or its answer, is waited for; nil: as long as is usual.
    init(socket: String?, host: String? = nil, timeout: Duration? = nil) {
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
    /// - Throws: ``Failure``.
    func call<Call: ControlCall>(_ call: Call, isRepeatable: Bool) throws -> [UInt8] {
        let start = ContinuousClock.now
        var patience = timeout ?? Self.patience.start
        var hasTold = false
        let path = try path()
        while true {
            do {
                let limit = timeout ?? Self.patience.answer
                return try connected(path, within: limit).call(
                    Call.qualifiedMethod, json: try JSONText.encode(call), within: limit)
            } catch let error as VarlinkError {
                throw Failure(error, from: path)
            } catch let error as ClientError {
                client = nil
                if let host { throw host.failure(error) }
                // It was there a moment ago, and comes again once it has saved everything.
                if case .disconnected = error { patience = timeout ?? Self.patience.answer }
                guard mayPass(error, isRepeatable: isRepeatable),
                    ContinuousClock.now - start < patience
                else { throw Failure(error) }
                if !hasTold {
                    let seconds = Int((patience / .seconds(1)).rounded(.up))
                    Terminal.complain(
                        "the daemon at \(path) does not answer; waiting up to "
                            + "\(count(seconds, "second")) for it.")
                    hasTold = true
                }
                usleep(Self.pauseMicroseconds)
            }
        }
    }

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

    private func mayPass(_ error: ClientError, isRepeatable: Bool) -> Bool {
        if case .disconnected = error { return isRepeatable }
        return error.mayPass
    }
}
