import DaemonHost
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// `--all`, `--quiet` and `--wait`.
struct ManyApplicationsTests {
    private static let names = ["ChildViews", "StateRestore", "Homepwner", "Scrapbook"].map {
        "org.reprise.\($0)"
    }

    @Test func `--all runs a command for every application to which it applies`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let saved = Self.names.map { "\($0):\nsaved: durable\n" }
                try #require(try await host.mustControl("preserve", "--all") == saved.joined())
                try await host.mustControl("quit", "--app", Self.names[1])
                let ended = try await host.mustControl("quit", "--all")
                try #require(ended == (saved[..<1] + saved[2...]).joined())
                try #require(
                    try await host.mustControl("quit", "--all", "--json") == #"{"applications":[]}"#
                        + "\n")
                let launched = try await host.mustControl("launch", "--all")
                for name in Self.names {
                    try #require(launched.contains("\(name):\n  scene main:"))
                }
                let json = try await host.mustControl("preserve", "--all", "--json")
                let replies = Self.names.map { #"{"application":"\#($0)","saved":"durable"}"# }
                try #require(
                    json == #"{"applications":[\#(replies.joined(separator: ","))]}"# + "\n")
            }
        }
    }

    @Test
    func `--all continues after an application fails, and exits with the status of the failure`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("quit", "--all")
                try host.archive.write(ArchiveBytes(try host.archive.read()).newer())
                let result = try await host.control("--json", "launch", "--all")
                try #require(result.status == .exited(1), "\(result)")
                let name = "org.reprise.ChildViews"
                try #require(
                    result.errors.hasPrefix("reprisectl: \(name): \(name) could not be launched: "),
                    "\(result)")
                try #require(
                    result.output.hasPrefix(
                        #"{"applications":[{"application":"\#(name)","error":"org.reprise.Control."#
                    ))
                let list = try await host.mustControl("list")
                try #require(list.contains("ChildViews  failed"), "\(list)")
                try #require(list.contains("StateRestore  running"), "\(list)")
            }
        }
    }

    @Test func `--quiet prints nothing for saved changes, but reports unsaved changes`()
        async throws
    {
        try await Host.with { host in
            try host.replace("stateWarning: 1MiB", by: "stateWarning: 1KiB", in: host.configuration)
            try host.replace("state: 16MiB", by: "state: 2KiB", in: host.configuration)
            try await host.run { _ in
                for command in [
                    ["-q", "type", Paths.child1, "x"], ["preserve", "--all", "--quiet"],
                    ["-q", "open", "second"], ["-q", "close", "second"], ["-q", "reset"],
                    ["-q", "quit", "--all"], ["-q", "launch", "--all"], ["-q", "reload"],
                ] {
                    let result = try await host.control(command)
                    try #require(result.status.isSuccess, "\(command): \(result)")
                    try #require(result.output == "" && result.errors == "", "\(result)")
                }
                let value = try await host.mustControl("-q", "get", Paths.child1, "text")
                try #require(value == "\n")
                let text = String(repeating: "a", count: 3000)
                let unsaved = try await host.control("-q", "type", Paths.child1, text)
                try #require(unsaved.status.isSuccess && unsaved.output == "", "\(unsaved)")
                try #require(unsaved.errors.contains("done, but NOT SAVED: "), "\(unsaved)")
                let all = try await host.control("-q", "preserve", "--all")
                try #require(all.status == .exited(1) && all.output == "", "\(all)")
                try #require(
                    all.errors.hasPrefix(
                        "reprisectl: org.reprise.ChildViews: done, but NOT SAVED: "),
                    "\(all)")
                try #require(all.errors.split(separator: "\n").count == 1, "\(all)")
            }
        }
    }

    @Test func `--wait waits until the change is durable`() async throws {
        try await Host.with { host in
            try host.replace("interval: 5s ", by: "interval: 1h ", in: host.configuration)
            try await host.run { _ in
                try #require(
                    try await host.mustControl("type", Paths.child1, "x") == "saved: written\n")
                try #require(
                    try await host.mustControl("type", "--wait", Paths.child1, "y")
                        == "saved: durable\n")
                try #require(
                    try await host.mustControl("--json", "type", "--wait", Paths.child1, "z")
                        == #"{"saved":"durable"}"# + "\n")
            }
        }
    }
}
