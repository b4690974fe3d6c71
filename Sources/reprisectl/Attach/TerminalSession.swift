import Glibc
import SystemPackage

/// Full-screen session on the terminal, in which keys arrive one by one.
///
/// When the process exits, it restores the previous contents of the screen, except after `kill -9`.
enum TerminalSession {
    /// Size of the screen.
    struct Size: Equatable {
        var lines: Int
        var columns: Int

        /// Size of a rendering that fills this screen above the bar, limited to the daemon's maximum.
        var renderingSize: (columns: Int, lines: Int) {
            (min(max(1, columns), 4096), min(max(1, lines - 1), 4096))
        }
    }

    /// Sequence that selects the alternate screen, disables line wrapping, enables mouse reports and bracketed paste,
    /// and hides the cursor.
    private static let enterSequence =
        "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[?25l"
    private static let exitSequence: StaticString =
        "\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[0m\u{1B}[?1049l"

    // A signal handler accesses these variables.
    nonisolated(unsafe) private static var originalSettings = termios()
    nonisolated(unsafe) private static var isInRawMode = false
    nonisolated(unsafe) private static var wakeDescriptor: CInt = -1
    nonisolated(unsafe) private static var terminatingSignal: CInt = 0
    nonisolated(unsafe) private static var isStopRequested = false
    nonisolated(unsafe) private static var hasContinued = false

    /// Whether the process has received a terminating signal.
    static var isTerminationRequested: Bool { terminatingSignal != 0 }

    /// Starts the session.
    ///
    /// - Parameter descriptor: Descriptor to which a byte is written when the terminal's size changes or the process
    ///   receives a signal.
    /// - Throws: ``Failure`` if there is no terminal.
    static func start(waking descriptor: FileDescriptor) throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
            throw Failure(
                "attach needs a terminal as input and output; `reprisectl show` draws the scene "
                    + "anywhere.", status: .usage)
        }
        guard let terminalType = getenv("TERM"),
            !["", "dumb"].contains(String(cString: terminalType))
        else {
            throw Failure(
                "attach needs a terminal that can position the cursor, which $TERM says this one cannot; "
                    + "`reprisectl show` draws the scene anywhere.", status: .usage)
        }
        wakeDescriptor = descriptor.rawValue
        let terminatingSignals = [
            SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU,
        ]
        for number in terminatingSignals + [SIGWINCH, SIGCONT, SIGTSTP] {
            installHandler(forSignal: number)
        }
        // The handler for crashes needs its own stack, because a crashing thread may have used up its stack.
        let stackSize = 1 << 16
        var stack = stack_t(
            ss_sp: UnsafeMutableRawPointer.allocate(byteCount: stackSize, alignment: 16),
            ss_flags: 0,
            ss_size: stackSize)
        sigaltstack(&stack, nil)
        var action = sigaction()
        action.sa_flags = SA_ONSTACK
        action.__sigaction_handler.sa_handler = { number in
            TerminalSession.restoreTerminal()
            signal(number, SIG_DFL)
            raise(number)
        }
        for number in [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE] {
            sigaction(number, &action, nil)
        }
        atexit { TerminalSession.restoreTerminal() }
        try enterRawMode()
    }

    /// Installs a handler that records a signal and wakes the main loop.
    private static func installHandler(forSignal number: CInt) {
        signal(number) { number in
            switch number {
            case SIGWINCH: break
            case SIGCONT: TerminalSession.hasContinued = true
            case SIGTSTP: TerminalSession.isStopRequested = true
            default: TerminalSession.terminatingSignal = number
            }
            // The interrupted code may read errno.
            let savedErrno = errno
            var byte: UInt8 = 0
            _ = Glibc.write(TerminalSession.wakeDescriptor, &byte, 1)
            errno = savedErrno
        }
    }

    /// Enters full-screen mode, both at the beginning of the session and after the process has been stopped and
    /// continued.
    private static func enterRawMode() throws {
        // If the terminal has not been restored, its original settings are already known.
        guard isInRawMode || tcgetattr(STDIN_FILENO, &originalSettings) == 0 else {
            throw Failure("the terminal cannot be used: \(Errno(rawValue: errno)).")
        }
        var rawSettings = originalSettings
        cfmakeraw(&rawSettings)
        isInRawMode = true
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &rawSettings)
        write(enterSequence)
    }

    /// Restores the screen. A signal handler may call this method.
    static func restoreTerminal() {
        guard isInRawMode else { return }
        isInRawMode = false
        _ = Glibc.write(STDOUT_FILENO, exitSequence.utf8Start, exitSequence.utf8CodeUnitCount)
        var settings = originalSettings
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Stops the process if it has received a stop signal, and enters full-screen mode again when the process
    /// continues.
    ///
    /// - Returns: Whether the process was stopped. The contents of the screen are then unknown.
    static func handleStopSignals() throws -> Bool {
        if isStopRequested {
            isStopRequested = false
            stop(getpid())
        }
        guard hasContinued else { return false }
        hasContinued = false
        try enterRawMode()
        return true
    }

    /// Stops this process and the other processes in its group, as Ctrl-Z does at a terminal.
    static func suspend() { stop(0) }

    /// Stops a process or process group, and returns when this process continues.
    ///
    /// - Parameter processID: Process or process group, as in kill(2).
    private static func stop(_ processID: pid_t) {
        restoreTerminal()
        signal(SIGTSTP, SIG_DFL)
        kill(processID, SIGTSTP)
        installHandler(forSignal: SIGTSTP)
        // If no shell would continue this process, the kernel does not stop it and sends no SIGCONT.
        hasContinued = true
    }

    /// Terminates the process with the terminating signal that it has received, if any.
    static func terminateIfRequested() {
        guard isTerminationRequested else { return }
        restoreTerminal()
        signal(terminatingSignal, SIG_DFL)
        raise(terminatingSignal)
    }

    static var size: Size {
        // The size stays 0 if the output is not a terminal.
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
        else { return Size(lines: 24, columns: 80) }
        return Size(lines: Int(size.ws_row), columns: Int(size.ws_col))
    }

    static func write(_ text: String) {
        var remainingBytes = Array(text.utf8)[...]
        while !remainingBytes.isEmpty {
            let count = remainingBytes.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count > 0 {
                remainingBytes.removeFirst(count)
            } else if errno == EAGAIN {
                var pollDescriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&pollDescriptor, 1, 1000)
            } else if errno != EINTR {
                return terminatingSignal = SIGHUP  // The terminal has closed.
            }
        }
    }
}
