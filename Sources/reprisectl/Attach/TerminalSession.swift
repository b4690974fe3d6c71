import Glibc
import SystemPackage

/// The terminal while a client has all of its screen: keys come one by one, and what was on the screen is
/// there again afterwards, however the process ends, but for `kill -9`.
enum TerminalSession {
    /// The size of the screen.
    struct Size: Equatable {
        var lines: Int
        var columns: Int

        /// The columns of a drawing for it, as many as the daemon draws.
        var drawnColumns: Int { min(columns, 4096) }
    }

    /// The other screen, no line breaks of the terminal's own, the mouse, pastes as a whole, no cursor.
    private static let begin =
        "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[?25l"
    private static let end: StaticString =
        "\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[0m\u{1B}[?1049l"

    // A signal handler reads them.
    nonisolated(unsafe) private static var saved = termios()
    nonisolated(unsafe) private static var isRaw = false
    nonisolated(unsafe) private static var wakeDescriptor: CInt = -1
    nonisolated(unsafe) private static var endingSignal: CInt = 0
    nonisolated(unsafe) private static var isToldToStop = false
    nonisolated(unsafe) private static var isContinued = false

    /// Whether the process was told to end.
    static var isToldToEnd: Bool { endingSignal != 0 }

    /// - Parameter wake: is written to when the size changes, or the process is told to end.
    /// - Throws: ``Failure`` if there is no terminal.
    static func start(waking wake: FileDescriptor) throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
            throw Failure(
                "attach needs a terminal as input and output; `reprisectl show` draws the scene "
                    + "anywhere.", status: .usage)
        }
        guard let name = getenv("TERM"), !["", "dumb"].contains(String(cString: name)) else {
            throw Failure(
                "attach needs a terminal that can place its cursor, and $TERM says that this one cannot; "
                    + "`reprisectl show` draws the scene anywhere.", status: .usage)
        }
        wakeDescriptor = wake.rawValue
        let ending = [
            SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU,
        ]
        for number in ending + [SIGWINCH, SIGCONT, SIGTSTP] { take(number) }
        // The stack of a thread that dies may be what is used up.
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

    /// Has a signal note what it tells, and wake the loop.
    private static func take(_ number: CInt) {
        signal(number) { number in
            switch number {
            case SIGWINCH: break
            case SIGCONT: TerminalSession.isContinued = true
            case SIGTSTP: TerminalSession.isToldToStop = true
            default: TerminalSession.endingSignal = number
            }
            // What was interrupted may look at it.
            let before = errno
            var byte: UInt8 = 0
            _ = Glibc.write(TerminalSession.wakeDescriptor, &byte, 1)
            errno = before
        }
    }

    /// Takes the screen, at the start and after the process was stopped.
    private static func enter() throws {
        // What the terminal was like is known if it was not given back.
        guard isRaw || tcgetattr(STDIN_FILENO, &saved) == 0 else {
            throw Failure("the terminal cannot be used: \(Errno(rawValue: errno)).")
        }
        var raw = saved
        cfmakeraw(&raw)
        isRaw = true
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        write(begin)
    }

    /// Gives the screen back. May be called by a signal handler.
    static func leave() {
        guard isRaw else { return }
        isRaw = false
        _ = Glibc.write(STDOUT_FILENO, end.utf8Start, end.utf8CodeUnitCount)
        var before = saved
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    /// Lets the shell go on if the process was told to stop, and takes the screen again once it goes on itself.
    ///
    /// - Returns: whether it was stopped, so that nothing is known of what stands on the screen.
    static func wasStopped() throws -> Bool {
        if isToldToStop {
            isToldToStop = false
            stop(getpid())
        }
        guard isContinued else { return false }
        isContinued = false
        try enter()
        return true
    }

    /// Stops this process and those that a shell started with it, as the terminal does it by Ctrl-Z.
    static func suspend() { stop(0) }

    /// - Parameter process: as kill(2) takes it; returns when this one goes on.
    private static func stop(_ process: pid_t) {
        leave()
        signal(SIGTSTP, SIG_DFL)
        kill(process, SIGTSTP)
        take(SIGTSTP)
        // A process that no shell would let go on is not stopped, and not told that it goes on.
        isContinued = true
    }

    /// Ends the process as the signal would that it was told to end by.
    static func endAsTold() {
        guard isToldToEnd else { return }
        leave()
        signal(endingSignal, SIG_DFL)
        raise(endingSignal)
    }

    static var size: Size {
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
                return endingSignal = SIGHUP  // The terminal is gone.
            }
        }
    }
}
