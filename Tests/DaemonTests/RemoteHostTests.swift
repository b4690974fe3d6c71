import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Calls to another host, with a substitute for `ssh` that runs the remote command on this machine.
struct RemoteHostTests {
    /// Creates a substitute for `ssh` that records its arguments.
    private func makeShell(on host: Host) async throws -> [Environment.Key: String] {
        let programs = try Programs.reprisectl().removingLastComponent()
        let directory = host.directory.appending("bin")
        try directory.createDirectory()
        try directory.appending("ssh").write(
            """
            #!/bin/sh
            printf '%s\n' "$*" >>\(host.directory)/asked
            while [ "$1" != -- ]; do shift; done
            case $2 in
            here) PATH=\(programs):$PATH exec sh -c "$3" ;;
            bare) PATH=/usr/bin:/bin exec sh -c "$3" ;;
            old) exec sh -c 'exit 2' ;;
            hung) exec sh -c 'exit 5' ;;
            *) echo "ssh: connect to host $2 port 22: No route to host" >&2; exit 255 ;;
            esac
            """.utf8)
        try await host.run("chmod", "755", directory.appending("ssh").string)
        return ["PATH": "\(directory):\(ProgramResult.environment["PATH", default: ""])"]
    }

    @Test func `a command is carried out by the daemon on the specified host`() async throws {
        try await Host.with { host in
            let environment = try await makeShell(on: host)
            try await host.run { _ in
                for option in ["-H here", "--host here", "--host=here"] {
                    let typed = try await host.shell(
                        "$CTL \(option) type \(Paths.child1) wörld", environment: environment)
                    try #require(typed.status.isSuccess && typed.errors == "", "\(typed)")
                    try await host.require(child1: "wörld", reason: nil)
                }
                // The text is larger than one read of the relay.
                let large = String(repeating: "a", count: 100_000)
                try host.directory.appending("text").write(large.utf8)
                let batch = try await host.shell(
                    "printf 'type \(Paths.child1) %s\\nget --raw \(Paths.child1) text' "
                        + "$(cat text) | $CTL -q -H here batch", environment: environment)
                try #require(batch.status.isSuccess, "\(batch.status): \(batch.errors)")
                try #require(batch.output == large)
                let refused = try await host.shell(
                    "$CTL --json -H here get nav/parnt", environment: environment)
                try #require(refused.status == .exited(1), "\(refused)")
                try #require(refused.output.contains(#""suggestion":"nav/parent""#), "\(refused)")
                // All calls of a command use one connection.
                let sshArguments = try host.directory.appending("asked").text().split(
                    separator: "\n")
                try #require(sshArguments.count == 5, "\(sshArguments)")
                try #require(
                    sshArguments.allSatisfy {
                        $0
                            == "-T -x -o ConnectTimeout=60 -o ServerAliveInterval=15 -- here reprisectl relay --socket "
                            + "'\(host.socket)'"
                    }, "\(sshArguments)")
            }
        }
    }

    @Test(arguments: [
        (
            "-H nowhere list", 3,
            "cannot connect to nowhere with ssh, which printed the reason; `ssh nowhere"
        ),
        ("-H bare list", 3, "there is no reprisectl on bare: install Reprise there; `ssh bare"),
        ("-H old list", 3, "the version of reprisectl on old has no relay command: install this"),
        ("-H here list", 3, "no daemon responds on here: start reprised there."),
        ("-H hung list", 5, "the daemon on hung does not accept the connection: see its log"),
        (
            "-H here --socket \(String(repeating: "a", count: 108)) list", 3,
            "the relay on here cannot use the daemon's socket and printed the reason: specify another"
        ),
        (
            "-H away list", 3,
            "cannot connect to away with ssh, which printed the reason; `ssh away true`"
        ),
        (
            "-H away monitor", 3,
            "cannot connect to away with ssh, which printed the reason; `ssh away true`"
        ),
        ("-H away tap x", 5, "ssh could not connect to away, or lost the connection: Tap may have"),
        ("-H -x list", 2, "Missing value for '-H <host>'"),
        (
            "--host '' list", 2,
            "--host has no value: specify a host as for ssh, or remove the option."
        ),
        ("-H here relay", 2, "relay runs on the remote host and does not accept --host."),
    ])
    func `connection failures and invalid uses of --host are reported`(
        command: String, status: Int32, sentence: String
    ) async throws {
        try await Host.with { host in
            let environment = try await makeShell(on: host)
            let result = try await host.shell("$CTL \(command)", environment: environment)
            try #require(result.status == .exited(status), "\(result)")
            try #require(result.errors.contains("reprisectl: \(sentence)"), "\(result)")
        }
    }

    @Test(arguments: [("1500ms", 1, 750), ("2s", 2, 1000)])
    func `ssh and the relay receive timeouts that fit the client's timeout`(
        timeout: String, seconds: Int, relayMilliseconds: Int
    ) async throws {
        try await Host.with { host in
            let environment = try await makeShell(on: host)
            _ = try await host.shell(
                "$CTL -H hung --timeout \(timeout) list", environment: environment)
            let sshArguments = try host.directory.appending("asked").text()
            #expect(
                sshArguments
                    == "-T -x -o ConnectTimeout=\(seconds) -o ServerAliveInterval=15 -- hung "
                    + "reprisectl relay --socket '\(host.socket)' --timeout \(relayMilliseconds)ms\n"
            )
        }
    }

    @Test(arguments: [
        ("Get", "get nav"), ("Get", "get nav text --watch"), ("Show", "show --watch"),
        ("Monitor", "monitor --app A"), ("Backup", "backup copy"), ("Attach", "attach"),
    ])
    func `--follow connects to another host only once`(
        method: String, command: String
    ) async throws {
        try await Host.with { host in
            let refusal = StubReply(
                error: "OwnedElsewhere", #"{"application":"A","host":"here"}"#)
            let result = try await host.runWithStub(
                [method: [refusal]], "$CTL --follow \(command)",
                environment: try await makeShell(on: host))
            #expect(result.status == .exited(1), "\(result)")
            #expect(
                result.errors
                    == "reprisectl: A runs on the host here of the cluster: connect to that host.\n"
            )
            let sshArguments = try host.directory.appending("asked").text().split(separator: "\n")
            #expect(sshArguments.count == 1, "\(sshArguments)")
        }
    }

    @Test func `a missing ssh is reported, and a hanging host causes a timeout`() async throws {
        try await Host.with { host in
            let absent = try await host.shell(
                "PATH=/nowhere $CTL -H here list", environment: try await makeShell(on: host))
            try #require(absent.status == .exited(3), "\(absent)")
            try #require(
                absent.errors == "reprisectl: ssh cannot be started: No such file or directory; "
                    + "install it (on Debian the package openssh-client).\n", "\(absent)")
            let ssh = host.directory.appending("bin/ssh")
            try ssh.write("#!/bin/sh\nexec sleep 1000\n".utf8)
            let hanging = try await host.shell(
                "PATH=\(host.directory)/bin:$PATH; $CTL --timeout 50ms -H here list")
            try #require(hanging.status == .exited(5), "\(hanging)")
        }
    }
}
