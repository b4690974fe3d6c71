import DaemonClient
import Glibc

/// Measures control calls: `GetInfo`, which the connection answers by itself, beside `Type`, which
/// changes an application and is answered when that is written; and how many of them 50 connections
/// get answered in a second, beside `SET` of a `redis-server` whose file is synced every second.
@main
struct ControlBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let rounds = Int(arguments[4]), rounds > 0 else {
            print("usage: ControlBenchmark REPRISED CONFIGURATION-FOLDER SCRATCH-FOLDER ROUNDS")
            exit(2)
        }
        let daemon = try RunningDaemon(
            program: arguments[1], configuration: arguments[2], folder: arguments[3])
        defer { daemon.end() }
        let redis = RedisServer(folder: arguments[3])
        defer { redis?.end() }
        try measureOneConnection(daemon, rounds)
        try measureManyConnections(daemon, redis)
    }

    /// Calls by turns, so that whatever else the machine does disturbs both.
    private static func measureOneConnection(_ daemon: RunningDaemon, _ rounds: Int) throws {
        var connection = try LoadConnection(path: daemon.control)
        var info: [Duration] = []
        var type: [Duration] = []
        let warmUp = rounds / 10
        for round in -warmUp..<rounds {
            let first = try connection.time(Request.getInfo)
            let second = try connection.time(Request.type(round))
            guard round >= 0 else { continue }
            info.append(first)
            type.append(second)
        }
        print("1 connection, µs a call, median and 99 of 100, of \(rounds) each by turns:")
        report("GetInfo", info)
        report("Type", type)
        let ratio = median(type) / median(info)
        print("  Type to GetInfo: \(tenths(ratio * 10)) tenths")
    }

    private static func measureManyConnections(
        _ daemon: RunningDaemon, _ redis: RedisServer?
    ) throws {
        let seconds = 5
        print("50 connections, calls answered in a second, median of \(seconds) seconds by turns:")
        let calls = try LoadGroup(path: daemon.control, connections: 50)
        let peer = try redis.map { try LoadGroup(path: $0.socket, connections: 50) }
        var rates: [String: [Double]] = [:]
        for _ in 0..<seconds {
            rates["GetInfo", default: []].append(
                try calls.rate(for: .seconds(1)) { _ in Request.getInfo })
            rates["Type", default: []].append(try calls.rate(for: .seconds(1), Request.type))
            guard let peer else { continue }
            rates["Redis SET", default: []].append(
                try peer.rate(for: .seconds(1), Request.set))
        }
        for (name, values) in rates.sorted(by: { $0.key < $1.key }) {
            print("  \(name): \(Int(median(values)))")
        }
        if redis == nil { print("  (without its peer: apt-get install redis-server)") }
    }

    private static func report(_ name: String, _ times: [Duration]) {
        let sorted = times.sorted()
        let late = sorted[sorted.count * 99 / 100] / .microseconds(1)
        print("  \(name): \(tenths(median(times) / .microseconds(1))), \(tenths(late))")
    }

    private static func median<Value: Comparable>(_ values: [Value]) -> Value {
        values.sorted()[values.count / 2]
    }

    private static func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}

/// What is asked, as bytes.
enum Request {
    static let getInfo = Array(
        "{\"method\":\"org.varlink.service.GetInfo\",\"parameters\":{}}\0".utf8)

    /// Types another text each time.
    static func type(_ number: Int) -> [UInt8] {
        Array(
            """
            {"method":"org.reprise.Control.Type","parameters":\
            {"path":"nav/parent/child1/textField","text":"text \(10_000_000 + number)"}}\0
            """.utf8)
    }

    /// Sets a value of as many bytes.
    static func set(_ number: Int) -> [UInt8] {
        Array("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$13\r\ntext \(10_000_000 + number)\r\n".utf8)
    }
}
