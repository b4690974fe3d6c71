import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// `reprisectl status --check` for a monitoring system.
struct HealthCheckTests {
    private func check(_ host: Host, _ options: String...) async throws -> ProgramResult {
        try await host.control(["status", "--check"] + options)
    }

    @Test func `a healthy daemon is summarized in one line, with exit status 0`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("preserve")
                let result = try await check(host)
                try #require(result.status == .exited(0), "\(result)")
                try #require(
                    result.output.hasPrefix("OK: 4 applications, 4 scenes, everything is "))
                try #require(result.output.split(separator: "\n").count == 1)
                let json = try await check(host, "--json")
                try #require(json.status == .exited(0))
                try #require(
                    json.output.hasPrefix(
                        #"{"health":"ok","problems":[],"summary":"4 applications"#),
                    "\(json)")
            }
        }
    }

    @Test func `a daemon that does not respond is critical, with exit status 2`() async throws {
        try await Host.with { host in
            let absent = try await check(host, "--timeout", "10ms")
            try #require(absent.status == .exited(2), "\(absent)")
            try #require(absent.output.hasPrefix("CRITICAL: there is no socket at"), "\(absent)")
            try await host.run { daemon in
                try daemon.send(.suspend)
                let hung = try await check(host, "--json", "--timeout", "100ms")
                try daemon.send(.resume)
                try #require(hung.status == .exited(2), "\(hung)")
                try #require(hung.output.hasPrefix(#"{"health":"critical","problems":[{"#))
                try #require(hung.output.contains("did not respond within 0.1 seconds"), "\(hung)")
            }
        }
    }

    @Test func `wrong arguments are reported as unknown, not as critical`() async throws {
        try await Host.with { host in
            for arguments in [["--app", "x"], ["--nope"], ["--timeout", "x"]] {
                let result = try await host.control(["status", "--check"] + arguments)
                try #require(result.status == .exited(3), "\(result)")
                try #require(result.output.hasPrefix("UNKNOWN: "), "\(result)")
            }
            let json = try await check(host, "--json", "--app", "x")
            try #require(json.status == .exited(3), "\(json)")
            try #require(json.output.hasPrefix(#"{"health":"unknown","problems":[{"#), "\(json)")
        }
    }

    @Test func `a daemon that cannot save is critical, with exit status 2`() async throws {
        try await Host.with { host in
            let movedPath = host.directory.appending("away").string
            _ = try await host.run { _ in
                try await host.run("mv", host.state.string, movedPath)
                try await host.awaitOutput("status") { $0.contains("leads elsewhere") }
                let result = try await check(host)
                try #require(result.status == .exited(2), "\(result)")
                try #require(
                    result.output.hasPrefix("CRITICAL: org.reprise.ChildViews: not saved: "),
                    "\(result)")
                try await host.run("mv", movedPath, host.state.string)
                try await host.awaitOutput("status") { !$0.contains("NOT SAVED") }
                try #require(try await check(host).status == .exited(0))
            }
        }
    }

    @Test func `quarantined state and a refused configuration are warnings, with exit status 1`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in try await host.mustControl("type", Paths.child1, "typed") }
            var bytes = try host.archive.read()
            bytes[bytes.count / 2] ^= 1
            try host.archive.write(bytes)
            try await host.run { _ in
                let damaged = try await check(host)
                try #require(damaged.status == .exited(1), "\(damaged)")
                let sentence =
                    "WARNING: org.reprise.ChildViews: 1 file in quarantine since the start, the last "
                    + "one 000001-data.archive (`reprisectl --app org.reprise.ChildViews quarantine` lists "
                    + "them, and `reprisectl --app org.reprise.ChildViews quarantine acknowledge` ends this "
                    + "warning)\n"
                try #require(damaged.output == sentence, "\(damaged)")
                try host.replace("interval: 5s", by: "interval: never", in: host.configuration)
                try await host.awaitOutput("status") { $0.contains("were not applied") }
                let refused = try await check(host)
                try #require(refused.status == .exited(1), "\(refused)")
                try #require(
                    refused.output.contains(
                        "a changed configuration was not applied: \(host.configuration):"))
            }
            // State that was quarantined before the start is not reported again, even if its time is unknown.
            try host.replace("interval: never", by: "interval: 5s", in: host.configuration)
            try host.copyToQuarantine()
            try await host.run { _ in
                let later = try await check(host)
                try #require(later.status == .exited(0), "\(later)")
                try host.savedState.appending("quarantine/new").write([])
                let new = try await check(host)
                try #require(
                    new.output.contains(
                        "1 file in quarantine since the start, the last one new ("),
                    "\(new)")
                try await host.mustControl("quarantine", "acknowledge")
                let acknowledged = try await check(host)
                try #require(acknowledged.status == .exited(0), "\(acknowledged)")
            }
        }
    }
}
