import Subprocess
import Testing

/// The daemon under systemd, with all hardening options of its unit.
@Suite(.serialized) struct ServiceTests {
    private static let child1 = "nav/parent/child1/textField"
    private static let child2 = "nav/parent/child2/textField"
    private static let messages = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c1"

    private func requireChanged(_ container: Container, reason: String) async throws {
        let status = try await container.control("status")
        try #require(status.contains("scene main: launched with reason \(reason)"), "\(status)")
        try #require(status.contains("7 of 7 objects restored"), "\(status)")
        try #require(try await container.control("get", Self.child1, "text") == "hello\n")
        try #require(try await container.control("get", Self.child2, "text") == "wörld 🌍\n")
        let drawn = try await container.control("show")
        try #require(drawn.contains("[ Second ]") && drawn.contains("wörld 🌍"), "\(drawn)")
    }

    @Test(arguments: Debian.allCases)
    func `L3: all state is restored after a restart and after a kill`(debian: Debian) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.run("systemctl", "start", "reprised")
            let first = try await container.control("status")
            try #require(first.contains("launched with reason pristine"), "\(first)")
            try await container.control("type", Self.child1, "hello")
            try await container.control("select", "nav/parent/segmentedControl", "1")
            try await container.control("type", Self.child2, "wörld 🌍")

