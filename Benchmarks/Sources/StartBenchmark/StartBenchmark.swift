import DaemonClient
import Glibc

/// Measures the time from the start of a process to its READY=1, of `reprised` with a saved
/// ChildViews and of a C program that only sends READY=1, by turns in one run.
@main
struct StartBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let rounds = Int(arguments.last ?? ""), rounds > 0 else {
            print("usage: StartBenchmark READY-PEER REPRISED CONFIGURATION-FOLDER ROUNDS")
            exit(2)
        }
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let socket = try NotifySocket(path: folder.path + "/notify")
        let peer = Program(path: arguments[1], environment: [:])
        // As systemd starts it: without options, all places in the environment.
        let daemon = Program(
            path: arguments[2],
            environment: [
                "CONFIGURATION_DIRECTORY": arguments[3], "STATE_DIRECTORY": folder.path + "/state",
                "RUNTIME_DIRECTORY": folder.path,
            ])
        // The first start has nothing saved; it also warms the caches.
        _ = try daemon.secondsUntilReady(socket)
        _ = try peer.secondsUntilReady(socket)
        var peerTimes: [Double] = []
        var daemonTimes: [Double] = []
        for _ in 0..<rounds {
            peerTimes.append(try peer.secondsUntilReady(socket))
            daemonTimes.append(try daemon.secondsUntilReady(socket))
        }
        report("C program", peerTimes)
        report("reprised", daemonTimes)
        let differences = zip(daemonTimes, peerTimes).map { $0 - $1 }
        report("above the C program", differences)
    }

    private static func report(_ name: String, _ times: [Double]) {
        let sorted = times.sorted()
        func milliseconds(_ seconds: Double) -> String {
            let hundredths = Int((seconds * 100_000).rounded())
            let rest = hundredths % 100
            return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
        }
        print(
            "\(name): minimum \(milliseconds(sorted[0])), "
                + "median \(milliseconds(sorted[sorted.count / 2])), "
                + "maximum \(milliseconds(sorted[sorted.count - 1])) of \(sorted.count)")
    }
}
