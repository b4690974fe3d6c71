import FoundationEssentials
import Glibc
import RepriseControl
import Varlink

/// The way to the daemon: finds its socket, waits for a daemon that is just starting, and calls.
struct DaemonConnection {
    /// How long a daemon that is not there is waited for, and an answer, unless the command line says.
    private static let patience = (start: Duration.seconds(5), answer: Duration.seconds(60))

    private let path: String
    private let timeout: Duration?

    /// Finds the daemon's socket. Of the usual places it is the first at which something is, else
    /// the first whose folder is there: a daemon that restarts has taken its socket away.
    ///
    /// - Parameters:
    ///   - option: the socket that the command line states.
    ///   - timeout: how long the daemon, or its answer, is waited for.
    ///   - environment: where else the socket may be named.
    /// - Throws: ``Failure`` naming every place where no socket is.
    init(option: String?, timeout: Duration?, environment: [String: String]) throws {
        self.timeout = timeout
        func variable(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let folders = [variable("XDG_RUNTIME_DIR"), "/run"].compactMap {
            $0.map { "\($0)/reprise" }
        }
        let places = folders.map { "\($0)/control" }
        let named = option ?? variable("REPRISE_SOCKET")
        let present = places.first { access($0, F_OK) == 0 }
        let restarting = folders.first { access($0, F_OK) == 0 }.map { "\($0)/control" }
        guard let path = named ?? present ?? restarting else {
            throw Failure(
                "there is no daemon: no socket at \(places.joined(separator: " or ")); "
                    + "start reprised, or name its socket with --socket or $REPRISE_SOCKET.",
                status: .noDaemon)
        }
        self.path = path
    }

    /// Finds the daemon's socket by what the command line states.
    init(_ options: DaemonOptions) throws {
        try self.init(
            option: options.socket, timeout: options.timeout,
            environment: ProcessInfo.processInfo.environment)
    }

    /// Makes a call and gives the reply's parameters, one JSON object.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - isRepeatable: whether calling twice does the same as calling once, so that the call is
    ///     made again if the daemon restarts before it answers.
    /// - Throws: ``Failure``.
    func call<Call: ControlCall>(_ call: Call, isRepeatable: Bool) throws -> [UInt8] {
        var wait = StartWait(timeout ?? Self.patience.start, path: path)
        while true {
            do {
                let client = try VarlinkClient(path: path, timeout: timeout ?? Self.patience.answer)
                return try client.call(Call.qualifiedMethod, json: try JSONText.encode(call))
            } catch let error as VarlinkError {
                throw Failure(error, from: path, isLooking: Call.isLooking)
            } catch let error as ClientError {
                // It was there a moment ago, and comes again once it has saved everything.
                if case .disconnected = error { wait.patience = timeout ?? Self.patience.answer }
                guard mayPass(error, isRepeatable: isRepeatable) else { throw Failure(error) }
                try wait.pause(for: Failure(error))
            }
        }
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
        var wait = StartWait(timeout ?? Self.patience.start, path: path)
        while true {
            do {
                let client = try VarlinkClient(path: path, timeout: timeout ?? Self.patience.answer)
                let json = try JSONText.encode(call())
                try client.follow(Call.qualifiedMethod, json: json) { reply in
                    wait = StartWait(timeout ?? Self.patience.answer, path: path)
                    if try !body(reply) { throw Enough() }
                }
                return
            } catch is Enough {
                return
            } catch let error as VarlinkError {
                switch ControlError(error) {
                case .eventsGone(let instance, let number)?: missed(instance, number)
                case .daemonEnding?:
                    try wait.pause(for: Failure(error, from: path, isLooking: Call.isLooking))
                default: throw Failure(error, from: path, isLooking: Call.isLooking)
                }
            } catch let error as ClientError {
                guard error.mayPass else { throw Failure(error) }
                try wait.pause(for: Failure(error))
            }
        }
    }

    /// Nothing more is wanted.
    private struct Enough: Error {}

    private func mayPass(_ error: ClientError, isRepeatable: Bool) -> Bool {
        if case .disconnected = error { return isRepeatable }
        return error.mayPass
    }
}

/// Waits for a daemon that is just starting.
private struct StartWait {
    private static let pauseMicroseconds: useconds_t = 20_000

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
        usleep(Self.pauseMicroseconds)
    }
}
