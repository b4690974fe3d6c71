import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Restoration after each way in which a daemon can stop.
struct RecoveryTests {
    /// Types into both children, and shows the second child.
    private func changeState(_ host: Host) async throws {
        try await host.mustControl("type", Paths.child1, "hello")
        try await host.mustControl("select", Paths.control, "1")
        try await host.mustControl("type", Paths.child2, "wörld 🌍")
    }

    private func requireChangesRestored(_ host: Host, reason: String) async throws {
        try await host.require(child1: "hello", reason: reason)
        let second = try await host.mustControl("get", Paths.child2, "text")
        try #require(second == "wörld 🌍\n")
        let index = try await host.mustControl("get", "nav/parent", "selectedIndex")
        try #require(index == "1\n")
        let drawn = try await host.mustControl("show")
        try #require(drawn.contains("[ Second ]") && drawn.contains("wörld 🌍"), "\(drawn)")
        try #require(!drawn.contains("hello") && !drawn.contains("[ First ]"), "\(drawn)")
        let status = try await host.mustControl("status")
        try #require(status.contains("7 of 7 objects restored"), "\(status)")
    }

    @Test func `L3: after a kill, every acknowledged change is restored, with reason recover`()
        async throws
    {
        try await Host.with { host in
            let killed = try await host.run(endingBy: .kill) { _ in try await changeState(host) }
            try #require(killed.status == .signaled(9))
            try await host.run(endingBy: .kill) { _ in
                try await requireChangesRestored(host, reason: "recover")
            }
            // The next start succeeds in spite of the killed daemon's socket, even if nothing changed before the daemon
            // was killed.
            try await host.run { _ in try await requireChangesRestored(host, reason: "recover") }
        }
    }

    @Test func `R2: after an orderly stop, everything is restored, with reason restore`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in try await changeState(host) }
            try await host.run { _ in try await requireChangesRestored(host, reason: "restore") }
            try await host.run { _ in try await requireChangesRestored(host, reason: "restore") }
        }
    }

    @Test
    func `R2: the reason is pristine at the first launch and recover after a kill without changes`()
        async throws
    {
        try await Host.with { host in
            try await host.run(endingBy: .kill) { _ in
                try await host.require(child1: "", reason: "pristine")
            }
            try await host.run { _ in try await host.require(child1: "", reason: "recover") }
        }
    }

    @Test func `quit and launch restore an application while the daemon runs`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await changeState(host)
                try await host.mustControl("quit")
                let refused = try await host.control("show")
                try #require(refused.status == .exited(1))
                try #require(refused.errors.contains("is not running"), "\(refused)")
                try await host.mustControl("launch")
                try await requireChangesRestored(host, reason: "restore")
            }
        }
    }

    @Test func `a parent that another controller has covered since the launch is preserved too`()
        async throws
    {
        try await Host.with { host in
            try host.replace("[parent]", by: "[parent, child2]", in: host.storyboard)
            for reason in ["pristine", "restore"] {
                let ended = try await host.run { _ in
                    let tree = try await host.mustControl("tree")
                    let parent = tree.split(separator: "\n").first { $0.hasPrefix("nav/parent ") }
                    try #require(parent?.hasSuffix("  preserved") == true, "\(tree)")
                    let status = try await host.mustControl("status")
                    try #require(status.contains("launched with reason \(reason)"), "\(status)")
                }
                try #require(ended.status == .exited(0))
            }
        }
    }

    @Test func `P6: a child without an identifier is not preserved, and tree says why`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in try await changeState(host) }
            try host.replace(
                "    restorationIdentifier: child2\n", by: "", in: host.storyboard)
            try await host.run { _ in
                try await host.require(child1: "hello", reason: "restore")
                let tree = try await host.mustControl("tree")
                let lines = tree.split(separator: "\n").filter { $0.contains("not preserved") }
                try #require(lines.count == 2, "\(tree)")
                try #require(
                    lines.allSatisfy { $0.hasPrefix("nav/parent/@child2") }, "\(tree)")
            }
        }
    }

    @Test
    func `P9: a value above the limit is reported as not saved, and a later value is saved again`()
        async throws
    {
        try await Host.with { host in
            try host.directory.appending("config/reprised.d").createDirectory()
            try host.directory.appending("config/reprised.d/limits.yaml").write(
                Array("limits: { stateWarning: 1KiB, state: 1KiB }\n".utf8))
            try await host.run { _ in
                let long = String(repeating: "x", count: 2000)
                let refused = try await host.control("type", Paths.child1, long)
                try #require(refused.status.isSuccess && refused.output == "", "\(refused)")
                try #require(refused.errors.contains("NOT SAVED"), "\(refused)")
                try #require(refused.errors.contains("nav/parent/child1"), "\(refused)")
                let stays = try await host.control("close", "main")
                try #require(stays.status == .exited(1), "\(stays)")
                let text = try await host.mustControl("get", Paths.child1, "text")
                try #require(text == long + "\n")
                let preserved = try await host.control("preserve")
                try #require(preserved.status == .exited(1), "\(preserved)")
                try #require(preserved.errors.contains("NOT SAVED"), "\(preserved)")
                let status = try await host.mustControl("status")
                try #require(
                    status.contains("NOT SAVED") || status.contains("not saved"), "\(status)")
                let short = try await host.mustControl("type", Paths.child1, "short")
                try #require(short.contains("saved: "), "\(short)")
            }
        }
    }
}
