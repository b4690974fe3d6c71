/// How long an escape character waits for the rest of a sequence, before it is the Escape key.
enum EscapeDelay {
    /// The delay at a terminal of this machine. `sudo` hides that a terminal is remote, so it is not short.
    static let local = Duration.milliseconds(200)
    /// The delay at a remote terminal: a packet that is lost comes again after 200 ms and more.
    static let remote = Duration.milliseconds(500)
    /// The most milliseconds that `ESCDELAY` sets, as in ncurses.
    private static let maximum = 30_000

    /// Returns the delay for the environment of a process.
    ///
    /// `ESCDELAY` sets it in milliseconds, as for programs with ncurses. A value that is no number of 0 to 30000
    /// is ignored, as there. sshd sets the variables that show a remote terminal.
    static func `in`(_ environment: [String: String]) -> Duration {
        if let text = environment["ESCDELAY"], let number = Int(text), 0...maximum ~= number {
            return .milliseconds(number)
        }
        let isRemote = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains {
            environment[$0, default: ""] != ""
        }
        return isRemote ? remote : local
    }
}
