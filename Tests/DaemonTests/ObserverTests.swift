import DaemonHost
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Users who may read state but not change it. The tests run as root and switch to another user.
struct ObserverTests {
    /// Script that makes calls as another user, and prints the outcome of each call on one line.
    private static let script = """
        import json, os, socket, sys
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1])
        stream = connection.makefile("rb")
        for line in sys.argv[2:]:
            method, parameters = line.split(" ", 1)
            call = {"method": method, "parameters": json.loads(parameters)}
            if method.endswith(".Monitor"):
                call["more"] = True
            connection.sendall(json.dumps(call).encode() + b"\\0")
            reply = b""
            while not reply.endswith(b"\\0"):
                reply += stream.read(1)
            reply = json.loads(reply[:-1])
            print(reply.get("error") or json.dumps(reply["parameters"])[:60])
        """

    private static let refused = "org.varlink.service.PermissionDenied"

    private func calls(_ host: Host, _ calls: String...) async throws -> [String] {
        let result = try await ProgramResult.of(
            ["python3", "-c", Self.script, host.socket.string] + calls, in: "/")
        try #require(result.status.isSuccess, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test(.needsRoot)
    func `members of the observers group can read and follow, but cannot change anything`()
        async throws
    {
        try await Host.with { host in
            try await host.run("chmod", "755", host.directory.string)
            try host.replace("observers: null", by: "observers: nogroup", in: host.configuration)
            let path = #""path":"\#(Paths.child1)""#
            let end = try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "seen")
                try await host.mustControl("open", "other")
                try await host.mustControl("close", "other")
                let get = #"org.reprise.Control.Get {\#(path),"key":"text"}"#
                let answers = try await calls(
                    host, get, "org.reprise.Control.Preserve {}",
                    #"org.reprise.Control.Type {\#(path),"text":"changed"}"#,
                    "org.reprise.Control.Reset {}", "io.systemd.service.Reload {}",
                    #"org.reprise.Control.Tree {"scene":"other"}"#, "io.systemd.service.Ping {}",
                    get, "org.reprise.Control.Monitor {}")
                let expectedReply = #"{"value": "seen"}"#
                try #require(
                    answers.dropLast() == [
                        expectedReply, Self.refused, Self.refused, Self.refused, Self.refused,
                        "org.reprise.Control.SceneNotLaunched", "{}", expectedReply,
                    ], "\(answers)")
                try #require(answers.last?.hasPrefix(#"{"instance": "#) == true, "\(answers)")
                // If the access is revoked while the daemon runs, the next connection has no access.
                try host.replace(
                    "observers: nogroup", by: "observers: null", in: host.configuration)
                try await host.mustControl("reload")
                try #require(try await calls(host, get) == [Self.refused])
            }
            try #require(
                end.log.contains("the user may not call org.reprise.Control.Preserve"), "\(end.log)"
            )
        }
    }

    @Test(.needsRoot)
    func `an observer's request saves nothing and moves nothing to quarantine`() async throws {
        try await Host.with { host in
            try await host.run("chmod", "755", host.directory.string)
            try host.replace("observers: null", by: "observers: nogroup", in: host.configuration)
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "one")
                try await host.mustControl("quit")
                try await host.mustControl("launch")
                let diff = #"org.reprise.Control.Diff {"from":"1"}"#
                let passes = try await host.mustControl("metrics")
                try #require(try await calls(host, diff)[0].hasPrefix(#"{"differences": "#))
                let after = try await host.mustControl("metrics")
                try #require(Self.passes(after) == Self.passes(passes), "\(after)")
                try await host.mustControl("quit")
                // The archive is damaged now, and the daemon has not read it yet.
                try host.archive.write("no archive".utf8)
                let show = #"org.reprise.Control.Show {"saved":true}"#
                _ = try await calls(host, diff, show)
                let quarantine = try await host.mustControl("quarantine")
                try #require(!quarantine.contains("damaged"), "\(quarantine)")
                try #require(try host.archive.text() == "no archive")
            }
        }
    }

    private static func passes(_ metrics: String) -> [Substring] {
        metrics.split(separator: "\n").filter { $0.hasPrefix("reprise_passes_total") }
    }

    @Test func `other users cannot connect to a socket that the daemon created`() async throws {
        try await Host.with { host in
            try await host.run("chmod", "755", host.directory.string)
            try await host.run { _ in
                let result = try await ProgramResult.of(
                    ["python3", "-c", Self.script, host.socket.string], in: "/")
                try #require(result.errors.contains("PermissionError"), "\(result)")
            }
        }
    }
}
