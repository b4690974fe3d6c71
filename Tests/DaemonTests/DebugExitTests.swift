import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Daemon that exits or crashes at a stage on a client's request.
struct DebugExitTests {
    private func withExits(_ body: (Host) async throws -> Void) async throws {
        try await Host.with { host in
            try host.replace("exits: false", by: "exits: true", in: host.configuration)
            // The next turn must be the turn of a command, even on a slow machine.
            try host.replace("interval: 5s", by: "interval: 1h", in: host.configuration)
            try await body(host)
        }
    }

    @Test(arguments: ["launch-begin", "launch-decoded", "launch-finished"])
    func `L2: after an exit during a launch, the scene is launched without its saved state`(
        stage: String
    ) async throws {
        try await withExits { host in
            let ended = try await host.run(endingBy: nil) { _ in
                try await host.mustControl("type", Paths.child1, "kept")
                let armed = try await host.mustControl("debug", "exit", stage, "--status", "42")
                try #require(armed == "the daemon will exit at \(stage)\n")
                try await host.require(child1: "kept", reason: "pristine")
                try await host.mustControl("quit")
                // The connection closes during the call, and the client does not repeat a launch.
                let broken = try await host.control("launch")
                try #require(broken.status == .exited(5), "\(broken)")
            }
            try #require(ended.status == .exited(42), "\(ended)")
            // The next daemon does not have the debug setting. Saved state is not lost.
            let next = try await host.run { _ in
                try await host.require(child1: "", reason: "pristine")
                let status = try await host.mustControl("status")
                try #require(status.contains("000001-main.archive"), "\(status)")
                try #require(status.contains("exit with 42 at the stage \(stage)"), "\(status)")
            }
            try #require(next.log.contains("starts without its saved state"), "\(next.log)")
            let quarantine = host.savedState.appending("quarantine")
            let archive = try quarantine.appending("000001-main.archive").read()
            try #require(archive.contains("kept".utf8))
            let reason = try quarantine.appending("000001-main.archive.reason").text()
            try #require(reason.contains("exit with 42 at the stage \(stage)"), "\(reason)")
        }
    }

    @Test func `a change that was written is restored even if its turn did not finish`()
        async throws
    {
        try await withExits { host in
            let ended = try await host.run(endingBy: nil) { _ in
                try await host.mustControl("debug", "exit", "turn-written")
                _ = try RawSocket.call(
                    host.socket, "org.reprise.Control.Type",
                    #"{"path":"\#(Paths.child1)","text":"written"}"#)
            }
            try #require(ended.status == .exited(0), "\(ended)")
            try await host.run { _ in
                try await host.require(child1: "written", reason: "recover")
            }
        }
    }

    @Test func `a debug trap ends the daemon with a signal`() async throws {
        try await withExits { host in
            let ended = try await host.run(
                environment: ["SWIFT_BACKTRACE": "enable=no"], endingBy: nil
            ) { _ in
                try await host.mustControl("debug", "trap", "turn-begin")
                _ = try RawSocket.call(
                    host.socket, "org.reprise.Control.Show", "{}")
            }
            guard case .signaled = ended.status else {
                Issue.record("\(ended)")
                return
            }
        }
    }

    @Test func `an unknown stage is refused with a list of all stages`() async throws {
        try await withExits { host in
            try await host.run { _ in
                let refused = try await host.control("debug", "exit", "launch")
                try #require(refused.status == .exited(1))
                let sentence = """
                    reprisectl: There is no stage launch: the stages are launch-begin, launch-made, \
                    launch-found, launch-decoded, launch-finished, turn-begin, turn-commands, \
                    turn-written, pass-begin, pass-encoded.

                    """
                try #require(refused.errors == sentence)
                let status = try RawSocket.call(
                    host.socket, "org.reprise.Control.DebugExit",
                    #"{"stage":"launch-found","status":256}"#)
                let invalid =
                    #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"status"}}"#
                try #require(status == invalid)
            }
        }
    }
}
