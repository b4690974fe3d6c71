import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Clients for whom a service manager starts a daemon that only a person can make start.
struct RefusedStartTests {
    /// Starts the daemon for the first client, as a socket unit does, and gives what a client is told.
    private func tell(
        _ host: Host, _ arguments: [String]? = nil, exitStatus: Int32
    ) async throws -> ProgramResult {
        let activation = ["systemd-socket-activate", "--fdname=varlink", "-l", host.socket.string]
        let ended = try await host.run(by: activation, arguments, isAwaited: false, endingBy: nil) {
            _ in
            // The activator listens a moment after its start. A client that connects earlier waits, and says so first.
            try await host.control("status")
        }
        try #require(ended.status == .exited(exitStatus), "\(ended)")
        return ended.value
    }

    private func hasLine(_ result: ProgramResult, beginningWith text: String) -> Bool {
        result.errors.split(separator: "\n").contains { $0.hasPrefix(text) }
    }

    @Test func `they are told what is wrong with the configuration, and where`() async throws {
        try await Host.with { host in
            try host.replace("level: info", by: "level: loud", in: host.configuration)
            let told = try await tell(host, exitStatus: 78)
            try #require(told.status == .exited(1), "\(told)")
            try #require(
                hasLine(told, beginningWith: "reprisectl: \(host.configuration):"), "\(told)")
            try #require(told.errors.contains("\"loud\""), "\(told)")
        }
    }

    @Test func `they are told what is wrong with the arguments`() async throws {
        try await Host.with { host in
            let told = try await tell(host, ["--bogus"], exitStatus: 2)
            try #require(told.status == .exited(1), "\(told)")
            try #require(
                hasLine(told, beginningWith: "reprisectl: Unknown option '--bogus'"), "\(told)")
        }
    }
}
