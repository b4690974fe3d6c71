import FoundationEssentials
import Glibc
import RepriseControl
import Varlink

/// The way to the daemon: finds its socket, waits for a daemon that is just starting, and calls.
struct DaemonConnection {
    /// How long a daemon that does not answer is waited for.
    static let patience = Duration.seconds(5)
    private static let pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)

    private let path: String

    /// - Parameters:
    ///   - option: the socket that the command line states.
    ///   - environment: where else the socket may be named.
    /// - Throws: ``Failure`` naming every place where no socket is.
    init(option: String?, environment: [String: String]) throws {
        path = try SocketLocation(option: option, environment: environment).path()
    }

    /// Makes a call and gives the reply's parameters, one JSON object.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - isRepeatable: whether calling twice does the same as calling once, so that the call is
    ///     made again if the daemon restarts before it answers.
    /// - Throws: ``Failure``.
    func call<Call: ControlCall>(_ call: Call, isRepeatable: Bool) throws -> [UInt8] {
        let deadline = ContinuousClock.now + Self.patience
        var hasTold = false
        while true {
            do {
                let client = try VarlinkClient(path: path)
                return try client.call(
                    Call.qualifiedMethod, json: try ControlJSON.encode(call))
            } catch let error as VarlinkError {
                throw Failure(error)
            } catch let error as ClientError {
                guard mayPass(error, isRepeatable: isRepeatable), ContinuousClock.now < deadline
                else { throw Failure(noDaemon: error.description) }
                if !hasTold {
                    Terminal.complain(
                        "the daemon at \(path) does not answer; waiting up to 5 seconds for it.")
                    hasTold = true
                }
                var pause = Self.pause
                nanosleep(&pause, nil)
            }
        }
    }

    private func mayPass(_ error: ClientError, isRepeatable: Bool) -> Bool {
        if case .disconnected = error { return isRepeatable }
        return error.mayPass
    }
}

/// Where the daemon's socket is looked for.
struct SocketLocation {
    private let named: String?
    private let places: [String]

    init(option: String?, environment: [String: String]) {
        named = option ?? environment["REPRISE_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let own = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 }
        places = (own.map { ["\($0)/reprise/control"] } ?? []) + ["/run/reprise/control"]
    }

    /// The socket's path. Of the usual places it is the first at which something is, else the
    /// first whose folder is there: a daemon that restarts has taken its socket away.
    ///
    /// - Throws: ``Failure`` naming every place.
    func path() throws -> String {
        if let named { return named }
        if let present = places.first(where: { access($0, F_OK) == 0 }) { return present }
        let restarting = places.first { place in
            access(String(place[..<(place.lastIndex(of: "/") ?? place.endIndex)]), F_OK) == 0
        }
        if let restarting { return restarting }
        throw Failure(
            noDaemon: "there is no daemon: no socket at \(places.joined(separator: " or ")); "
                + "start reprised, or name its socket with --socket or $REPRISE_SOCKET.")
    }
}

/// JSON as the control interface carries it.
enum ControlJSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
