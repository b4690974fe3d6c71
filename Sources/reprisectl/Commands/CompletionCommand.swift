import ArgumentParser

/// Prints what teaches a shell to complete command lines.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints a script for a shell that completes commands, options and live names.",
        discussion: """
            bash: reprisectl completion bash > /usr/share/bash-completion/completions/reprisectl
            zsh:  reprisectl completion zsh > /usr/share/zsh/vendor-completions/_reprisectl
            fish: reprisectl completion fish > /usr/share/fish/vendor_completions.d/reprisectl.fish
            """)

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    /// A shell that can complete.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    func run() throws {
        let script =
            switch shell {
            // A path may have an @ in it, at which bash would begin another word.
            case .bash:
                Reprisectl.completionScript(for: .bash)
                    + "\nCOMP_WORDBREAKS=${COMP_WORDBREAKS//@/}"
            case .zsh: Reprisectl.completionScript(for: .zsh)
            case .fish: Reprisectl.completionScript(for: .fish)
            }
        Terminal.write(script)
    }
}