            try await container.run("systemctl", "restart", "reprised")
            try await requireChanged(container, reason: "restore")
            let shown = try await container.run("systemctl", "status", "--no-pager", "reprised")
            try #require(
                shown.output.contains(
                    "Status: \"Hosting 4 applications with 4 scenes, everything is saved.\""),
                "\(shown)")

            let process = try await container.property("MainPID")
            try await container.run("systemctl", "kill", "-s", "KILL", "reprised")
            try await requireChanged(container, reason: "recover")
            try #require(try await container.property("MainPID") != process)
            try #require(try await container.property("NRestarts") == "1")
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `a removed control socket is reported, and restarting the service recreates it`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.run("systemctl", "start", "reprised")
            try await container.control("type", Self.child1, "hello")
            for removal in [["rm", "/run/reprise/control"], ["mv", "/run/reprise", "/run/gone"]] {
                let removed = try await container.attempt(removal)
                try #require(removed.status.isSuccess, "\(removed)")
                try await container.awaitRecord("MESSAGE_ID=\(Self.messages)3e")
                let check = try await container.attempt("reprisectl", "status", "--check")
                try #require(check.status == .exited(2), "\(check)")
                try #require(
                    check.output.hasPrefix("CRITICAL: ")
                        && check.output.contains("systemctl restart reprised"), "\(check)")
                try await container.run("systemctl", "restart", "reprised")
                let text = try await container.control("get", Self.child1, "text")
                try #require(text == "hello\n")
            }

            // The daemon created this socket, and creates it again. A client that is faster waits and prints a message.
            try await container.run("rm", "/run/reprise/control")
            let read = try await container.attempt("reprisectl", "get", Self.child1, "text")
            try #require(read.status.isSuccess && read.output == "hello\n", "\(read)")

            // After both units are restarted, the socket has its original owner and group.
            for action in ["stop", "start"] {
                try await container.run(
                    "systemctl", action, "reprised.socket", "reprised.service")
            }
            try #require(try await container.control("get", Self.child1, "text") == "hello\n")
            let access = try await container.run("stat", "-c", "%U:%G", "/run/reprise/control")
            try #require(access.output == "root:reprise\n", "\(access)")
        }
    }

    @Test(arguments: Debian.allCases)
    func `clients learn why a start fails, and a misnamed socket unit causes no restart loop`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.run("systemctl", "start", "reprised")
            try await container.run("systemctl", "stop", "reprised")
            // The state directory belongs to another user and is not managed by systemd.
            try await container.run(
                "sh", "-c",
                "mkdir -p /etc/systemd/system/reprised.service.d /srv/state; chmod 700 /srv/state; "
                    + "printf '[Service]\\nExecStart=\\nExecStart=/usr/bin/reprised --state-directory "
                    + "/srv/state\\nReadWritePaths=/srv/state\\n' >/etc/systemd/system/reprised.service.d/state.conf; "
                    + "systemctl daemon-reload")
            _ = try await container.attempt("systemctl", "start", "reprised")
            for _ in 1...3 {
                let check = try await container.attempt("reprisectl", "status", "--check")
                try #require(check.status == .exited(2), "\(check)")
                try #require(
                    check.output.hasPrefix("CRITICAL: The daemon cannot start: ")
                        && check.output.contains("/srv/state"), "\(check)")
            }
            try await container.run("chown", "reprise", "/srv/state")
            // The failed process continues to reply for up to a second.
            var status = try await container.attempt("reprisectl", "status")
            for _ in 0..<500 where !status.status.isSuccess {
                status = try await container.attempt("reprisectl", "status")
            }
            try #require(status.output.contains("launched with reason pristine"), "\(status)")

            // A socket unit without the name of the control socket.
            try await container.run("systemctl", "stop", "reprised.socket", "reprised.service")
            try await container.run(
                "sh", "-c",
                "printf '[Socket]\\nListenStream=/run/other\\nService=reprised.service\\n' "
                    + ">/etc/systemd/system/other.socket; "
                    + "sed -i '/^\\(After\\|Wants\\)=reprised.socket/d' /etc/systemd/system/reprised.service "
                    + "|| true; systemctl daemon-reload; systemctl mask --now reprised.socket; "
                    + "systemctl start other.socket")
            let refused = try await container.attempt(
                "reprisectl", "--socket", "/run/other", "status")
            try #require(
                refused.errors.contains("passed other.socket, but none of them is named varlink"),
                "\(refused)")
            try #require(try await container.property("NRestarts") == "0")
        }
    }

    @Test(arguments: Debian.allCases)
    func `the unit becomes active only after restoration, and the journal records each event`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.run("systemctl", "start", "reprised")
            try await container.control("type", Self.child1, "hello")
            try await container.run("systemctl", "stop", "reprised")
            try await container.run("systemctl", "start", "reprised")

            // Both timestamps are in wall-clock time: when the record was sent, and when READY arrived.
            let restored = try await container.records("MESSAGE_ID=\(Self.messages)02")
            try #require(restored.count == 4)
            let sent = restored.compactMap { record in
                field("_SOURCE_REALTIME_TIMESTAMP", of: record).flatMap { UInt64($0) }
            }
            try #require(sent.count == restored.count)
            let active = try await container.run(
                "busctl", "get-property", "org.freedesktop.systemd1",
                "/org/freedesktop/systemd1/unit/reprised_2eservice",
                "org.freedesktop.systemd1.Unit", "ActiveEnterTimestamp")
            let since = try #require(
                active.output.split { " \n".contains($0) }.last.flatMap { UInt64($0) })
            try #require(sent.allSatisfy { $0 < since }, "\(active)")

            let explained = try await container.run(
                "journalctl", "--catalog", "--no-pager", "MESSAGE_ID=\(Self.messages)02")
            try #require(
                explained.output.contains(
                    "The scene main of org.reprise.ChildViews was restored from its saved state"),
                "\(explained)")

            try await container.run("systemctl", "stop", "reprised")
            for (event, reason, scene) in [
                ("01", "pristine", "main"), ("01", "restore", "main"), ("02", "restore", "main"),
                ("03", "launch", "main"), ("03", "stop", "main"), ("04", nil, nil),
            ] {
                let records = try await container.records("MESSAGE_ID=\(Self.messages)\(event)")
                try #require(
                    records.contains {
                        field("REPRISE_APPLICATION", of: $0) == "org.reprise.ChildViews"
                            && field("REPRISE_REASON", of: $0) == reason
                            && field("REPRISE_SCENE", of: $0) == scene
                            && field("SYSLOG_IDENTIFIER", of: $0) == "reprised"
                    }, "\(event) \(reason ?? "")")
            }
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `the socket survives the service and starts it on demand`(debian: Debian) async throws {
        try await Container.withDaemon(debian) { container in
            let before = try await container.attempt("systemctl", "is-active", "reprised")
            try #require(before.output == "inactive\n", "\(before)")
            try await container.control("type", Self.child1, "hello")
            // The daemon may have replied before systemd processed its READY=1.
            try await container.run(
                "timeout", "60", "sh", "-c", "until systemctl is-active reprised; do :; done")

            try await container.run("systemctl", "stop", "reprised.service")
            let after = try await container.attempt("systemctl", "is-active", "reprised")
            try #require(after.output == "inactive\n", "\(after)")
            try await container.run("systemctl", "is-active", "reprised.socket")
            try #require(try await container.control("get", Self.child1, "text") == "hello\n")
            let status = try await container.control("status")
            try #require(status.contains("launched with reason restore"), "\(status)")
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `the unit status shows an invalid configuration, and the service is not restarted`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            let drop = "/etc/reprise/reprised.d/50-broken.yaml"
            try await container.run(
                "sh", "-c", "mkdir -p ${0%/*} && echo 'log: { level: loud }' >$0", drop)
            let start = try await container.attempt("systemctl", "start", "reprised")
            try #require(start.status == .exited(1), "\(start)")
            try #require(try await container.property("ExecMainStatus") == "78")
            try #require(try await container.property("NRestarts") == "0")
            let statusText = try await container.property("StatusText")
            try #require(statusText.hasPrefix("Failed: \(drop):1:15: "), "\(statusText)")
            let record = try #require(
                try await container.records("MESSAGE_ID=\(MessageID.failed)", "PRIORITY=3").first)
            try #require(field("REPRISE_FILE", of: record) == drop)
            try #require(field("REPRISE_LINE", of: record) == "1")
            try #require(field("REPRISE_COLUMN", of: record) == "15")

            try await container.run("rm", drop)
            try await container.run("systemctl", "start", "reprised")
            try await container.control("status")
            let line = try #require(
                try await container.records("MESSAGE_ID=\(MessageID.starting)").last)
            for part in [
                "/etc/reprise/reprised.yaml;", "/var/lib/reprise, not encrypted;",
                "/run/reprise/control,",
            ] {
                try #require(line.contains(part), "\(line)")
            }
        }
    }

    /// More starts than the start limits of systemd allow by default.
    private static let manyStarts = 12

    @Test(arguments: Debian.allCases)
    func
        `clients get the error of an invalid configuration until the configuration is fixed`(
            debian: Debian
        ) async throws
    {
        try await Container.withDaemon(debian) { container in
            let drop = "/etc/reprise/reprised.d/50-broken.yaml"
            try await container.run(
                "sh", "-c", "mkdir -p ${0%/*} && echo 'log: { level: loud }' >$0", drop)
            let failed = "journalctl --quiet --boot -o cat MESSAGE_ID=\(MessageID.failed) | wc -l"
            let clients = try await container.run(
                "bash", "-c",
                "until [ $(\(failed)) -ge \(Self.manyStarts) ]; do "
                    + "reprisectl status 2>&1 && exit 9; [ $? = 1 ] || exit 8; done")
            let lines = clients.output.split(separator: "\n")
            // While the daemon is not running again yet, clients print that they are waiting.
            let others = lines.filter {
                !$0.hasPrefix("reprisectl: \(drop):1:15: ") && !$0.contains("waiting up to")
            }
            try #require(others.isEmpty && !lines.isEmpty, "\(others)")
            try await container.run("systemctl", "is-active", "reprised.socket")

            // The last start may have read the file before it was removed.
            try await container.run("rm", drop)
            try await container.run(
                "timeout", "60", "sh", "-c", "until reprisectl status; do :; done")
        }
    }

    @Test(arguments: Debian.allCases)
    func `L3: a daemon that is killed repeatedly is started again each time`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            for number in 0..<Self.manyStarts {
                try await container.control("type", Self.child1, "\(number)")
                try await container.run("systemctl", "kill", "-s", "KILL", "reprised")
                try #require(
                    try await container.control("get", Self.child1, "text") == "\(number)\n")
            }
        }
    }

    @Test(arguments: Debian.allCases)
    func `a check reads the configuration with the permissions and limits of the service`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            let valid = try await container.run("reprised", "--check", "--unit", "reprised")
            try #require(valid.output.hasSuffix(": no errors found.\n"), "\(valid)")
            let drop = "/etc/reprise/reprised.d/50-own.yaml"
            try await container.run(
                "sh", "-c",
                "mkdir -p ${0%/*} && echo 'control: { connectionsPerUser: 8000 }' >$0 && chmod 600 $0",
                drop)
            let root = try await container.attempt("reprised", "--check")
            try #require(root.status == .exited(0), "\(root)")
            let unread = try await container.attempt("reprised", "--check", "--unit", "reprised")
            try #require(unread.status == .exited(78), "\(unread)")
            try #require(
                unread.errors.hasPrefix("reprised: \(drop) cannot be read (Permission denied)"),
                "\(unread)")
            try await container.run("chmod", "644", drop)
            let many = try await container.attempt(
                "reprised", "--check", "--unit", "reprised.service")
            try #require(many.status == .exited(78), "\(many)")
            try #require(many.errors.hasPrefix("reprised: \(drop):1:32: "), "\(many)")
            try await container.run("rm", drop)
            // Ansible checks a file before it is in place, in a directory that only root can read.
            try await container.run(
                "sh", "-ec",
                "mkdir -m 700 /root/new; install -m 600 /etc/reprise/reprised.yaml /root/new/source.yaml"
            )
            let candidate = try await container.run(
                "reprised", "--check", "--unit", "reprised", "--config", "/root/new/source.yaml",
                "--storyboards", "/etc/reprise/storyboards")
            try #require(candidate.output.hasSuffix(": no errors found.\n"), "\(candidate)")
            let none = try await container.attempt("reprised", "--check", "--unit", "nothing")
            try #require(none.status == .exited(1), "\(none)")
            try #require(none.errors.contains("nothing.service (No such file"), "\(none)")
        }
    }
}
