import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Handling of replies from a daemon of another version, and of missing replies, by the command-line client.
struct ReplyTests {
    /// Service that sends the same reply to every call, or closes the connection.
    private static let service = """
        import socket, sys
        service = socket.socket(socket.AF_UNIX)
        service.bind("service")
        service.listen()
        while True:
            client = service.accept()[0]
            while client.recv(65536)[-1:] != b"\\0":
                pass
            if sys.argv[1]:
                client.sendall(sys.argv[1].encode() + b"\\0")
            client.close()
        """

    /// Runs a command that receives this reply, or no reply for an empty string.
    private func runWithReply(
        _ reply: String, _ command: String, on host: Host
    ) async throws -> ProgramResult {
        try host.directory.appending("service.py").write(Self.service.utf8)
        return try await host.shell(
            """
            rm -f service; python3 service.py "$REPLY" & service=$!
            until [ -S service ]; do sleep 0.01; done
            ${CTL%% *} --socket service \(command); status=$?
            kill $service; exit $status
            """, environment: ["REPLY": reply])
    }

    @Test func `a change whose reply cannot be decoded is reported as done`() async throws {
        try await Host.with { host in
            for command in ["type a b", "type --wait a b", "rollback 1", "launch"] {
                let result = try await runWithReply(
                    #"{"parameters":{"saved":7}}"#, command, on: host)
                try #require(result.status == .exited(6), "\(command): \(result)")
                try #require(
                    result.errors.hasPrefix("reprisectl: done, but the daemon's reply to "),
                    "\(result)")
            }
            let readOnly = try await runWithReply(
                #"{"parameters":{"objects":7}}"#, "tree", on: host)
            try #require(readOnly.status == .exited(3), "\(readOnly)")
        }
    }

    @Test func `a call whose connection was closed is reported as possibly carried out`()
        async throws
    {
        try await Host.with { host in
            for command in ["tap a", "quit", "--timeout 2s type a b"] {
                let result = try await runWithReply("", "--json \(command)", on: host)
                try #require(result.status == .exited(5), "\(command): \(result)")
                try #require(
                    result.output.hasPrefix(
                        #"{"error":"unanswered","message":"the connection to the daemon at"#)
                        && result.errors.contains("may have been carried out; check with"),
                    "\(result)")
            }
            let readOnly = try await runWithReply("", "--timeout 2s get a", on: host)
            try #require(readOnly.status == .exited(3), "\(readOnly)")
        }
    }

    @Test func `an unsaved change is a failure for a client that waits for it to be saved`()
        async throws
    {
        try await Host.with { host in
            let reply = #"""
                {"parameters":{"scenes":["main"],"generation":"/000001","saved":"no","notSavedReason":"full"}}
                """#
            let message = "reprisectl: done, but NOT SAVED: full\n"
            let done = try await runWithReply(reply, "rollback 1", on: host)
            try #require(done.status == .exited(0) && done.errors == message, "\(done)")
            let waited = try await runWithReply(reply, "rollback 1 --wait", on: host)
            try #require(waited.status == .exited(1) && waited.errors == message, "\(waited)")
            try #require(waited.output == done.output, "\(waited)")
            let json = try await runWithReply(reply, "--json rollback 1 --wait", on: host)
            try #require(json.status == .exited(1) && json.errors == message, "\(json)")
            try #require(
                json.output
                    == #"{"error":"notSaved","generation":"/000001","message":"done, but NOT SAVED: full","#
                    + #""notSavedReason":"full","saved":"no","scenes":["main"]}"# + "\n", "\(json)")
            let preserved = try await runWithReply(
                #"{"parameters":{"saved":"no","notSavedReason":"a\nb"}}"#, "-q preserve", on: host)
            try #require(preserved.status == .exited(1), "\(preserved)")
            try #require(
                preserved.errors == "reprisectl: done, but NOT SAVED: a\\nb\n", "\(preserved)")
        }
    }
}
