import Dispatch
import FoundationEssentials
import Glibc
import RepriseControl
import Synchronization
import SystemPackage
import TestSupport
import Varlink

/// Reply that a daemon sends to a call of the program.
enum Answer: Sendable {
    case reply(any JSONWritable & Sendable)
    /// Several replies to one call.
    case replies([any JSONWritable & Sendable], then: ControlError? = nil)
    case error(ControlError)
    /// A literal message.
    case message(String)
    /// Closes the connection without a reply.
    case closes
    /// No reply. The connection stays open.
    case silence
    /// Answers to successive calls. The last answer is repeated.
    case sequence([Answer])

    /// Returns the messages of the answer, or `nil` for no reply. A closed connection has no message.
    func messages() throws -> [String]? {
        switch self {
        case .reply(let reply): return [try StubDaemon.message(reply)]
        case .message(let message): return [message]
        case .closes, .sequence: return []
        case .silence: return nil
        case .error(let error):
            let error = error.varlinkError
            let parameters = String(decoding: error.parameters, as: UTF8.self)
            return [#"{"error":"\#(error.name)","parameters":\#(parameters)}"#]
        case .replies(let replies, let error):
            let last = try error.flatMap { try Answer.error($0).messages() } ?? []
            return try replies.enumerated().map { number, reply in
                let isLast = last.isEmpty && number == replies.count - 1
                return #"{"parameters":\#(try StubDaemon.text(reply)),"continues":\#(!isLast)}"#
            } + last
        }
    }

    /// Returns the messages of the answers to successive calls.
    func queue() throws -> [[String]?] {
        if case .sequence(let answers) = self {
            try answers.map { try $0.messages() }
        } else {
            [try messages()]
        }
    }
}

/// Run of the built `reprisectl` with a daemon whose replies the test defines.
struct ProgramRun: Sendable {
    /// Exit status. After a signal, it is 128 plus the signal number.
    let status: Int32
    let output: String
    let errors: String
    /// Calls that the daemon received, such as `Tap {"path":"button"}`.
    let calls: [String]

    /// Daemon that serves each connection on a separate thread.
    private final class Daemon: Sendable {
        private struct Script {
            var answers: [String: [[String]?]]
            var calls: [String] = []
        }

        let socket: StubDaemon
        private let script: Mutex<Script>
        private let servingGroup = DispatchGroup()

        init(_ answers: [String: Answer]) throws {
            socket = try StubDaemon()
            script = Mutex(Script(answers: try answers.mapValues { try $0.queue() }))
            DispatchQueue(label: "own thread").async(group: servingGroup) { [self] in
                while case let connection = socket.acceptConnection(), connection >= 0 {
                    DispatchQueue(label: "own thread").async(group: servingGroup) { [self] in
                        serve(connection)
                    }
                }
            }
        }

        /// Stops the daemon after its clients have exited, and returns the calls.
        func stop() -> [String] {
            shutdown(socket.listener, CInt(SHUT_RDWR))
            servingGroup.wait()
            return script.withLock(\.calls)
        }

        private func serve(_ connection: CInt) {
            while let call = socket.call(on: connection) {
                guard let messages = answer(call) else { continue }
                if messages.isEmpty { break }
                socket.send(messages.joined(separator: "\0"), on: connection)
            }
            close(connection)
        }

        private func answer(_ call: String) -> [String]? {
            let (method, parameters) = StubDaemon.parts(of: call)
            return script.withLock { script in
                script.calls.append("\(method) \(parameters)")
                guard var queue = script.answers[method] else { return [#"{"parameters":{}}"#] }
                let messages = queue.count > 1 ? queue.removeFirst() : queue[0]
                script.answers[method] = queue
                return messages
            }
        }
    }

    /// Limit for the number of programs that run at the same time. Each program occupies threads of this process, and
    /// the number of threads is limited.
    private final class Gate: Sendable {
        static let shared = Gate()

        private struct State {
            var free = 6
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        func enter() async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.free == 0 { state.waiting.append(continuation) }
                    defer { state.free = max(0, state.free - 1) }
                    return state.free > 0
                }
                if isFree { continuation.resume() }
            }
        }

