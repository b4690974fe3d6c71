import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Reports on the last launch.
struct ReportTests {
    /// Saves text in both children, and removes the second child's identifier.
    private func loseChild(_ host: Host) async throws {
        try await host.run { _ in
            try await host.mustControl("type", Paths.child1, "one")
            try await host.mustControl("type", Paths.child2, "two")
        }
        try host.replace("    restorationIdentifier: child2\n", by: "", in: host.storyboard)
    }

    @Test func `R15: report lists what a launch did not restore, with reason codes`() async throws {
        try await Host.with { host in
            try await loseChild(host)
            try await host.run { _ in
                let report = try await host.mustControl("report")
                let lines = report.split(separator: "\n")
                try #require(
                    lines.first
                        == "scene main: launched with reason restore, 5 of 7 objects restored",
                    "\(report)")
                try #require(
                    lines.contains { $0.hasPrefix("not restored: nav/parent/child2 (storyboard-") },
                    "\(report)")
                try #require(
                    lines.contains(
                        "not restored: \(Paths.child2) (parent-dropped): nav/parent/child2, which is above it, "
                            + "was not restored"), "\(report)")
                try #require(
                    lines.contains(
                        "  Give it `restorationIdentifier: child2` again, then run `reprisectl reload`."
                    ),
                    "\(report)")
                try #require(
                    lines.last
                        == "unclaimed: 2 of these remain saved, and the next launch tries again to restore them"
                )
                let status = try await host.mustControl("status")
                try #require(
                    status.contains("    not restored: nav/parent/child2 (storyboard-missing): "),
                    "\(status)")
                try #require(
                    status.contains(
                        "      Give it `restorationIdentifier: child2` again, then run `reprisectl reload`.\n"
                            + "    2 objects not restored: `reprisectl --app org.reprise.ChildViews "
                            + "--scene main report` lists them\n"), "\(status)")
            }
        }
    }

    @Test
    func
        `R18: report lists how each object was found, and the journal contains it at the debug level`()
        async throws
    {
        try await Host.with { host in
            try host.replace("level: info", by: "level: debug", in: host.configuration)
            try await host.run { _ in try await host.mustControl("type", Paths.child1, "one") }
            let ended = try await host.run { _ in
                let report = try await host.mustControl("report", "--all")
                try #require(
                    report.contains(
                        "\nnav/parent/child1            Child1ViewController  existed already\n"),
                    "\(report)")
                try #require(!report.contains("not read"), "\(report)")
                let short = try await host.mustControl("report")
                try #require(
                    short == "scene main: launched with reason restore, 7 of 7 objects restored\n")
            }
            try #require(
                ended.log.contains("\(Paths.child1) was found: it already existed"),
                "\(ended.log)")
        }
    }

    @Test func `R16: explain says why a record is unclaimed, and that the next launch tries again`()
        async throws
    {
        try await Host.with { host in
            try await loseChild(host)
            try await host.run { _ in
                let lost = try await host.mustControl("explain", "nav/parent/child2")
                try #require(lost.hasPrefix("There is no object at nav/parent/child2 now.\n"))
                try #require(
                    lost.hasSuffix(
                        "launch 1 of 10 did not restore it, and the next launch tries again.\n"),
                    "\(lost)")
            }
        }
    }

    @Test func `P6: explain names the nearest ancestor of a live object that has no identifier`()
        async throws
    {
        try await Host.with { host in
            try await loseChild(host)
            try await host.run { _ in
                let path = "nav/parent/@child2/textField"
                let gap = try await host.mustControl("explain", path)
                try #require(
                    gap
                        == "\(path) is a TextField, and is not preserved: nav/parent/@child2, above "
                        + "it, has no restoration identifier; give that object one.\n"
                        + "The last launch (restore) found no saved state for it.\n")
                let found = try await host.mustControl("explain", Paths.child1)
                try #require(
                    found.hasPrefix("\(Paths.child1) is a TextField, and is preserved.\n"))
                try #require(
                    found.hasSuffix(
                        "The last launch (restore) restored it: it already existed.\n"))
            }
        }
    }

    @Test func `P9: a value above the configured limit is not saved, and explain says so`()
        async throws
    {
        try await Host.with { host in
            try host.replace("stateWarning: 1MiB", by: "stateWarning: 1KiB", in: host.configuration)
            try host.replace("state: 16MiB", by: "state: 2KiB", in: host.configuration)
            let ended = try await host.run { _ in
                try await host.mustControl(
                    "type", Paths.child1, String(repeating: "a", count: 1500))
                let large = try await host.mustControl("explain", "nav/parent/child1")
                try #require(large.contains("takes 1503 bytes, all of which"), "\(large)")
                let unsaved = try await host.control(
                    "type", Paths.child1, String(repeating: "a", count: 3000))
                try #require(unsaved.errors.contains("NOT SAVED"), "\(unsaved)")
                let refused = try await host.mustControl("explain", "nav/parent/child1")
                try #require(
                    refused.contains(
                        "is not saved: it takes 3003 bytes, and the limit is 2048; save less, or raise the limit "
                            + "(PreservationSettings.limits, or limits.state in the configuration of a daemon); the "
                            + "previously saved value is retained."),
                    "\(refused)")
            }
            _ = try await host.run { _ in
                let text = try await host.mustControl("get", Paths.child1, "text")
                try #require(text == String(repeating: "a", count: 1500) + "\n", "\(text)")
            }
            #expect(ended.log.contains("and the limit is 2048"), "\(ended.log)")
        }
    }
}
