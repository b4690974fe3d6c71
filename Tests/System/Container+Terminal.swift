import Subprocess
import Testing

extension Container {
    /// Types keys into an interactive shell on a terminal after its prompt appears, and waits for the result.
    ///
    /// - Parameters:
    ///   - keys: The keys to type.
    ///   - shell: `bash`, `zsh` or `fish`, with the completions from its Debian package.
    ///   - text: The text that must be printed within one minute.
    func type(_ keys: String, into shell: String, awaiting text: String) async throws {
        try await self.shell(
            """
            mkdir -p /srv/shell
            echo '. /usr/share/bash-completion/bash_completion; PS1="READY> "' >/srv/shell/bashrc
            echo 'autoload -Uz compinit; compinit -u; PROMPT="READY> "' >/srv/shell/.zshrc
            """)
        let command =
            switch shell {
            case "bash": ["bash", "--noprofile", "--rcfile", "/srv/shell/bashrc", "-i"]
            case "zsh": ["zsh", "-i"]
            default: ["fish", "-i", "-C", "function fish_prompt; echo 'READY> '; end"]
            }
        let environment = [
            "env", "-i", "PATH=/usr/sbin:/usr/bin", "LANG=C.UTF-8", "HOME=/srv/shell", "TERM=xterm",
        ]
        let entering = ["nsenter", "-t", leader, "-a", "--"]
        let result = try await CommandResult.of(
            ["python3", "-c", Self.terminal, keys, text] + entering + environment + command)
        try #require(result.status.isSuccess, "\(shell): \(result.output)\(result.errors)")
    }

    /// Script that types its first argument into the command in its third and further arguments, on a terminal, and
    /// waits for its second argument.
    private static let terminal = #"""
        import os, pty, select, signal, sys
        keys, text, command = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3:]
        child, terminal = pty.fork()
        if child == 0:
            os.execvp(command[0], command)
        seen = b""

        def wait(text):
            global seen
            start = len(seen)
            while text not in seen[start:]:
                if not select.select([terminal], [], [], 60)[0]:
                    sys.exit("nothing more came; there was: %r" % seen)
                try:
                    piece = os.read(terminal, 4096)
                except OSError:
                    sys.exit("it ended; there was: %r" % seen)
                # What kind of terminal it is, which fish asks.
                if b"\x1b[c" in piece or b"\x1b[0c" in piece:
                    os.write(terminal, b"\x1b[?62c")
                seen += piece

        wait(b"READY> ")
        os.write(terminal, keys)
        wait(text)
        os.kill(child, signal.SIGKILL)
        """#
}