        func leave() {
            let next = state.withLock { state in
                if state.waiting.isEmpty { state.free += 1 }
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            next?.resume()
        }
    }

    /// Runs the program until it exits. After five minutes, the program is killed.
    ///
    /// - Parameters:
    ///   - words: The arguments of the program.
    ///   - answers: The replies from the daemon, keyed by method name. The default is an empty reply.
    ///   - input: Standard input of the program.
    ///   - environment: Environment variables of the program, in addition to the path of the socket.
    ///   - prefix: Another program that starts the program, with its arguments.
    ///   - isAtTerminal: Whether the output of the program is a terminal.
    ///   - terminalSize: Size of the terminal.
    init(
        _ words: [String], answers: [String: Answer] = [:], input: String = "",
        environment: [String: String] = [:], startedBy prefix: [String] = [],
        isAtTerminal: Bool = false, terminalSize: (lines: Int, columns: Int) = (24, 80)
    ) async throws {
        await Gate.shared.enter()
        defer { Gate.shared.leave() }
        let daemon = try Daemon(answers)
        let scratch = daemon.socket.scratch
        try scratch.write("input", input)
        let variables = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "REPRISE_SOCKET": daemon.socket.path,
        ].merging(environment) { $1 }
        let command =
            ["timeout", "--foreground", "--signal=KILL", "300"] + prefix + [try Self.program()]
            + words
        self = try await runOnOwnThread {
            let (status, output) = try Self.run(
                command, variables.map { "\($0)=\($1)" }, in: scratch,
                terminalSize: isAtTerminal ? terminalSize : nil)
            return ProgramRun(
                status: status, output: output, errors: try Self.text(scratch.file("errors")),
                calls: daemon.stop())
        }
    }

    /// Runs the program with arguments that are separated by spaces.
    init(
        _ words: String, answers: [String: Answer] = [:], input: String = "",
        environment: [String: String] = [:], isAtTerminal: Bool = false,
        terminalSize: (lines: Int, columns: Int) = (24, 80)
    ) async throws {
        try await self.init(
            words.split(separator: " ").map(String.init), answers: answers, input: input,
            environment: environment, isAtTerminal: isAtTerminal, terminalSize: terminalSize)
    }

    private init(status: Int32, output: String, errors: String, calls: [String]) {
        (self.status, self.output, self.errors, self.calls) = (status, output, errors, calls)
    }

    /// Returns the path of the program in `$REPRISE_PROGRAMS` or in the directory of these tests.
    static func program() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let directory =
            ProcessInfo.processInfo.environment["REPRISE_PROGRAMS"]
            ?? FilePath(tests).removingLastComponent().string
        return "\(directory)/reprisectl"
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    private static func run(
        _ command: [String], _ environment: [String], in scratch: ScratchDirectory,
        terminalSize: (lines: Int, columns: Int)?
    ) throws -> (status: Int32, output: String) {
        let output = scratch.file("output")
        let terminal = try terminalSize.map { size in
            try PseudoTerminal(lines: size.lines, columns: size.columns)
        }
        let target = terminal?.path ?? output
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, scratch.file("input"), O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &actions, 1, target, O_WRONLY | O_CREAT | O_NOCTTY, 0o600)
        posix_spawn_file_actions_addopen(
            &actions, 2, scratch.file("errors"), O_WRONLY | O_CREAT, 0o600)
        let words = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let code = StubDaemon.inheritance.withLock { _ in
            posix_spawnp(&process, command[0], &actions, nil, words, variables)
        }
        guard code == 0 else { throw Errno(rawValue: code) }
        var shown = ""
        if let terminal { shown = terminal.read() }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return (
            signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
            terminal == nil ? try text(output) : shown
        )
    }
}
