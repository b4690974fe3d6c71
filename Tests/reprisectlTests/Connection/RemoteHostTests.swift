import Glibc
import RepriseControl
import TestSupport
import Testing
import Varlink

/// Calls to another host, with an `ssh` that runs its command on this host.
@Suite(.timeLimit(.minutes(10))) struct RemoteHostTests {
    private static let tap = Answer.reply(TapCall.Reply.with { $0.saved = .durable })
    private static let list = Answer.reply(
        ListCall.Reply(applications: [.with { $0.bundleIdentifier = "a" }]))

    /// Runs the program with an `ssh` that is a shell script.
    private func run(
        _ words: String, answers: [String: Answer] = [:], input: String = "", ssh script: String
    ) async throws -> (run: ProgramRun, started: [Substring]) {
        let ssh = try FakeSSH(script)
        let run = try await ProgramRun(
            words, answers: answers, input: input, environment: ssh.environment)
        return (run, try ssh.starts)
    }

    @Test func `calls reach the remote daemon through a relay`() async throws {
        let long = String(repeating: "x", count: 200_000)
        let answers = [
            "Tap": Self.tap, "Show": .reply(ShowCall.Reply.with { $0.text = long }),
        ]
        let (tapped, once) = try await self.run(
            "-H far tap b", answers: answers, ssh: FakeSSH.relay)
        #expect(tapped.status == 0)
        #expect(tapped.output == "saved: durable\n")
        #expect(tapped.calls == [#"Tap {"path":"b"}"#])
        #expect(
            once == [
                "-T -x -o ConnectTimeout=60 -o ServerAliveInterval=15 -- far reprisectl relay"
            ])
        let (shown, _) = try await self.run("-H far show", answers: answers, ssh: FakeSSH.relay)
        #expect(shown.output == "\(long)\n")
    }

    @Test(arguments: [
        ("--timeout 500ms", "ConnectTimeout=1", " --timeout 250ms"),
        ("--timeout 3s", "ConnectTimeout=3", " --timeout 1500ms"),
        ("--timeout 1ms", "ConnectTimeout=1", " --timeout 1ms"),
        ("--socket /it's", "ConnectTimeout=60", #" --socket '/it'\''s'"#),
    ])
    func `the relay is started with the socket and half of the timeout`(
        options: String, connect: String, relay: String
    ) async throws {
        let (run, started) = try await run("-H far \(options) list", ssh: "exit 3")
        #expect(run.status != 0)
        #expect(
            started == [
                "-T -x -o \(connect) -o ServerAliveInterval=15 -- far reprisectl relay\(relay)"
            ])
    }

    @Test(
        arguments: [
            (
                255, 3, "cannot connect to far with ssh", 5,
                "ssh could not connect to far, or lost the connection: Tap"
            ),
            (127, 3, "there is no reprisectl on far", 3, "there is no reprisectl on far"),
            (1, 3, "the relay on far cannot use", 3, "the relay on far cannot use"),
            (2, 3, "the version of reprisectl on far", 3, "the version of reprisectl on far"),
            (3, 3, "no daemon responds on far", 3, "no daemon responds on far"),
            (
                4, 4, "this user has no permission to use the daemon on far", 4,
                "this user has no permission"
            ),
            (
                5, 5, "the daemon on far does not accept the connection", 5,
                "the daemon on far does not accept the connection"
            ),
            (0, 3, "", 5, "the connection to the daemon on far was lost: Tap may have"),
        ] as [(Int, Int32, String, Int32, String)])
    func `the exit status of ssh determines the error`(
        exit: Int, status: Int32, message: String, tapStatus: Int32, tapMessage: String
    ) async throws {
        let (list, _) = try await run("-H far list", ssh: "exit \(exit)")
        #expect(list.status == status)
        #expect(list.errors.hasPrefix("reprisectl: \(message)"), "\(list.errors)")
        let (tap, started) = try await run("-H far tap b", ssh: "exit \(exit)")
        #expect(tap.status == tapStatus)
        #expect(tap.errors.hasPrefix("reprisectl: \(tapMessage)"), "\(tap.errors)")
        #expect(started.count == 1)
        let (monitor, _) = try await run("-H far monitor", ssh: "exit \(exit)")
        #expect(monitor.status == status)
    }

    @Test func `an ssh that hangs is terminated, even if it ignores SIGTERM`() async throws {
        for trap in ["", "trap '' TERM; "] {
            let (run, started) = try await run(
                "-H far --timeout 50ms list", ssh: "\(trap)while :; do sleep 0.05; done")
            #expect(run.status == 5)
            #expect(run.errors.contains("Use --timeout to wait longer"))
            #expect(started.count == 1)
        }
    }

    @Test func `a missing ssh is reported`() async throws {
        let run = try await ProgramRun(
            ["-H", "far", "list"], environment: ["PATH": "/nonexistent"],
            startedBy: ["/usr/bin/env"])
        #expect(run.status == 3)
        #expect(run.errors.hasPrefix("reprisectl: ssh cannot be started: "))
    }

    @Test func `--follow repeats a call once, on the host that runs the application`() async throws
    {
        let elsewhere = Answer.error(.ownedElsewhere(application: "a", host: "far", reason: nil))
        let (run, started) = try await run(
            "--follow --app a tap b", answers: ["Tap": .sequence([elsewhere, Self.tap])],
            ssh: FakeSSH.relay)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "saved: durable\n")
        #expect(run.calls.count == 2)
        #expect(started.count == 1)
        let (endless, twice) = try await self.run(
            "--follow --app a tap b", answers: ["Tap": elsewhere], ssh: FakeSSH.relay)
        #expect(endless.status == 1)
        #expect(endless.calls.count == 2)
        #expect(twice.count == 1)
        let (plain, none) = try await self.run(
            "--app a tap b", answers: ["Tap": .sequence([elsewhere, Self.tap])], ssh: FakeSSH.relay)
        #expect(plain.status == 1)
        #expect(none == [])
        let (nowhere, no) = try await self.run(
            "--follow --app a tap b",
            answers: ["Tap": .error(.ownedElsewhere(application: "a", host: nil, reason: "x"))],
            ssh: FakeSSH.relay)
        #expect(nowhere.status == 1)
        #expect(no == [])
    }

    @Test func `the health of an unreachable host is unknown`() async throws {
        let (run, _) = try await run("-H far status --check", ssh: "exit 255")
        #expect(run.status == 3)
        #expect(run.output.hasPrefix("UNKNOWN: cannot connect to far with ssh"))
        let local = try await ProgramRun(
            "--timeout 1ms status --check", environment: ["REPRISE_SOCKET": "/nonexistent/socket"])
        #expect(local.status == 2)
        #expect(local.output.hasPrefix("CRITICAL: "))
    }

    @Test func `a relay that cannot run reports the reason in its exit status`() async throws {
        let remote = try await ProgramRun("relay --host x")
        #expect(remote.status == 2)
        #expect(
            remote.errors
                == "reprisectl: relay runs on the remote host and does not accept --host.\n")
        let long = "/" + String(repeating: "x", count: 200)
        let socket = try await ProgramRun("relay --socket \(long)")
        #expect(socket.status == 1)
        let none = try await ProgramRun("relay --timeout 1ms --socket /nonexistent/socket")
        #expect(none.status == 3)
    }

    @Test func `a relay exits at the end of its input or when the daemon disconnects`() async throws
    {
        let run = try await ProgramRun("relay")
        #expect(run.status == 0)
        #expect(run.calls == [])
        let call = "{\"method\":\"org.reprise.Control.List\",\"parameters\":{}}\0"
        let closed = try await ProgramRun("relay", answers: ["List": .closes], input: call)
        #expect(closed.status == 0)
    }

    @Test func `a relay exits if its output can no longer be written`() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("call", "{\"method\":\"org.reprise.Control.List\",\"parameters\":{}}\0")
        // The pipe stays open for writing, so the input does not end.
        let script = #"""
            mkfifo "$0/pipe" && exec 3<>"$0/pipe" && cat "$0/call" >&3 &&
                exec "$@" <&3 >/dev/full
            """#
        let run = try await ProgramRun(
            ["relay"], answers: ["List": Self.list],
            startedBy: ["sh", "-c", script, scratch.path])
        #expect(run.status == 0)
        #expect(run.calls == ["List {}"])
    }

    @Test func `a relay waits for a daemon that is starting`() async throws {
        let scratch = try ScratchDirectory()
        // Creates the socket while the relay waits between two attempts, if the kernel shows this state.
        let script = #"""
            "$@" & relay=$!
            for attempt in $(seq 1000); do
                grep -q nanosleep /proc/$relay/wchan && break
            done
            ln -s "$REPRISE_SOCKET" "$0/socket"
            wait $relay
            """#
        let run = try await ProgramRun(
            ["relay", "--timeout", "60s", "--socket", scratch.file("socket")],
            startedBy: ["sh", "-c", script, scratch.path])
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `--follow follows an application that moves several times`() async throws {
        func event(_ number: Int) -> MonitorCall.Reply {
            .with {
                ($0.instance, $0.number) = ("i", number)
                $0.event = .with { ($0.time, $0.kind) = ("time \(number)", .ended) }
            }
        }
        let (run, started) = try await run(
            "--follow --app a monitor",
            answers: [
                "Monitor": .sequence([
                    .error(.ownedElsewhere(application: "a", host: "far")),
                    .replies([event(1)], then: .ownedElsewhere(application: "a", host: "back")),
                    .error(.daemonEnding), .replies([event(2)]),
                ])
            ], ssh: FakeSSH.relay)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "time 1  ended\ntime 2  ended\n")
        #expect(run.errors.hasPrefix("reprisectl: the daemon at back does not respond; "))
        let hosts = started.map { $0.split(separator: " ").dropLast(2).last }
        #expect(hosts == ["far", "back", "back"])
    }

    @Test func `--follow follows an application that moves between the calls of a batch`()
        async throws
    {
        func elsewhere(_ host: String) -> Answer {
            .error(.ownedElsewhere(application: "a", host: host, reason: nil))
        }
        let (run, started) = try await run(
            "--follow --app a batch",
            answers: [
                "Tap": .sequence([elsewhere("far"), Self.tap, elsewhere("back"), Self.tap])
            ], input: "tap b\ntap b\n", ssh: FakeSSH.relay)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.calls.count == 4)
        let hosts = started.map { $0.split(separator: " ").dropLast(2).last }
        #expect(hosts == ["far", "back"])
    }

    @Test func `a missing scene on another host is not looked up`() async throws {
        let (run, _) = try await run(
            "-H far monitor --scene none",
            answers: ["Monitor": .replies([MonitorCall.Reply()]), "List": Self.list],
            ssh: FakeSSH.relay)
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(run.calls == [#"Monitor {"scene":"none"},"more":true"#])
    }

    @Test func `after a call that cannot be sent, the next call starts ssh again`() async throws {
        let command = CommandDescription.with {
            $0.name = "retry"
            $0.parameters = [.with { ($0.name, $0.type) = ("list", "?[]int") }]
        }
        let list = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
        let (run, started) = try await run(
            "-H far batch --keep-going",
            answers: [
                "Commands": .reply(CommandsCall.Reply(commands: [command])), "Tap": Self.tap,
            ],
            input: "call nav retry list=\(list)\ntap b\n", ssh: FakeSSH.relay)
        #expect(run.status == 2)
        #expect(run.errors.contains("cannot be sent"))
        #expect(run.output == "saved: durable\n")
        #expect(started.count == 2)
    }
}
