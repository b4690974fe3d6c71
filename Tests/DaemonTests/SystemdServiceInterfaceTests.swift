import DaemonHost
import Testing

/// General requests that any systemd service may support, as bytes on the socket.
struct SystemdServiceInterfaceTests {
    private func call(
        _ host: Host, _ method: String, _ parameters: String = "{}"
    ) throws -> String? {
        try RawSocket.call(host.socket, "io.systemd.service.\(method)", parameters)
    }

    @Test func `Ping gets a reply, and Reload reads the configuration again`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                #expect(try call(host, "Ping") == #"{"parameters":{}}"#)
                #expect(try call(host, "Reload") == #"{"parameters":{}}"#)
                try host.configuration.write(Array("log: { level: loud }\n".utf8))
                let refused = try call(host, "Reload")
                #expect(
                    refused?.hasPrefix(
                        #"{"error":"io.systemd.service.ReloadFailed","parameters":{"reason":"/"#)
                        == true)
            }
        }
    }

    @Test func `GetEnvironment returns the environment that the daemon was started with`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let reply = try call(host, "GetEnvironment")
                #expect(reply?.hasPrefix(#"{"parameters":{"environment":["#) == true)
                #expect(reply?.contains("\"NOTIFY_SOCKET=\(host.directory)/notify\"") == true)
            }
        }
    }

    @Test func `a valid log level takes effect immediately, and an invalid level is refused`()
        async throws
    {
        try await Host.with { host in
            let log = try await host.run { daemon in
                for level in ["-1", "8", "null"] {
                    let refused = try call(host, "SetLogLevel", #"{"level":\#(level)}"#)
                    #expect(
                        refused == #"{"error":"org.varlink.service.InvalidParameter","#
                            + #""parameters":{"parameter":"level"}}"#)
                }
                #expect(try call(host, "GetLogLevel") == #"{"parameters":{"level":6}}"#)
                #expect(try call(host, "SetLogLevel", #"{"level":3}"#) == #"{"parameters":{}}"#)
                #expect(try call(host, "GetLogLevel") == #"{"parameters":{"level":3}}"#)
                try await host.mustControl("preserve")
                try await host.mustControl("reset")
                #expect(try call(host, "SetLogLevel", #"{"level":6}"#) == #"{"parameters":{}}"#)
                try await host.mustControl("quit")
            }.log
            #expect(!log.contains("REPRISE_REASON=demand"))
            // Requests are logged regardless of the level, including requests to change the level.
            #expect(log.contains("requested SetLogLevel") && log.contains("requested Reset of"))
            #expect(log.contains("REPRISE_REASON=stop"))
        }
    }
}
