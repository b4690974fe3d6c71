import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// `reprisectl rollback` and `reset`, on a daemon.
struct RollbackTests {
    private static let table = "navController/tableViewController/tableView"

    /// Creates two generations with the text `first` and `second` by quitting the application.
    private func save(_ host: Host) async throws {
        for text in ["first", "second"] {
            try await host.mustControl("type", Paths.child1, text)
            try await host.mustControl("quit")
            try await host.mustControl("launch")
        }
    }

    @Test
    func `L8: a rollback restores a generation while running, and another rollback undoes it`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await save(host)
                try await host.mustControl("type", Paths.child1, "third")
                let output = try await host.mustControl("rollback", "1")
                let lines = output.split(separator: "\n")
                try #require(
                    lines.map(String.init) == [
                        "rolled back: main",
                        "the previous state is in the history as \(host.history)/000003.archive: "
                            + "`reprisectl --app org.reprise.ChildViews rollback 3` restores it",
                        "saved: durable",
                    ], "\(output)")
                try await host.require(child1: "first", reason: "replace")
                let listed = try await host.mustControl("history")
                try #require(
                    listed.contains("because the application was rolled back to 000001"),
                    "\(listed)")
                try await host.mustControl("--scene", "main", "rollback", "000003")
                try await host.require(child1: "third", reason: "replace")
            }
            try await host.run { _ in try await host.require(child1: "third", reason: "restore") }
        }
    }

    @Test func `P19: a rollback changes no model data, and skips rows that no longer exist`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            try await host.run { _ in
                try await application("select", Self.table, "0", "1")
                try await application("preserve")
                try await application("quit")
                try await application("launch")
                try await application("edit", Self.table, "on")
                try await application("delete", Self.table, "0")
                let items = try host.document("Items.json", of: "StateRestore").read()
                try await application("rollback", "1")
                try #require(
                    try host.document("Items.json", of: "StateRestore").read() == items)
                let selected = try await application(
                    "--json", "get", Self.table, "selectedModelIdentifiers")
                try #require(selected.split(separator: ",").count == 1, "\(selected)")
            }
        }
    }

    @Test func `reset relaunches without saved state, and reset --to-saved relaunches with it`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await save(host)
                let again = try await host.mustControl("reset", "--to-saved")
                try #require(again.hasPrefix("relaunched: main\n"), "\(again)")
                try await host.require(child1: "second", reason: "restore")
                let output = try await host.mustControl("reset")
                try #require(
                    output.hasPrefix("relaunched without saved state: main\n"), "\(output)")
                try await host.require(child1: "", reason: "pristine")
                // The state equals the generation of the last stop.
                try #require(output.contains("000002.archive"), "\(output)")
                try await host.mustControl("rollback", "2")
                try await host.require(child1: "second", reason: "replace")
                try await host.mustControl("quit")
                let stopped = try await host.mustControl("reset")
                try #require(stopped.hasPrefix("reset\nthe previous state"), "\(stopped)")
            }
        }
    }

    @Test func `an impossible rollback or reset is refused with the reason, and nothing changes`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await save(host)
                try await host.mustControl("type", Paths.child1, "live")
                try host.history.appending("000002.archive").write([1, 2, 3])
                for (arguments, sentence) in [
                    (["rollback", "9"], "has no generation"),
                    (["rollback", "../data"], "has no generation"),
                    (["rollback", "2"], "was not rolled back to 2 (damaged): "),
                    (["--scene", "other", "rollback", "1"], "has no scene other"),
                    (["--scene", "other", "reset"], "has no scene other"),
                ] {
                    let result = try await host.control(arguments)
                    try #require(result.status == .exited(1), "\(arguments): \(result)")
                    try #require(result.errors.contains(sentence), "\(arguments): \(result)")
                }
                try await host.require(child1: "live", reason: "restore")
            }
        }
    }
}
