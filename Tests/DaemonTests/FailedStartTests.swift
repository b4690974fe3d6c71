import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Replies to clients for which a service manager starts a daemon that fails to start.
struct FailedStartTests {
    /// Starts the daemon for the first client, as a socket unit does, and returns the client's result.
    private func activate(
        _ host: Host, _ arguments: [String]? = nil, exitStatus: Int32, name: String = "varlink",
        _ command: [String] = ["status"]
    ) async throws -> ProgramResult {
        let activation = [
            "systemd-socket-activate", "--fdname=\(name)", "-l", host.socket.string,
        ]
        let ended = try await host.run(
            by: activation, arguments, waitsUntilReady: false, endingBy: nil
        ) {
            _ in
            // The activator listens a moment after its start. A client that connects earlier prints that it waits.
            try await host.control(command)
        }
        try #require(ended.status == .exited(exitStatus), "\(ended)")
        return ended.value
    }

    private func hasLine(_ result: ProgramResult, beginningWith text: String) -> Bool {
        result.errors.split(separator: "\n").contains { $0.hasPrefix(text) }
    }

    @Test func `waiting clients receive the configuration error with its position`() async throws {
        try await Host.with { host in
            try host.replace("level: info", by: "level: loud", in: host.configuration)
            let result = try await activate(host, exitStatus: 78)
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                hasLine(result, beginningWith: "reprisectl: \(host.configuration):"), "\(result)")
            try #require(result.errors.contains("\"loud\""), "\(result)")
        }
    }

    @Test
    func `waiting clients receive the error of a failed start, and status --check is critical`()
        async throws
    {
        try await Host.with { host in
            // The state directory is a file.
            let state = host.directory.appending("file")
            try state.write("".utf8)
            let arguments = [
                "--config", host.configuration.string, "--state-directory", state.string,
            ]
            let reply = try await activate(host, arguments, exitStatus: 1)
            try #require(reply.status == .exited(1), "\(reply)")
            try #require(
                hasLine(
                    reply, beginningWith: "reprisectl: The daemon cannot start: "),
                "\(reply)")
            try #require(reply.errors.contains(state.string), "\(reply)")
            let check = try await activate(host, arguments, exitStatus: 1, ["status", "--check"])
            try #require(check.status == .exited(2), "\(check)")
            try #require(check.output.hasPrefix("CRITICAL: The daemon cannot start"), "\(check)")
        }
    }

    @Test
    func `a socket unit with another name is refused, and waiting clients receive the reason`()
        async throws
    {
        try await Host.with { host in
            let reply = try await activate(host, exitStatus: 78, name: "other.socket")
            try #require(reply.status == .exited(1), "\(reply)")
            try #require(
                reply.errors.contains("passed other.socket, but none of them is named varlink"),
                "\(reply)")
        }
    }

    @Test func `waiting clients receive the error in the daemon's arguments`() async throws {
        try await Host.with { host in
            let result = try await activate(host, ["--bogus"], exitStatus: 2)
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                hasLine(result, beginningWith: "reprisectl: Unknown option '--bogus'"), "\(result)")
        }
    }
}
