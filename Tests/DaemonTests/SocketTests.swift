import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Sockets on which the daemon listens.
struct SocketTests {
    private func arguments(_ host: Host, socket: FilePath) -> [String] {
        [
            "--config", host.configuration.string, "--state-directory",
            host.directory.appending("second").string, "--socket", socket.string,
        ]
    }

    @Test func `a socket of a running daemon is left to that daemon`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let result = try await host.attempt(arguments(host, socket: host.socket))
                try #require(result.status == .exited(1), "\(result)")
                try #require(
                    result.errors.hasSuffix(
                        "reprised: The socket \"\(host.socket)\" is in use by another daemon; stop "
                            + "that daemon or choose another path.\n"),
                    "\(result)")
                try await host.mustControl("type", Paths.child1, "mine")
            }
            try await host.run { _ in try await host.require(child1: "mine", reason: "restore") }
        }
    }

    @Test(arguments: [false, true])
    func `a socket that another program removes while the daemon runs is created again`(
        withDirectory: Bool
    ) async throws {
        try await Host.with { host in
            let directory = host.directory.appending("run")
            let socket = directory.appending("control")
            let arguments = [
                "--config", host.configuration.string, "--state-directory",
                host.directory.appending("second").string, "--socket", socket.string,
            ]
            let end = try await host.run(by: [], arguments, waitsUntilReady: false) { _ in
                func status() async throws -> ProgramResult {
                    try await host.control(["--socket", socket.string, "status"])
                }
                var before = try await status()
                try #require(before.status.isSuccess, "\(before)")
                let removed =
                    withDirectory ? ["rm", "-r", directory.string] : ["rm", socket.string]
                _ = try await ProgramResult.of(removed, in: host.directory)
                // The client waits for a missing socket.
                before = try await status()
                try #require(before.status.isSuccess, "\(before)")
            }
            try #require(
                end.log.contains(
                    "The control socket \(socket) was missing and has been created again"),
                "\(end.log)")
        }
    }

    @Test func `a file at the socket's path is left unchanged`() async throws {
        try await Host.with { host in
            try host.socket.write("precious".utf8)
            let result = try await host.attempt()
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                result.errors.hasSuffix(
                    "reprised: The file at \"\(host.socket)\" is not a socket and "
                        + "was not changed; remove it or choose another path.\n"),
                "\(result)")
            try #require(try host.socket.text() == "precious")
        }
    }

    @Test func `a socket path that is too long is reported with its length`() async throws {
        try await Host.with { host in
            let path = host.directory.appending(String(repeating: "x", count: 120))
            let result = try await host.attempt(arguments(host, socket: path))
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                result.errors == "reprised: the path of the control socket \(path) has "
                    + "\(path.string.utf8.count) bytes, but the maximum is 107: specify a shorter path with "
                    + "--socket PATH.\n")
        }
    }

    @Test(arguments: ["1", "3", "many"])
    func `sockets that are announced but not passed are an error`(count: String) async throws {
        try await Host.with { host in
            let announcing = [
                "bash", "-c", #"LISTEN_FDS=\#(count) LISTEN_PID=$$ exec "$@" 3<&- 4<&- 5<&-"#,
                "bash",
            ]
            let result = try await host.attempt(by: announcing)
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                result.errors.hasPrefix("reprised: cannot use the sockets in $LISTEN_FDS ("),
                "\(result)")
        }
    }

    @Test func `a passed socket is served, and remains when the daemon stops`()
        async throws
    {
        try await Host.with { host in
            let notify = host.directory.appending("notify")
            let activation = [
                "systemd-socket-activate", "--fdname=varlink", "-l", host.socket.string, "-E",
                "NOTIFY_SOCKET=\(notify)",
            ]
            // The passed socket takes precedence over the socket on the command line.
            let other = host.directory.appending("other")
            let ended = try await host.run(
                by: activation, arguments(host, socket: other), waitsUntilReady: false
            ) { daemon in
                // The activator listens a moment after its start, and reprisectl waits for it.
                let status = try await host.control("status")
                try #require(status.status == .exited(0), "\(status)")
                try await daemon.notifications.wait(for: "READY=1")
                try await host.mustControl("type", Paths.child1, "activated")
                try #require(!other.isSocket)
            }
            try #require(ended.status == .exited(0), "\(ended)")
            try #require(host.socket.isSocket)
        }
    }

    @Test func `a configured socket is reported as having no effect if a socket is passed`()
        async throws
    {
        try await Host.with { host in
            let configured = host.directory.appending("configured")
            try host.replace("socket: null", by: "socket: \(configured)", in: host.configuration)
            let activation = [
                "systemd-socket-activate", "--fdname=varlink", "-l", host.socket.string,
            ]
            let ended = try await host.run(by: activation, waitsUntilReady: false) { _ in
                let status = try await host.control("status")
                try #require(status.status.isSuccess, "\(status)")
                let reload = try await host.control("reload")
                try #require(!reload.output.contains("control.socket"), "\(reload)")
            }
            let lines = ended.log.split(separator: "\n").filter {
                $0.hasPrefix("<4>") && $0.contains("control.socket")
            }
            try #require(lines.count == 1, "\(ended.log)")
            try #require(
                lines[0].contains(
                    "control.socket, \(configured), has no effect: the service manager passed "
                        + "\(host.socket)."), "\(lines)")
        }
    }

    @Test func `a missing directory for the socket is created`() async throws {
        try await Host.with { host in
            let socket = host.directory.appending("run/reprise/control")
            try await host.run(arguments(host, socket: socket)) { _ in
                try #require(socket.isSocket)
            }
            try #require(!socket.isSocket)
        }
    }
}
