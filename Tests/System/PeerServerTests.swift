import DaemonHost
import SystemPackage
import Testing

/// Comparison of the daemon with one of systemd's own Varlink servers for the same input.
struct PeerServerTests {
    /// Script that sends each of its arguments over a separate connection, and prints a line about the server's
    /// reaction. A case that continues to send ends with a call whose reply is known, so that no timeout is needed.
    private static let client = """
        import json, socket, sys
        path, interface, method, *cases = sys.argv[1:]
        probe = b'{"method":"org.example.Probe.Ask"}\\0'

        def told(message):
            message = json.loads(message)
            if "error" not in message:
                return "a reply" + (", continued" if message.get("continues") else "")
            name = message["error"].removeprefix("org.varlink.service.")
            about = message.get("parameters") or {}
            return " ".join([name] + [f"{key} {value}"[:40] for key, value in about.items()])

        def outcome(sent, isOpen):
            words, rest = [], b""
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(path)
                try:
                    client.sendall(sent + (probe if isOpen else b""))
                    if not isOpen:
                        client.shutdown(socket.SHUT_WR)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                while True:
                    try:
                        received = client.recv(1 << 20)
                    except ConnectionResetError:
                        received = b""
                    if not received:
                        return ", then ".join(words + ["connection closed"])
                    *messages, rest = (rest + received).split(b"\\0")
                    for message in messages:
                        if b"org.example.Probe" in message:
                            return ", ".join(words or ["no reply"])
                        words.append(told(message))

        for case in cases:
            isOpen, sent = case[0] == "+", bytes.fromhex(case[1:])
            sent = sent.replace(b"$I", interface.encode()).replace(b"$M", method.encode())
            print(outcome(sent, isOpen).replace(interface, "…"))
        """

    /// Returns what a server did in each case. systemd's services only serve clients in their own PID namespace.
    private func outcomes(
        _ socket: String, _ interface: String, _ method: String, in container: Container
    ) async throws -> [Substring] {
        let cases = PeerServerCases.all.map { one in
            (one.isOpen ? "+" : "-") + one.bytes.map { Self.hexadecimal($0) }.joined()
        }
        let result = try await CommandResult.of(
            [
                "nsenter", "--target", container.leader, "--pid", "--", "python3", "-c",
                Self.client, container.path(socket).string, interface, method,
            ] + cases
        ).get()
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == PeerServerCases.all.count, "\(result)")
        return lines
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Runs the tests of another target that need a host with systemd.
    @Test func `generated clients can call systemd's services`() async throws {
        try await Container.withBooted(.debian13) { container in
            let result = try await CommandResult.of(
                "nsenter", "--target", container.leader, "--pid", "--", "env",
                "REPRISE_SYSTEMD_ROOT=\(container.path("/"))", Programs.tests().string,
                "--testing-library", "swift-testing", "--filter",
                #"^VarlinkGenerationTests\.SystemdServiceTests/"#)
            let output = result.output + result.errors
            #expect(output.contains("4 tests in 1 suite passed"), "\(output)")
        }
    }

    /// Checks the table in docs/varlink.md.
    @Test func `the daemon replies like a Varlink server of systemd, except as documented`()
        async throws
    {
        try await Container.withDaemon(.debian13) { container in
            try await container.run("systemctl", "start", "reprised")
            let peer = try await outcomes(
                "/run/systemd/io.systemd.Hostname", "io.systemd.Hostname", "Describe",
                in: container)
            let ours = try await outcomes(
                "/run/reprise/control", "org.reprise.Control", "List", in: container)
            let rows = zip(PeerServerCases.all, zip(peer, ours)).map { one, outcomes in
                let (peer, ours) = outcomes
                return "| \(one.name) | \(peer) | \(ours == peer ? "the same" : ours) |\n"
            }
            let table = rows.joined()
            let document = try Repository.text(of: "docs/varlink.md")
            try #require(document.contains(table), "docs/varlink.md does not have:\n\(table)")
        }
    }
}
