import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Opening and closing of scenes while the daemon runs.
struct SceneTests {
    private func requireText(_ host: Host, _ scene: String, _ text: String) async throws {
        let found = try await host.mustControl("--scene", scene, "get", Paths.child1, "text")
        try #require(found == text + "\n")
    }

    @Test func `S3: an opened scene has its own state and is restored after a restart`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try #require(try await host.mustControl("open", "second") == "saved: written\n")
                let status = try await host.mustControl("status")
                try #require(
                    status.contains("  scene second: launched with reason pristine\n"),
                    "\(status)")
                try #require(!status.contains("completed"), "\(status)")
                try await host.mustControl("--scene", "second", "type", Paths.child1, "two")
                try await host.mustControl("type", Paths.child1, "one")
                let list = try await host.mustControl("list")
                try #require(list.hasPrefix("org.reprise.ChildViews  running  main second\n"))
            }
            try await host.run { _ in
                try await requireText(host, "main", "one")
                let status = try await host.mustControl("status")
                try #require(
                    status.contains("scene second: launched with reason restore, 7 of 7"),
                    "\(status)")
                try await requireText(host, "second", "two")
            }
        }
    }

    @Test func `status shows how many scenes are not launched, even if no scene is open`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("open", "second")
                var status = try await host.mustControl("status")
                try #require(!status.contains(" saved; a command for a saved scene"), "\(status)")
                try await host.mustControl("close", "second")
                status = try await host.mustControl("status")
                try #require(status.contains("  1 scene launched, 2 saved; "), "\(status)")
                try await host.mustControl("close", "main")
            }
            try await host.run { _ in
                let status = try await host.mustControl("status")
                try #require(
                    status.contains(
                        "  no scene is open, 2 saved: `reprisectl --app org.reprise.ChildViews open NAME` "
                            + "opens one\n"), "\(status)")
            }
        }
    }

    @Test func `S3: a closed scene stays closed after a restart and is restored when it is opened`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("open", "second")
                try await host.mustControl("--scene", "second", "type", Paths.child1, "two")
                try #require(try await host.mustControl("close", "second") == "saved: written\n")
                let list = try await host.mustControl("list")
                try #require(
                    list.hasPrefix("org.reprise.ChildViews  running  main second (saved)\n"))
            }
            try await host.run { _ in
                let status = try await host.mustControl("status")
                try #require(
                    status.contains("  scene second: saved, not launched\n"), "\(status)")
                let report = try await host.control("--scene", "second", "report")
                try #require(report.status == .exited(1))
                try #require(
                    report.errors == "reprisectl: The scene second of org.reprise.ChildViews is "
                        + "saved but not launched: `reprisectl --app org.reprise.ChildViews open "
                        + "second` launches it.\n")
                try await host.mustControl("open", "second")
                try await requireText(host, "second", "two")
                try await host.mustControl("close", "second")
                // A command for the scene also launches it.
                try await requireText(host, "second", "two")
            }
        }
    }

    @Test func `S2: a scene name that is taken or invalid is refused with an error that names it`()
        async throws
    {
        let refused = [
            (
                "main",
                #"{"error":"org.reprise.Control.SceneExists","parameters":"#
                    + #"{"application":"org.reprise.ChildViews","scene":"main"}}"#
            ),
            (
                "",
                #"{"error":"org.reprise.Control.InvalidSceneName","parameters":"#
                    + #"{"application":"org.reprise.ChildViews","reason":"a restoration "#
                    + #"identifier cannot be empty: omit it, or use 1 to 255 bytes","scene":""}}"#
            ),
        ]
        try await Host.with { host in
            try await host.run { _ in
                for (name, expected) in refused {
                    let reply = try RawSocket.call(
                        host.socket, "org.reprise.Control.Open", #"{"name":"\#(name)"}"#)
                    try #require(reply == expected)
                }
            }
        }
    }

    @Test
    func
        `L1: after a forced quit, the next launch is pristine, and the history contains the state`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "gone")
                try await host.mustControl("quit", "--force")
                try #require(
                    host.history.entries == ["000001.archive", "000001.archive.reason"])
                let status = try await host.mustControl("status")
                try #require(status.contains("org.reprise.ChildViews 1: stopped\n"), "\(status)")
                try await host.mustControl("launch")
                try await host.require(child1: "", reason: "pristine")
            }
        }
    }

    @Test func `L1: a forced quit of a stopped application still applies after a restart`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "gone")
                // A forced quit also removes the state of an application that is not running.
                try await host.mustControl("quit")
                try await host.mustControl("quit", "--force")
            }
            try await host.run { _ in try await host.require(child1: "", reason: "pristine") }
        }
    }
}
