/// Time that the decoder waits for the rest of a sequence after an escape character. After this time, the character
/// counts as the Escape key.
enum EscapeDelay {
    /// Delay for a local terminal. The delay is not very short, because a remote terminal appears to be local under
    /// `sudo`.
    static let localTerminal = Duration.milliseconds(200)
    /// Delay for a remote terminal. A lost packet is retransmitted after 200 ms or more.
    static let remoteTerminal = Duration.milliseconds(500)
    /// Maximum value of `ESCDELAY` in milliseconds, as in ncurses.
    private static let maximumMilliseconds = 30_000

    /// Returns the delay that applies in a process's environment.
    ///
    /// `ESCDELAY` sets the delay in milliseconds, as in programs that use ncurses. As in ncurses, a value that is not
    /// a number from 0 to 30000 is ignored. sshd sets the variables that indicate a remote terminal.
    static func delay(in environment: [String: String]) -> Duration {
        if let text = environment["ESCDELAY"], let milliseconds = Int(text),
            0...maximumMilliseconds ~= milliseconds
        {
            return .milliseconds(milliseconds)
        }
        let isRemote = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains {
            environment[$0, default: ""] != ""
        }
        return isRemote ? remoteTerminal : localTerminal
    }
}
