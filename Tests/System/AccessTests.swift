import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Access to the daemon by different users and clients.
@Suite(.serialized) struct AccessTests {
    @Test(arguments: Debian.allCases)
    func `members of the group can call the daemon, and other users are refused`(debian: Debian)
        async throws
    {
        try await Container.withDaemon(debian) { container in
            try await container.run("useradd", "--groups", "reprise", "member")
            try await container.run("useradd", "other")
            // The second round tests the state after the daemon has run and the runtime directory belongs to its user.
            for _ in 1...2 {
                let member = try await container.run(
                    "runuser", "-u", "member", "--", "reprisectl", "status")
                try #require(member.output.hasPrefix("reprised "), "\(member)")
                let other = try await container.attempt(
                    "runuser", "-u", "other", "--", "reprisectl", "status")
                try #require(other.status == .exited(4), "\(other)")
                try #require(
                    other.errors == "reprisectl: this user has no permission to use the daemon at "
                        + "/run/reprise/control: run the command as root, as the daemon's user, or "
                        + "as a member of the group reprise.\n", "\(other)")
                try await container.run("systemctl", "restart", "reprised")
            }
            let state = try await container.run(
                "stat", "-c", "%a %U:%G", "/var/lib/reprise",
                "/var/lib/reprise/Saved Application State/org.reprise.ChildViews.savedState",
                "/var/lib/reprise/Saved Application State/org.reprise.ChildViews.savedState/"
                    + "data.archive")
            try #require(
                state.output
                    == "700 reprise:reprise\n700 reprise:reprise\n600 reprise:reprise\n")
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `the journal records the program and user behind a destructive command`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("reset")
            try await container.awaitRecord(
                "REPRISE_PROGRAM=reprisectl", "REPRISE_UID=0",
                "REPRISE_COMMAND=org.reprise.Control.Reset")
            try await container.requireNoWarnings()
        }
    }

    @Test func `varlinkctl can inspect and call the daemon`() async throws {
        try await Container.withDaemon(.debian13) { container in
            let socket = "/run/reprise/control"
            try await container.run(
                "varlinkctl", "validate-idl", "/usr/share/varlink/org.reprise.Control.varlink")
            let information = try await container.run("varlinkctl", "info", socket)
            try #require(information.output.contains("org.reprise.Control"), "\(information)")
            let described = try await container.run(
                "varlinkctl", "introspect", socket, "org.reprise.Control")
            try #require(described.output.contains("method Select("), "\(described)")
            let path = #""path":"nav/parent/child1/textField""#
            let typed = try await container.run(
                "varlinkctl", "--json=short", "call", socket, "org.reprise.Control.Type",
                #"{\#(path),"text":"wörld 🌍"}"#)
            try #require(typed.output == "{\"saved\":\"written\"}\n", "\(typed)")
            let read = try await container.run(
                "varlinkctl", "--json=short", "call", socket, "org.reprise.Control.Get",
                #"{\#(path),"key":"text"}"#)
            try #require(read.output == "{\"value\":\"wörld 🌍\"}\n", "\(read)")
            let refused = try await container.attempt(
                "varlinkctl", "call", socket, "org.reprise.Control.Get", #"{"path":"nav/none"}"#)
            try #require(!refused.status.isSuccess)
            try #require(
                refused.errors.contains("org.reprise.Control.NoSuchObject"), "\(refused)")
            for call in [["Ping", "{}"], ["SetLogLevel", #"{"level":7}"#], ["Reload", "{}"]] {
                let method = "io.systemd.service.\(call[0])"
                let answer = try await container.run(
                    "varlinkctl", "--json=short", "call", socket, method, call[1])
                try #require(answer.output == "{}\n", "\(method): \(answer)")
            }
            try await container.awaitRecord(
                "MESSAGE_ID=\(MessageID.reloaded)", "REPRISE_REASON=command")
            try await container.requireNoWarnings()
        }
    }

    /// Calls of all methods that are not in ``others``, in an order in which all calls succeed.
    private static let calls: [(method: String, parameters: String)] = {
        let text = #""path":"nav/parent/child1/textField""#
        let state = #""application":"org.reprise.StateRestore""#
        let table = #""path":"navController/tableViewController/tableView",\#(state)"#
        let scrap = #""application":"org.reprise.Scrapbook""#
        let web = #""path":"tabs/web/webView",\#(scrap)"#
        return [
            ("Status", ""), ("List", ""), ("Metrics", ""), ("Clients", ""), ("Show", ""),
            ("Tree", ""), ("Commands", #""path":"nav""#), ("Type", #"\#(text),"text":"a""#),
            ("EditText", #"\#(text),"text":"b""#), ("Attach", #""columns":40"#),
            ("Describe", ""),
            ("ReplaceText", #"\#(text),"start":0,"end":2,"text":"a","base":"2-4d2505ca""#),
            ("Get", text), ("Explain", text),
            ("Report", ""), ("Open", #""name":"second""#), ("Close", #""name":"second""#),
            ("Select", #"\#(table),"indexes":[0]"#), ("Edit", #"\#(table),"on":true"#),
            ("Move", #"\#(table),"from":0,"to":1"#), ("Delete", #"\#(table),"row":0"#),
            ("UndoDelete", table),
            ("Edit", #"\#(table),"on":false"#), ("Tap", #"\#(table),"row":0"#), ("Dismiss", state),
            ("Scroll", #"\#(table),"x":0,"y":0"#),
            ("Zoom", #""path":"tabs/picture/imageView",\#(scrap),"scale":2"#),
            ("Load", #"\#(web),"url":"scrapbook:paper""#), ("Back", web), ("Forward", web),
            ("Preserve", ""), ("Quit", ""), ("Launch", ""), ("History", ""), ("Quarantine", ""),
            ("Diff", #""from":"1""#), ("Rollback", #""generation":"1""#), ("Reset", ""),
            ("HistoryDelete", #""generations":["1"]"#), ("QuarantineAcknowledge", ""),
            ("Rekey", ""), ("Reload", ""),
        ]
    }()

    /// Methods that these tests do not call: their preconditions are not met, they have several replies, they need a
    /// cluster or a configuration option, or they would terminate the daemon.
    private static let others = [
        "Call", "QuarantinePutBack", "QuarantineDelete", "Monitor", "Backup", "Relocate", "Drain",
        "Cluster", "ClusterHistory", "ClusterPause", "ClusterResume", "ClusterTake", "DebugExit",
        "DebugTrap",
    ]

    @Test func `varlinkctl can call every method that needs no special setup`() async throws {
        try await Container.withDaemon(.debian13) { container in
            let socket = "/run/reprise/control"
            let listed = try await container.run(
                "varlinkctl", "list-methods", socket, "org.reprise.Control")
            let methods = Set(
                listed.output.split(separator: "\n").map {
                    String($0.split(separator: ".").last ?? "")
                })
            try #require(methods == Set(Self.calls.map(\.method) + Self.others), "\(listed)")
            for (method, parameters) in Self.calls {
                try await container.run(
                    "varlinkctl", "--json=short", "call", socket, "org.reprise.Control.\(method)",
                    "{\(parameters)}")
            }
            try await container.requireNoWarnings()
        }
    }

    /// Script that uses `varlink` from PyPI on this machine.
    private static let python = """
        import json, sys, varlink
        address, *calls = sys.argv[1:]
        with varlink.Client.new_with_address("unix:" + address) as client:
            with client.open("org.reprise.Control") as control:
                for method, parameters in zip(calls[::2], calls[1::2]):
                    print(method, sorted(getattr(control, method)(**json.loads(parameters))))
        """

    @Test func `the Python client can call every method that needs no special setup`() async throws
    {
        try await Container.withDaemon(.debian13) { container in
            let calls = Self.calls.flatMap { [$0.method, "{\($0.parameters)}"] }
            let output = try await Python.run(
                Self.python, [container.path("/run/reprise/control").string] + calls,
                in: Repository.directory)
            try #require(
                output.split(separator: "\n").count == Self.calls.count, "\(output)")
            try await container.requireNoWarnings()
        }
    }

    @Test func `varlinkctl can follow events`() async throws {
        let script = """
            control=org.reprise.Control
            varlinkctl --json=short call --more /run/reprise/control $control.Monitor \
                '{"kinds":["changed"]}' >/tmp/events &
            until [ -s /tmp/events ]; do sleep 0.05; done
            varlinkctl call /run/reprise/control $control.Type \
                '{"path":"nav/parent/child1/textField","text":"followed"}' >/tmp/typed
            until grep -q followed /tmp/events; do sleep 0.05; done
            kill $!
            grep -c '"event":{' /tmp/events
            """
        try await Container.withDaemon(.debian13) { container in
            let followed = try await container.run("bash", "-c", script)
            try #require(followed.output == "2\n", "\(followed)")
            try await container.requireNoWarnings()
        }
    }
}
