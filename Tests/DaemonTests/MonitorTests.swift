import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Commands that follow the daemon.
struct MonitorTests {
    /// Returns a shell script that starts a command and waits until it follows the daemon.
    private static func beginning(_ command: String, _ method: String) -> String {
        """
        $CTL \(command) >followed 2>complained &
        until $CTL clients | grep -q "follows org.reprise.Control.\(method)"; do sleep 0.01; done

        """
    }

    @Test func `monitor prints a given number of events, optionally of one kind and one object`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let result = try await host.shell(
                    Self.beginning(
                        "monitor --kind changed --path nav/parent/child1 --count 2", "Monitor")
                            + """
                            $CTL type nav/parent/child2/textField other
                            $CTL type \(Paths.child1) "a b"
                            wait $! && cat followed complained
                            """)
                let lines = result.output.split(separator: "\n").dropFirst(2)
                try #require(result.status.isSuccess && lines.count == 2, "\(result)")
                try #require(
                    lines.last?.hasSuffix(
                        "  changed  org.reprise.ChildViews main nav/parent/child1  text: a b")
                        == true,
                    "\(result)")
                let json = try await host.shell(
                    Self.beginning("--json monitor --kind generation --count 1", "Monitor")
                        + "$CTL quit >/dev/null && wait $! && cat followed")
                try #require(
                    json.output.hasPrefix(#"{"event":{"application":"org.reprise.ChildViews","#)
                        && json.output.contains(#""kind":"generation""#), "\(json)")
            }
        }
    }

    @Test func `the daemon itself refuses to follow an application that it does not host`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                // reprisectl would request the names first.
                let result = try await host.shell(
                    """
                    python3 -c '
                    import json, socket
                    call = {"method": "org.reprise.Control.Monitor", "more": True,
                            "parameters": {"application": "org.none"}}
                    client = socket.socket(socket.AF_UNIX)
                    client.connect("control")
                    client.sendall(json.dumps(call).encode() + bytes(1))
                    print(client.recv(4096).decode())'
                    """)
                try #require(
                    result.output.contains("org.reprise.Control.NoSuchApplication"), "\(result)")
            }
        }
    }

    @Test func `monitor continues after a restart and reports that events were missed`()
        async throws
    {
        try await Host.with { host in
            let ended = try await host.run { _ in
                try await host.shell(
                    """
                    $CTL monitor --kind changed >followed 2>complained &
                    echo $! >monitor
                    until $CTL clients | grep -q Monitor; do sleep 0.01; done
                    """)
            }
            try #require(ended.value.status.isSuccess, "\(ended.value)")
            try await host.run { _ in
                let result = try await host.shell(
                    """
                    until $CTL clients | grep -q Monitor; do sleep 0.01; done
                    $CTL type \(Paths.child1) after >/dev/null
                    until grep -q after followed; do sleep 0.01; done
                    cat complained
                    """)
                try #require(
                    result.output.contains("does not respond; waiting up to")
                        && result.output.hasSuffix(
                            "reprisectl: events were missed: known values may be outdated.\n"
                        ),
                    "\(result)")
            }
            // The client waits again after another restart.
            try await host.run { _ in
                let result = try await host.shell(
                    """
                    until $CTL clients | grep -q Monitor; do sleep 0.01; done
                    grep -c "does not respond; waiting up to" complained
                    $CTL type \(Paths.child1) last >/dev/null
                    until grep -q last followed; do sleep 0.01; done
                    kill "$(cat monitor)"
                    """)
                try #require(result.output == "2\n", "\(result)")
            }
        }
    }

    @Test func `unknown applications and invalid options are refused`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let application = try await host.control("--app", "org.none", "monitor")
                try #require(application.status == .exited(1), "\(application)")
                try #require(application.errors.contains("no application org.none"))
                let kind = try await host.control("monitor", "--kind", "nothing")
                try #require(kind.status == .exited(2) && kind.errors.contains("quarantined"))
                let count = try await host.control("monitor", "--count", "0")
                try #require(count.status == .exited(2))
                let quiet = try await host.control("-q", "monitor")
                try #require(quiet.status == .exited(2), "\(quiet)")
                let near = try await host.control("--app", "childviews", "monitor")
                try #require(
                    near.errors.hasSuffix(" Did you mean org.reprise.ChildViews?\n"), "\(near)")
            }
        }
    }

    @Test func `a scene or object that does not exist yet is reported, and monitor waits for it`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                for (options, sentence) in [
                    (
                        "--scene mian",
                        "there is no scene mian now; monitor waits for it. Did you mean main?"
                    ),
                    (
                        "--path nav/parnt",
                        "there is no object at nav/parnt now; monitor waits for it. Did you mean "
                            + "nav/parent?"
                    ),
                    ("--path nav/parent", ""), ("--scene main --path nav", ""),
                ] {
                    let result = try await host.shell(
                        Self.beginning("monitor \(options)", "Monitor")
                            + "kill $!; cat complained")
                    let expected = sentence.isEmpty ? "" : "reprisectl: \(sentence)\n"
                    try #require(result.output == expected, "\(result)")
                }
            }
        }
    }

    @Test
    func `an object is followed until its scene closes, and a scene is followed until interrupted`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("open", "other")
                let value = try await host.shell(
                    Self.beginning("--scene other get nav/parent/child1 text --watch", "Get")
                        + """
                        $CTL --scene other type \(Paths.child1) one >/dev/null
                        until grep -q one followed; do sleep 0.01; done
                        $CTL close other >/dev/null
                        wait $!; echo "ended with $?"; cat followed complained
                        """)
                try #require(
                    value.output.hasPrefix("ended with 1\n\none\nreprisectl: The scene other of "),
                    "\(value)")
                let scene = try await host.shell(
                    Self.beginning("show --watch", "Show")
                        + """
                        $CTL type \(Paths.child1) seen >/dev/null
                        until grep -q seen followed; do sleep 0.01; done
                        kill $!; grep -c "Child Views" followed
                        """)
                try #require(scene.output == "2\n", "\(scene)")
            }
        }
    }

    @Test func `clients that follow an object or a scene continue after an orderly restart`()
        async throws
    {
        try await Host.with { host in
            func watch(_ number: Int, _ command: String) -> String {
                "$CTL \(command) >followed\(number) 2>complained\(number) & echo $! >>watchers; "
            }
            try await host.run { _ in
                let values = (0..<5).map { watch($0, "get nav/parent/child1 text --watch") }
                    .joined()
                let scenes = (5..<10).map { watch($0, "show --watch") }.joined()
                _ = try await host.shell(
                    values + scenes
                        + """
                        for n in 0 1 2 3 4 5 6 7 8 9; do
                            until [ -s followed$n ] || ! kill -0 $(sed -n $((n + 1))p watchers); do
                                sleep 0.01; done
                        done
                        $CTL -q type \(Paths.child1) before
                        """)
            }
            try await host.run { _ in
                let result = try await host.shell(
                    """
                    $CTL -q type \(Paths.child1) after
                    for n in 0 1 2 3 4 5 6 7 8 9; do
                        until grep -q after followed$n || ! kill -0 $(sed -n $((n + 1))p watchers); do
                            sleep 0.01; done
                        grep -q after followed$n || cat complained$n
                    done
                    kill $(cat watchers)
                    """)
                try #require(result.output + result.errors == "", "\(result)")
            }
        }
    }

    @Test func `clients are notified of a rollback, a reset and a forced quit immediately`()
        async throws
    {
        try await Host.with { host in
            try host.replace("interval: 5s", by: "interval: 1h", in: host.configuration)
            try await host.run { _ in
                let result = try await host.shell(
                    Self.beginning("get nav/parent/child1 text --watch", "Get")
                        + """
                        $CTL -q type \(Paths.child1) before
                        until grep -q before followed; do sleep 0.01; done
                        $CTL reset >/dev/null
                        until [ "$(tail -n 1 followed)" = "" ]; do sleep 0.01; done
                        $CTL rollback 1 >/dev/null
                        until [ "$(tail -n 1 followed)" = before ]; do sleep 0.01; done
                        $CTL quit --force >/dev/null
                        wait $!; echo "ended with $?"; cat complained
                        """)
                try #require(
                    result.output.hasPrefix(
                        "ended with 1\nreprisectl: org.reprise.ChildViews is not running"),
                    "\(result)")
                for command in ["get nav --watch", "show --watch"] {
                    let batch = try await host.shell("echo '\(command)' | $CTL batch")
                    try #require(batch.status == .exited(2), "\(command): \(batch)")
                }
            }
        }
    }
}
