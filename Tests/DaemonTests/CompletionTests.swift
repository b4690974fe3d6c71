import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Completion in a real bash, and the completion scripts for all shells.
@Suite(.serialized) struct CompletionTests {
    /// Returns the completions that bash offers for the last word of a `reprisectl` command.
    private func completed(_ words: String..., on host: Host) async throws -> [String] {
        try await completed(words, on: host)
    }

    /// Returns the completions that bash offers for the last word of a `reprisectl` command.
    private func completed(_ words: [String], on host: Host) async throws -> [String] {
        let script = """
            source "$SCRIPT"
            COMP_WORDS=(reprisectl "$@"); COMP_CWORD=$#
            COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
            _reprisectl_whole_words reprisectl \\
                "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try await completions(by: script, words, on: host)
    }

    /// Returns the output of a bash script that receives the words and the path of the completion script.
    private func completions(
        by script: String, _ words: [String], on host: Host
    ) async throws -> [String] {
        let programs = try Programs.reprisectl().removingLastComponent()
        let result = try await ProgramResult.of(
            ["bash", "-c", script, "bash"] + words,
            environment: [
                "SCRIPT": try await self.script("bash", on: host).string,
                "REPRISE_SOCKET": host.socket.string, "PATH": "\(programs):/usr/bin:/bin",
            ], in: host.directory)
        try #require(result.status.isSuccess && result.errors == "", "\(words): \(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    private func script(_ shell: String, on host: Host) async throws -> FilePath {
        let file = host.directory.appending("completion.\(shell)")
        if access(file.string, F_OK) == 0 { return file }
        try file.write(try await host.mustControl("completion", shell).utf8)
        return file
    }

    @Test func `commands, options and files are completed without a daemon`() async throws {
        try await Host.with { host in
            try #require(try await completed("exp", on: host) == ["explain"])
            try #require(try await completed("quarantine", "p", on: host) == ["put-back"])
            let options = try await completed("type", "nav", "x", "--ap", on: host)
            try #require(options.sorted() == ["--app", "--append"], "\(options)")
            try #require(try await completed("completion", "f", on: host) == ["fish"])
            try #require(try await completed("edit", "nav", "o", on: host) == ["on", "off"])
            try #require(
                try await completed("inspect", "completion.b", on: host) == ["completion.bash"])
            for words in [["get"], ["--app"], ["close"], ["rollback"]] {
                let completions = try await completed(words[0], "", on: host)
                try #require(!completions.contains { $0.contains("nav") || $0.contains("org.") })
            }
        }
    }

    @Test func `objects, scenes and other names from the daemon are completed`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try host.copyToQuarantine()
                try await host.mustControl("type", Paths.child1, "x")
                try await host.mustControl("reset")
                try await host.mustControl("open", "second")
                try await host.mustControl("close", "second")
                let apps = ["--app", "org.reprise.StateRestore"]
                for (words, completions) in [
                    (
                        ["--app", "org.reprise.S"],
                        ["org.reprise.StateRestore", "org.reprise.Scrapbook"]
                    ),
                    (["--scene", ""], ["main", "second"]),
                    (["open", ""], ["second"]), (["close", ""], ["main"]),
                    (["get", "nav/parent/child1"], ["nav/parent/child1", Paths.child1]),
                    (["type", "nav/parent/child2/"], [Paths.child2]),
                    (["get", Paths.child1, "te"], ["text"]),
                    (["rollback", ""], ["000001"]), (["diff", "000001", ""], ["000001"]),
                    (["show", "--generation", ""], ["000001"]),
                    (["quarantine", "put-back", "c"], ["copy"]),
                    (
                        apps + ["tap", "navController/tableViewController/@add"],
                        ["navController/tableViewController/@addButton"]
                    ),
                    (
                        ["tap"] + apps + ["navController/tableViewController/t"],
                        ["navController/tableViewController/tableView"]
                    ),
                    (["--socket", "/nowhere", "get", ""], []),
                    (["--scene", "second", "get", ""], []),
                    (["--app", "org.example", "get", ""], []),
                ] as [([String], [String])] {
                    var found = try await completed(words, on: host)
                    found.removeAll { $0.hasPrefix("-") }
                    try #require(found == completions, "\(words)")
                }
                try #require(try await host.mustControl("list").contains("second (saved)"))
                try await host.mustControl("quit")
                try #require(try await completed("get", "nav", on: host) == [])
                try #require(try await host.mustControl("list").contains("ChildViews  stopped"))
            }
        }
    }

    @Test func `names are offered unchanged and never run as commands`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let names = [
                    "$(touch pwned)", "`touch pwned`", "it's", "two words", #"a\b"#, "a:b",
                ]
                for name in names {
                    try await host.mustControl("open", name)
                    try await host.mustControl("close", name)
                }
                let completions = try await completed("open", "", on: host)
                try #require(completions.filter { !$0.hasPrefix("-") }.sorted() == names.sorted())
                try #require(access(host.directory.appending("pwned").string, F_OK) != 0)
                try #require(try await completed("open", "it", on: host) == ["it's"])
                try #require(try await completed("open", #"two\ w"#, on: host) == ["two words"])
                let zsh = try await host.shell(
                    "SAP_SHELL=zsh ${CTL%% *} ---completion open -- positional@0 3 0 "
                        + "reprisectl --socket \(host.socket) open ''")
                try #require(
                    zsh.output.contains(#"a\:b"#) && zsh.output.contains(#"a\\b"#), "\(zsh)")
            }
        }
    }

    @Test func `a word that bash splits is completed as a whole`() async throws {
        let script = #"""
            source "$SCRIPT"
            COMP_WORDS=(reprisectl "${@:1:$# - 1}"); COMP_CWORD=$(($# - 1))
            COMP_LINE="reprisectl --app org.reprise.StateRestore ${*: -1}"; COMP_POINT=${#COMP_LINE}
            last="${COMP_WORDS[COMP_CWORD]}"
            [ "$last" != @ ] && [ "$last" != : ] || last=
            _reprisectl_whole_words reprisectl "$last" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\n' "${COMPREPLY[@]}"
            """#
        try await Host.with { host in
            try await host.run { _ in
                let start = ["--app", "org.reprise.StateRestore"]
                let directory = "navController/tableViewController/"
                for rest in [["@", "add"], ["@"]] {
                    let line = "tap \(directory)\(rest.joined())"
                    let completions = try await completions(
                        by: script, start + ["tap", directory] + rest + [line], on: host)
                    try #require(completions.contains("addButton"), "\(completions)")
                    try #require(completions.allSatisfy { !$0.contains("@") }, "\(completions)")
                }
                for name in ["a:b", "a::c"] {
                    try await host.mustControl(start[0], start[1], "open", name)
                    try await host.mustControl(start[0], start[1], "close", name)
                }
                let scenes = try await completions(
                    by: script, start + ["open", "a", ":", "b", "open a:b"], on: host)
                try #require(scenes == ["b"], "\(scenes)")
            }
        }
    }

    @Test func `a hanging daemon completes nothing and does not block completion`() async throws {
        try await Host.with { host in
            try await host.run { daemon in
                try await host.run("kill", "-STOP", "\(daemon.process)")
                let completions = try await completed("get", "nav", on: host)
                try await host.run("kill", "-CONT", "\(daemon.process)")
                try #require(completions == [])
            }
        }
    }

    @Test func `each shell has its own completion script, and an unknown shell is refused`()
        async throws
    {
        try await Host.with { host in
            try await host.run("bash", "-n", try await script("bash", on: host).string)
            try #require(try await script("zsh", on: host).text().hasPrefix("#compdef reprisectl"))
            try #require(
                try await script("fish", on: host).text().contains("complete -c 'reprisectl'"))
            let other = try await host.control("completion", "tcsh")
            try #require(other.status == .exited(2), "\(other)")
            let silent = try await host.shell("${CTL%% *} ---completion nothing -- x")
            try #require(silent.status == .exited(2), "\(silent)")
            try #require(silent.output == "" && silent.errors == "", "\(silent)")
        }
    }
}
