import CLinux
import Glibc
import SystemPackage

/// A program that runs beside this one.
struct ChildProcess {
    private let identifier: pid_t

    /// Starts a program, which has this one's environment and standard error.
    ///
    /// - Parameters:
    ///   - words: Its name, looked for in $PATH, and its arguments.
    ///   - input: What becomes its standard input.
    ///   - output: What becomes its standard output; nil: this program's.
    init(_ words: [String], input: CInt, output: CInt? = nil) throws(Errno) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        // This program ignores the signal; one that does not would go on writing.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let arguments = words.map { strdup($0) } + [nil]
        var identifier: pid_t = 0
        let code = words[0].withCString {
            posix_spawnp(&identifier, $0, &actions, &attributes, arguments, linux_environment())
        }
        for text in arguments { free(text) }
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
        guard code == 0 else { throw Errno(rawValue: code) }
        self.identifier = identifier
    }

    /// Waits for its end; to be done once.
    ///
    /// - Returns: its exit status; for a signal 128 and its number, as a shell has it.
    func wait() -> Int32 {
        while true {
            if let status = ended(options: 0) { return status }
        }
    }

    /// Waits for its end as ``wait()`` does, and makes one, gently and then by force, if it does not
    /// come in time.
    func end(within limit: Duration) -> Int32 {
        for (limit, signal) in [(limit, SIGTERM), (Self.graceTime, SIGKILL)] {
            let deadline = ContinuousClock.now + limit
            repeat {
                if let status = ended(options: WNOHANG) { return status }
                usleep(Self.pauseMicroseconds)
            } while ContinuousClock.now < deadline
            kill(identifier, signal)
        }
        return wait()
    }

    /// Ends it; to be done once, in the place of waiting.
    func terminate() {
        kill(identifier, SIGTERM)
        _ = end(within: Self.graceTime)
    }

    /// How long it may take to end once it was asked to.
    private static let graceTime = Duration.seconds(1)
    private static let pauseMicroseconds: useconds_t = 5_000

    /// - Returns: nil if it has not ended.
    private func ended(options: CInt) -> Int32? {
        var status: Int32 = 0
        guard waitpid(identifier, &status, options) == identifier else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
