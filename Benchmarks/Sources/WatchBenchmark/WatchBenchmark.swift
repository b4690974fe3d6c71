import DaemonClient
import Glibc

/// Measures the time from the rename that puts an earlier archive in the place of the live one to the
/// reply that tells its text, beside a bare reader of inotify that only notices the rename.
@main
struct WatchBenchmark {
    private static let field = "\"path\":\"nav/parent/child1/textField\""

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let rounds = Int(arguments[4]), rounds > 0 else {
            print("usage: WatchBenchmark REPRISED CONFIGURATION-FOLDER SCRATCH-FOLDER ROUNDS")
            exit(2)
        }
        let daemon = try RunningDaemon(
            program: arguments[1], configuration: arguments[2], folder: arguments[3])
        defer { daemon.end() }
        let control = try ControlConnection(path: daemon.control)
        let archive = daemon.savedState + "/data.archive"
        var copies: [[UInt8]] = []
        for text in ["A", "B"] {
            _ = try control.call("Type", "{\(field),\"text\":\"\(text)\"}")
            _ = try control.call("Preserve", "{}")
            copies.append(try bytes(of: archive))
        }
        let reader = try BareReader(folder: daemon.savedState)
        var noticed: [Duration] = []
        var restored: [Duration] = []
        for round in 0...rounds {
            let text = round % 2 == 0 ? "A" : "B"
            let next = daemon.folder + "/next"
            try write(copies[round % 2], to: next)
            reader.clear()
            let start = ContinuousClock.now
            guard rename(next, archive) == 0 else {
                throw SystemError(call: "rename", number: errno)
            }
            var now = start
            var isRestored = false
            while !isRestored {
                daemon.hearOut()
                let reply = try control.call("Get", "{\(field),\"key\":\"text\"}")
                now = .now
                isRestored = reply.contains("\"value\":\"\(text)\"")
            }
            let seen = reader.next()
            // The first one warms up.
            if round == 0 { continue }
            noticed.append(seen - start)
            restored.append(now - start)
            _ = try control.call("Preserve", "{}")
        }
        report("bare reader", noticed)
        report("restored", restored)
        report("above the reader", zip(restored, noticed).map { $0 - $1 })
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(call: "open \(path)", number: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw SystemError(call: "read", number: errno) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemError(call: "write \(path)", number: errno)
        }
        close(descriptor)
    }

    private static func report(_ name: String, _ times: [Duration]) {
        let sorted = times.sorted()
        print(
            "\(name): minimum \(text(sorted[0])), median \(text(sorted[sorted.count / 2])), "
                + "maximum \(text(sorted[sorted.count - 1])) of \(sorted.count)")
    }

    private static func text(_ time: Duration) -> String {
        let hundredths = Int((time / .microseconds(10)).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
