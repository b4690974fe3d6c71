import DaemonClient
import FoundationEssentials
import Glibc

/// A program that tells systemd when it is ready.
struct Program {
    let path: String
    let environment: [String: String]

    /// Starts the program, waits until it is ready, and ends it in an orderly way.
    ///
    /// - Returns: the seconds from its start to READY=1.
    func secondsUntilReady(_ socket: NotifySocket) throws -> Double {
        socket.drain()
        var words = [strdup(path), nil]
        let variables = environment.merging(["NOTIFY_SOCKET": socket.path]) { $1 }
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + settings).forEach { free($0) } }
        var output: posix_spawn_file_actions_t = .init()
        posix_spawn_file_actions_init(&output)
        defer { posix_spawn_file_actions_destroy(&output) }
        posix_spawn_file_actions_addopen(&output, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        let start = ContinuousClock.now
        let result = posix_spawn(&process, path, &output, nil, &words, &settings)
        guard result == 0 else { throw SystemError(call: "starting \(path)", number: result) }
        try socket.waitForReady()
        let duration = ContinuousClock.now - start
        kill(process, SIGTERM)
        var status: CInt = 0
        waitpid(process, &status, 0)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

/// A folder of this run's own.
struct ScratchFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/reprise-start-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", number: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes the folder with everything in it.
    func remove() {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) could not be removed: \(error)")
        }
    }
}
