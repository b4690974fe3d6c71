import ArgumentParser

/// Command that prints a script for command-line completion in a shell.
struct CompletionCommand: RootAwareCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints a shell completion script.",
        discussion: """
            The script completes commands and options. It also completes names that it requests \
            from the daemon, such as the names of applications and scenes.
            The package installs these scripts. Without the package, run one of these commands:
              source <(reprisectl completion bash)
              source <(reprisectl completion zsh)
              reprisectl completion fish | source
            """)

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    /// Shell that supports completion.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    func run(under root: any ParsableCommand.Type) throws {
        let script =
            switch shell {
            case .bash: root.completionScript(for: .bash) + "\n" + Self.wordRejoiningCode
            case .zsh: root.completionScript(for: .zsh)
            case .fish: root.completionScript(for: .fish)
            }
        Terminal.write(script)
    }

    /// Shell code that rejoins words that bash has split at `@` or a colon. Paths and names may contain these
    /// characters.
    private static let wordRejoiningCode = #"""

        # Bash splits words at @ and colons. This function joins the parts of a word for the completion, and
        # removes the leading parts of the word from the candidates, because bash does not replace these parts.
        _reprisectl_whole_words() {
            local -a words=()
            local line="${COMP_LINE}" word blanks before prefix=
            local -i index cword=0
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[index]}"
                blanks="${line%%[![:space:]]*}"
                before=
                if [[ index -gt 0 && -n "${word}" && -z "${blanks}" ]] \
                    && [[ "${word}" = [@:]* || "${words[-1]}" = *[@:] ]]; then
                    before="${words[-1]}"
                    words[-1]+="${word}"
                else
                    words+=("${word}")
                fi
                if [[ index -eq COMP_CWORD ]]; then
                    cword=${#words[@]}-1
                    prefix="${before}"
                    [[ -n "${2}" || "${word}" != [@:]* ]] || prefix+="${word}"
                fi
                line="${line:${#blanks}}"
                line="${line#"${word}"}"
            done
            local -a COMP_WORDS=("${words[@]}")
            local COMP_CWORD="${cword}"
            _reprisectl "${1}" "${prefix}${2}" "${words[cword - 1]}"
            COMPREPLY=("${COMPREPLY[@]#"${prefix}"}")
        }
        complete -o filenames -F _reprisectl_whole_words reprisectl
        """#
}
