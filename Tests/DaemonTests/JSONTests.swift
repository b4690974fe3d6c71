import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// JSON output of the command-line client.
struct JSONTests {
    private static let archive =
        "state/Saved Application State/org.reprise.ChildViews.savedState/data.archive"
    private static let table = "navController/tableViewController/tableView"

    /// Every command, in an order in which all commands succeed.
    private static let commands: [[String]] =
        [
            ["status"], ["list"], ["show"], ["tree"], ["get", "nav/parent"],
            ["call", "nav/parent"],
            ["get", Paths.child1, "text"], ["type", Paths.child1, "x"],
            ["edit-text", Paths.child1, "moveLeft"], ["select", Paths.control, "1"], ["report"],
            ["explain", Paths.child1],
            ["open", "second"], ["close", "second"], ["metrics"], ["clients"],
        ]
        + [
            ["select", table, "0", "2"], ["select", table, "--none"], ["edit", table, "on"],
            ["move", table, "0", "1"], ["delete", table, "0"], ["undo-delete", table],
            ["scroll", table, "0", "1"], ["edit", table, "off"], ["tap", table, "--row", "0"],
            ["dismiss"],
        ].map { ["--app", "org.reprise.StateRestore"] + $0 }
        + [
            ["zoom", "tabs/picture/imageView", "2"],
            ["load", "tabs/web/webView", "scrapbook:paper"], ["back", "tabs/web/webView"],
            ["forward", "tabs/web/webView"],
        ].map { ["--app", "org.reprise.Scrapbook"] + $0 }
        + [
            ["preserve"], ["quit"], ["inspect", archive], ["launch"], ["history"], ["diff", "1"],
            ["rollback", "1"], ["reset", "--to-saved"], ["reset"], ["reload"], ["rekey"],
            ["quarantine"],
            ["quarantine", "put-back", "copy"], ["quarantine", "acknowledge"],
            ["quarantine", "delete", "copy"], ["history", "delete", "1"],
            ["backup", "copied"],
            ["debug", "exit", "launch-found", "--status", "7"], ["debug", "trap", "launch-found"],
            ["batch", "lines"], ["quit", "--force"],
        ]

    private static let check = "import json, sys; assert type(json.loads(sys.argv[1])) is dict"

    @Test func `with --json, each command prints one object and a newline`() async throws {
        try await Host.with { host in
            try host.replace("exits: false", by: "exits: true", in: host.configuration)
            try await host.run { _ in
                try host.directory.appending("lines").write("list\n".utf8)
                for command in Self.commands {
                    if command == ["quarantine"] { try host.copyToQuarantine() }
                    let result =
                        command[0] == "inspect"
                        ? try await host.inspect("--json", command[1])
                        : try await host.control(["--json"] + command)
                    try #require(result.status == .exited(0), "\(command): \(result)")
                    try #require(result.errors == "")
                    try #require(result.output.hasPrefix("{") && result.output.hasSuffix("}\n"))
                    try #require(result.output.filter { $0 == "\n" }.count == 1, "\(result)")
                    let parsed = try await ProgramResult.of(
                        ["python3", "-c", Self.check, result.output], in: host.directory)
                    try #require(parsed.status.isSuccess, "\(command): \(parsed)")
                }
            }
        }
    }

    @Test func `the tested commands include every command`() async throws {
        try await Host.with { host in
            var offered: [[String]] = []
            for parent in [[], ["debug"], ["quarantine"], ["history"], ["cluster"]] {
                let help = try await host.control(["help"] + parent).output
                offered += try #require(help.split(separator: "SUBCOMMANDS:\n").last)
                    .split(separator: "\n")
                    .filter {
                        $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.hasPrefix("  See ")
                    }
                    .map { parent + [String($0.split(separator: " ")[0])] }
            }
            try #require(offered.count > 20)
            let tried = Self.commands.map { $0.first == "--app" ? Array($0.dropFirst(2)) : $0 }
            // These commands print a script, run until they are interrupted, need a terminal or a cluster, or require
            // that the daemon is stopped.
            let others = [
                ["completion"], ["monitor"], ["attach"], ["relocate"], ["drain"], ["restore"],
            ]
            for command in offered
            where !others.contains(command) && command.first != "cluster" {
                try #require(tried.contains { $0.starts(with: command) }, "\(command)")
            }
        }
    }
}
