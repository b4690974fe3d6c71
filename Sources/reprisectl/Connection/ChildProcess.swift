import CLinux
import Glibc
import SystemPackage

/// Child process of this program.
struct ChildProcess {
    private let processID: pid_t

    /// Starts a program, which inherits the environment and standard error of this process.
    ///
    /// - Parameters:
    ///   - words: The name of the program, which is looked up in $PATH, and its arguments.
    ///   - input: Descriptor that becomes the program's standard input.
    ///   - output: Descriptor that becomes the program's standard output, or `nil` to use the standard output of this
    ///     process.
    init(_ words: [String], input: CInt, output: CInt? = nil) throws(Errno) {
        var fileActions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&fileActions)
        posix_spawn_file_actions_adddup2(&fileActions, input, STDIN_FILENO)
        if let output { posix_spawn_file_actions_adddup2(&fileActions, output, STDOUT_FILENO) }
        // This process ignores SIGPIPE. A child that inherited this setting would continue to write after its reader
        // has exited.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var signalSet = sigset_t()
        sigemptyset(&signalSet)
        sigaddset(&signalSet, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signalSet)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let arguments = words.map { strdup($0) } + [nil]
        var processID: pid_t = 0
        let errorNumber = words[0].withCString {
            posix_spawnp(&processID, $0, &fileActions, &attributes, arguments, linux_environment())
        }
        for text in arguments { free(text) }
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&fileActions)
        guard errorNumber == 0 else { throw Errno(rawValue: errorNumber) }
        self.processID = processID
    }

    /// Waits for the process to exit. Call this method only once.
    ///
    /// - Returns: Exit status of the process, or 128 plus the signal number if a signal terminated the process, as in a
    ///   shell.
    func wait() -> Int32 {
        while true {
            if let status = exitStatus(options: 0) { return status }
        }
    }

    /// Waits for the process to exit, as ``wait()`` does. After the timeout, sends SIGTERM to the process and, after a
    /// grace period, SIGKILL.
    func waitOrTerminate(within timeout: Duration) -> Int32 {
        for (timeout, signal) in [(timeout, SIGTERM), (Self.gracePeriod, SIGKILL)] {
            let deadline = ContinuousClock.now + timeout
            repeat {
                if let status = exitStatus(options: WNOHANG) { return status }
                usleep(Self.pollIntervalMicroseconds)
            } while ContinuousClock.now < deadline
            kill(processID, signal)
        }
        return wait()
    }

    /// Terminates the process. Call this method at most once, and do not call ``wait()`` as well.
    func terminate() {
        kill(processID, SIGTERM)
        _ = waitOrTerminate(within: Self.gracePeriod)
    }

    /// Time that the process has to exit after SIGTERM.
    private static let gracePeriod = Duration.seconds(1)
    private static let pollIntervalMicroseconds: useconds_t = 5_000

    /// Returns the exit status, or `nil` if the process has not exited.
    private func exitStatus(options: CInt) -> Int32? {
        var status: Int32 = 0
        guard waitpid(processID, &status, options) == processID else { return nil }
        let signalNumber = status & 0x7F
        return signalNumber == 0 ? (status >> 8) & 0xFF : 128 + signalNumber
    }
}
