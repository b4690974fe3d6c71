import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Crashes of daemons, and recovery at the next start.
struct LaunchGuardTests {
    private func withExits(_ body: (Host) async throws -> Void) async throws {
        try await Host.with { host in
            try host.replace("exits: false", by: "exits: true", in: host.configuration)
            try host.replace("interval: 5s", by: "interval: 1h", in: host.configuration)
            try await body(host)
        }
    }

    /// Types a text into ChildViews and makes the daemon crash.
    private func crash(_ host: Host, at stage: String, typing text: String) async throws {
        let ended = try await host.run(
            environment: ["SWIFT_BACKTRACE": "enable=no"], endingBy: nil
        ) { _ in
            try await host.mustControl("debug", "trap", stage)
            _ = try RawSocket.call(
                host.socket, "org.reprise.Control.Type",
                #"{"path":"\#(Paths.child1)","text":"\#(text)"}"#)
        }
        guard case .signaled = ended.status else {
            Issue.record("\(ended)")
            return
        }
    }

    @Test
    func `L2: a crash during the launch of one application does not affect other applications`()
        async throws
    {
        try await withExits { host in
            let list = host.application("StateRestore")
            let ended = try await host.run(
                environment: ["SWIFT_BACKTRACE": "enable=no"], endingBy: nil
            ) { _ in
                try await host.mustControl("type", Paths.child1, "blamed")
                try await list("open", "second")
                try await host.mustControl("debug", "trap", "launch-decoded")
                try await host.mustControl("quit")
                let broken = try await host.control("launch")
                try #require(broken.status == .exited(5), "\(broken)")
            }
            guard case .signaled = ended.status else {
                Issue.record("\(ended)")
                return
            }
            try await host.run { _ in
                try await host.require(child1: "", reason: "pristine")
                let status = try await host.mustControl("status")
                try #require(status.contains("scene second: launched with reason recover"))
                let lines = status.split(separator: "\n").filter { $0.contains("quarantine") }
                try #require(lines.count == 1, "\(status)")
                try #require(
                    lines[0].hasPrefix("  last error (20") && lines[0].contains(" ago"), "\(status)"
                )
            }
            try #require(
                host.savedState.appending("quarantine").entries
                    == ["000001-main.archive", "000001-main.archive.reason"])
        }
    }

    @Test func `L2: with a crash limit of two, the state is restored again after the first crash`()
        async throws
    {
        try await withExits { host in
            try host.replace("crashLimit: 1", by: "crashLimit: 2", in: host.configuration)
            let ended = try await host.run(endingBy: nil) { _ in
                try await host.mustControl("type", Paths.child1, "kept")
                try await host.mustControl("debug", "exit", "launch-found", "--status", "9")
                try await host.mustControl("quit")
                _ = try await host.control("launch")
            }
            try #require(ended.status == .exited(9), "\(ended)")
            let next = try await host.run { _ in
                try await host.require(child1: "kept", reason: "recover")
            }
            try #require(next.log.contains("is launched again"), "\(next.log)")
        }
    }

    @Test func `L3: after three crashes soon after a launch, the state is moved to quarantine`()
        async throws
    {
        try await withExits { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "blamed")
            }
            for _ in 1...2 { try await crash(host, at: "pass-begin", typing: "x") }
            try await host.run(endingBy: .kill) { _ in
                try await host.require(child1: "blamed", reason: "recover")
            }
            try await crash(host, at: "pass-begin", typing: "x")
            try await host.run { _ in
                try await host.require(child1: "", reason: "pristine")
                let status = try await host.mustControl("status")
                try #require(status.contains("3 times in a row"), "\(status)")
            }
        }
    }

    @Test
    func
        `L2: signals from other processes do not count as crashes, and an orderly stop leaves no stamp`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in try await host.mustControl("type", Paths.child1, "kept") }
            for _ in 1...4 {
                let ended = try await host.run(
                    environment: ["SWIFT_BACKTRACE": "enable=no"], endingBy: nil
                ) { daemon in
                    try await host.require(child1: "kept", reason: nil)
                    try #require(kill(daemon.process, SIGSEGV) == 0)
                }
                try #require(ended.status == .signaled(SIGSEGV), "\(ended)")
                try #require(try host.state.appending("stamp").read() == [])
            }
            try await host.run { _ in try await host.require(child1: "kept", reason: "recover") }
            try #require(try host.state.appending("stamp").read() == [])
            try #require(host.savedState.appending("quarantine").entries == [])
        }
    }
}
