import FoundationEssentials
import Glibc

/// Pager for long output on a terminal.
struct Pager {
    /// Prints through the pager in $PAGER, or through `less` if the variable is not set and `less` is installed. If
    /// $PAGER is empty or `cat`, no pager is used. If the pager cannot be started, the text is printed a second time,
    /// without the pager.
    ///
    /// - Parameters:
    ///   - isAllowed: Whether the command line allows a pager.
    ///   - body: A closure that prints and has no other effects.
    static func page<Failure>(
        if isAllowed: Bool, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        guard isAllowed, Terminal.isTerminal, Terminal.batchLineNumber == nil, let pager = Pager()
        else {
            return try body()
        }
        let exitStatus: Int32
        do throws(Failure) {
            try body()
            exitStatus = pager.finish()
        } catch {
            _ = pager.finish()
            throw error
        }
        // Exit statuses of a shell that cannot start a command (POSIX, 2.8.2).
        if exitStatus == 126 || exitStatus == 127 { try body() }
    }

    private let process: ChildProcess
    private let terminalDescriptor: CInt

    /// Starts the pager and redirects all subsequent output to it. Returns `nil` if no pager is available.
    private init?() {
        guard let command = Self.pagerCommand() else { return nil }
        var pipeEnds: [CInt] = [0, 0]
        guard pipe(&pipeEnds) == 0 else { return nil }
        for end in pipeEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Show colors, quit if the text fits on one screen, and do not clear the screen. $LESS takes precedence if it
        // is set.
        setenv("LESS", "FRX", 0)
        do {
            process = try ChildProcess(["/bin/sh", "-c", command], input: pipeEnds[0])
        } catch {
            for end in pipeEnds { close(end) }
            return nil
        }
        terminalDescriptor = dup(STDOUT_FILENO)
        // The terminal sends SIGINT to both processes, and the pager handles it.
        signal(SIGINT, SIG_IGN)
        dup2(pipeEnds[1], STDOUT_FILENO)
        for end in pipeEnds { close(end) }
        Terminal.output = .pager
    }

    /// Waits until the user closes the pager.
    ///
    /// - Returns: Exit status of the pager.
    private func finish() -> Int32 {
        dup2(terminalDescriptor, STDOUT_FILENO)
        close(terminalDescriptor)
        Terminal.output = .standard
        defer { signal(SIGINT, SIG_DFL) }
        return process.wait()
    }

    private static func pagerCommand() -> String? {
        let environment = ProcessInfo.processInfo.environment
        if let pagerVariable = environment["PAGER"] {
            return pagerVariable.isEmpty || pagerVariable == "cat" ? nil : pagerVariable
        }
        let directories = environment["PATH", default: "/usr/bin:/bin"].split(separator: ":")
        return directories.contains { access("\($0)/less", X_OK) == 0 } ? "less -FRX" : nil
    }
}
