import FoundationEssentials
import Glibc

/// Shows what is printed page by page, if a person looks at it on a terminal.
struct Pager {
    /// Prints through the pager that $PAGER names, else `less` if it is there; an empty $PAGER, or
    /// `cat`, means none. If it cannot be started, the text is printed once more without it.
    ///
    /// - Parameters:
    ///   - isWanted: Whether the command line leaves it on.
    ///   - body: Prints, and does nothing else.
    static func page<Failure>(
        if isWanted: Bool, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        guard isWanted, Terminal.isTerminal, Terminal.line == nil, let pager = Pager() else {
            return try body()
        }
        let status: Int32
        do throws(Failure) {
            try body()
            status = pager.end()
        } catch {
            _ = pager.end()
            throw error
        }
        // What a shell ends with that cannot start a command (POSIX, 2.8.2).
        if status == 126 || status == 127 { try body() }
    }

    private let process: ChildProcess
    private let terminal: CInt

    /// Starts it, and has all that is printed from now on go to it; nil if there is none.
    private init?() {
        guard let command = Self.command() else { return nil }
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Colors are to be shown, and what fits is to stay; what the user says of less is in force.
        setenv("LESS", "FRX", 0)
        do {
            process = try ChildProcess(["/bin/sh", "-c", command], input: ends[0])
        } catch {
            for end in ends { close(end) }
            return nil
        }
        terminal = dup(STDOUT_FILENO)
        // The terminal sends it to both; the pager decides.
        signal(SIGINT, SIG_IGN)
        dup2(ends[1], STDOUT_FILENO)
        for end in ends { close(end) }
        Terminal.output = .pager
    }

    /// Waits until the person has seen all.
    ///
    /// - Returns: the exit status of the pager.
    private func end() -> Int32 {
        dup2(terminal, STDOUT_FILENO)
        close(terminal)
        Terminal.output = .standard
        defer { signal(SIGINT, SIG_DFL) }
        return process.wait()
    }

    private static func command() -> String? {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["PAGER"] {
            return named.isEmpty || named == "cat" ? nil : named
        }
        let folders = environment["PATH", default: "/usr/bin:/bin"].split(separator: ":")
        return folders.contains { access("\($0)/less", X_OK) == 0 } ? "less -FRX" : nil
    }
}
