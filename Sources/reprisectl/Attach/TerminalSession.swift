import Glibc
import SystemPackage

/// Full-screen session on the terminal, in which keys arrive one by one.
///
/// When the process exits, the previous contents of the screen are restored, except after `kill -9`.
enum TerminalSession {
    /// Size of the screen.
    struct Size: Equatable {
        var lines: Int
        var columns: Int

        /// Number of columns of a rendering for this screen, limited to the daemon's maximum.
        var drawnColumns: Int { min(columns, 4096) }
    }

    /// Sequence that selects the alternate screen, disables line wrapping, enables mouse reports and bracketed paste,
    /// and hides the cursor.
    private static let begin =
        "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[?25l"
    private static let end: StaticString =
        "\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[0m\u{1B}[?1049l"

    // A signal handler accesses these variables.
    nonisolated(unsafe) private static var saved = termios()
    nonisolated(unsafe) private static var isRaw = false
    nonisolated(unsafe) private static var wakeDescriptor: CInt = -1
    nonisolated(unsafe) private static var endingSignal: CInt = 0
    nonisolated(unsafe) private static var isStopRequested = false
    nonisolated(unsafe) private static var isContinued = false

    /// Whether the process has received a terminating signal.
    static var isEndRequested: Bool { endingSignal != 0 }

    /// Starts the session.
    ///
    /// - Parameter wake: Descriptor that is written to when the size changes or the process receives a signal.
    /// - Throws: ``Failure`` if there is no terminal.
    static func start(waking wake: FileDescriptor) throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
            throw Failure(
                "attach needs a terminal as input and output; `reprisectl show` draws the scene "
                    + "anywhere.", status: .usage)
        }
        guard let name = getenv("TERM"), !["", "dumb"].contains(String(cString: name)) else {
            throw Failure(
                "attach needs a terminal that can position the cursor, which $TERM says this one cannot; "
                    + "`reprisectl show` draws the scene anywhere.", status: .usage)
        }
        wakeDescriptor = wake.rawValue
        let ending = [
            SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU,
        ]
        for number in ending + [SIGWINCH, SIGCONT, SIGTSTP] { handle(number) }
        // A crashing thread may have used up its own stack.
        let bytes = 1 << 16
        var stack = stack_t(
            ss_sp: UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16), ss_flags: 0,
            ss_size: bytes)
        sigaltstack(&stack, nil)
        var action = sigaction()
        action.sa_flags = SA_ONSTACK
        action.__sigaction_handler.sa_handler = { number in
            TerminalSession.leave()
            signal(number, SIG_DFL)
            raise(number)
        }
        for number in [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE] {
            sigaction(number, &action, nil)
        }
        atexit { TerminalSession.leave() }
        try enter()
    }

    /// Installs a handler that records a signal and wakes the main loop.
    private static func handle(_ number: CInt) {
        signal(number) { number in
            switch number {
            case SIGWINCH: break
            case SIGCONT: TerminalSession.isContinued = true
            case SIGTSTP: TerminalSession.isStopRequested = true
            default: TerminalSession.endingSignal = number
            }
            // The interrupted code may read errno.
            let before = errno
            var byte: UInt8 = 0
            _ = Glibc.write(TerminalSession.wakeDescriptor, &byte, 1)
            errno = before
        }
    }

    /// Enters full-screen mode, at the beginning of the session and after the process was stopped.
    private static func enter() throws {
        // If the terminal was not restored, its original settings are already known.
        guard isRaw || tcgetattr(STDIN_FILENO, &saved) == 0 else {
            throw Failure("the terminal cannot be used: \(Errno(rawValue: errno)).")
        }
        var raw = saved
        cfmakeraw(&raw)
        isRaw = true
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        write(begin)
    }

    /// Restores the screen. A signal handler may call this method.
    static func leave() {
        guard isRaw else { return }
        isRaw = false
        _ = Glibc.write(STDOUT_FILENO, end.utf8Start, end.utf8CodeUnitCount)
        var before = saved
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    /// Stops the process if it received a stop signal, and enters the full-screen mode again when the process
    /// continues.
    ///
    /// - Returns: Whether the process was stopped. The contents of the screen are then unknown.
    static func wasStopped() throws -> Bool {
        if isStopRequested {
            isStopRequested = false
            stop(getpid())
        }
        guard isContinued else { return false }
        isContinued = false
        try enter()
        return true
    }

    /// Stops this process and the other processes of its group, as Ctrl-Z does at a terminal.
    static func suspend() { stop(0) }

    /// Stops a process or process group, and returns when this process continues.
    ///
    /// - Parameter process: Process or process group, as in kill(2).
    private static func stop(_ process: pid_t) {
        leave()
        signal(SIGTSTP, SIG_DFL)
        kill(process, SIGTSTP)
        handle(SIGTSTP)
        // If no shell would continue this process, the kernel does not stop it and sends no SIGCONT.
        isContinued = true
    }

    /// Terminates the process with the signal that it received, if any.
    static func endIfRequested() {
        guard isEndRequested else { return }
        leave()
        signal(endingSignal, SIG_DFL)
        raise(endingSignal)
    }

    static var size: Size {
        // The size stays 0 if the output is not a terminal.
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
        else { return Size(lines: 24, columns: 80) }
        return Size(lines: Int(size.ws_row), columns: Int(size.ws_col))
    }

    static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest.removeFirst(count)
            } else if errno == EAGAIN {
                var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&descriptor, 1, 1000)
            } else if errno != EINTR {
                return endingSignal = SIGHUP  // The terminal has closed.
            }
        }
    }
}
