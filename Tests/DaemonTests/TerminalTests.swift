import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Output that differs between a terminal and a pipe.
struct TerminalTests {
    /// Runs a shell command on a new terminal. In the command, `$CTL` is the command-line client.
    private func atTerminal(
        _ command: String, environment: [Environment.Key: String] = [:], on host: Host
    ) async throws -> String {
        let result = try await host.shell(
            "script -qec \"\(command)\" /dev/null </dev/null", environment: environment)
        return result.output.replacing("\r\n", with: "\n")
    }

    @Test func `tables have a header on a terminal, but not in a pipe`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try host.copyToQuarantine()
                try await host.mustControl("type", Paths.child1, "x")
                try await host.mustControl("reset")
                for (command, header) in [
                    ("list", "APPLICATION               STATE    SCENES"),
                    ("tree", "PATH                         CLASS                 PRESERVED"),
                    ("history", "GENERATION  TIME                  OBJECTS  BYTES"),
                    ("quarantine", "NAME  SINCE"),
                ] {
                    let plain: [Environment.Key: String] = ["NO_COLOR": "1", "PAGER": ""]
                    let table = try await atTerminal(
                        "$CTL \(command)", environment: plain, on: host)
                    try #require(table.hasPrefix(header), "\(table)")
                    let dumb = try await atTerminal(
                        "$CTL --no-pager \(command)", environment: ["TERM": "dumb"], on: host)
                    try #require(dumb == table, "\(dumb)")
                    let colored = try await atTerminal(
                        "$CTL --no-pager \(command)", environment: ["TERM": "xterm"], on: host)
                    try #require(colored.hasPrefix("\u{1B}[1m\(header)"), "\(colored)")
                    let piped = try await host.mustControl(command)
                    try #require(!piped.contains(header) && !piped.contains("\u{1B}"), "\(piped)")
                }
                let list = try await atTerminal(
                    "$CTL list", environment: ["NO_COLOR": "1"], on: host)
                try #require(
                    list.contains("\norg.reprise.ChildViews    running  main\n"), "\(list)")
            }
        }
    }

    @Test func `long output is shown in the pager on a terminal`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "x")
                try await host.mustControl("reset")
                let pager: [Environment.Key: String] = ["PAGER": "sed s/^/paged:/"]
                for command in ["tree", "history", "diff 1", "report", "help", "help type"] {
                    let paged = try await atTerminal(
                        "$CTL \(command)", environment: pager, on: host)
                    try #require(paged.hasPrefix("paged:"), "\(command): \(paged)")
                    let unpaged = try await atTerminal(
                        "$CTL --no-pager \(command)", environment: pager, on: host)
                    try #require(!unpaged.contains("paged:"), "\(command): \(unpaged)")
                }
                for command in ["list", "status", "--version", "--json tree", "get nav"] {
                    let short = try await atTerminal(
                        "$CTL \(command)", environment: pager, on: host)
                    try #require(!short.contains("paged:") && short != "", "\(command): \(short)")
                }
                let piped = try await host.shell("$CTL tree", environment: pager)
                try #require(!piped.output.contains("paged:"), "\(piped)")
            }
        }
    }

    @Test func `a pager that exits early or does not exist causes no error`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "typed")
                try host.directory.appending("torn").write(try host.archive.read().dropLast())
                try host.directory.appending("text").write("no program".utf8)
                for (pager, isShown) in [
                    ("true", false), ("/nowhere", true), ("nosuch", true), ("./text", true),
                    ("cat", true), ("", true),
                ] {
                    let shown = try await atTerminal(
                        "$CTL tree; echo status \\$?",
                        environment: ["PAGER": pager, "NO_COLOR": "1"], on: host)
                    try #require(shown.hasSuffix("status 0\n"), "\(pager): \(shown)")
                    try #require(shown.contains("PATH  ") == isShown, "\(pager): \(shown)")
                }
                let damaged = try await atTerminal(
                    "${CTL%% *} inspect torn; echo status \\$?", environment: ["PAGER": "true"],
                    on: host)
                try #require(damaged.hasSuffix("status 1\n"), "\(damaged)")
                let refused = try await atTerminal("$CTL get nav/x; echo status \\$?", on: host)
                try #require(refused.hasSuffix("status 1\n"), "\(refused)")
            }
        }
    }
}
