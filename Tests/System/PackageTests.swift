import Subprocess
import Testing

/// The Debian package, with the systemd and apt of each release.
@Suite(.serialized) struct PackageTests {
    private static let child1 = "nav/parent/child1/textField"
    private static let child2 = "nav/parent/child2/textField"
    private static let load = ["type \(child1) text@", "type \(child2) --append x", "status"]

    @Test(arguments: Debian.allCases)
    func `apt installs the package, and its units pass systemd's checks`(debian: Debian)
        async throws
    {
        try await Container.withPackageInstalled(debian) { container in
            for unit in ["reprised.service", "reprised.socket"] {
                try await container.run("systemctl", "is-enabled", unit)
                try await container.run("systemctl", "is-active", unit)
            }
            try await container.control("type", Self.child1, "hello")
            try #require(try await container.control("get", Self.child1, "text") == "hello\n")

            let dropIns = try await container.property("DropInPaths")
            try #require(
                dropIns.contains("50-systemd-257.conf") == debian.takesDropIns, "\(dropIns)")
            let verified = try await container.attempt(
                "systemd-analyze", "verify", "--recursive-errors=no", "--man=no",
                "reprised.service", "reprised.socket", "reprised@lab.service",
                "reprised@lab.socket")
            try #require(verified.output + verified.errors == "", "\(verified)")
            let users = try await container.attempt(
                "env", "XDG_RUNTIME_DIR=/run", "systemd-analyze", "--user", "verify",
                "--recursive-errors=no", "--man=no",
                "/usr/lib/systemd/user/reprised.service", "/usr/lib/systemd/user/reprised.socket")
            try #require(users.output + users.errors == "", "\(users)")
            try #require(try await container.shell("dpkg --verify reprised") == "")

            let explained = try await container.shell(
                "journalctl --sync; journalctl --catalog -u reprised MESSAGE_ID=\(MessageID.launched)"
            )
            try #require(explained.contains("The launch reason is pristine"), "\(explained)")
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `a reload fails if the configuration is invalid`(debian: Debian) async throws {
        try await Container.withPackageInstalled(debian) { container in
            try await container.run("systemctl", "reload", "reprised")
            try await container.shell(
                "echo 'log: { level: loud }' >/etc/reprise/reprised.d/50.yaml"
            )
            let refused = try await container.attempt("systemctl", "reload", "reprised")
            try #require(refused.status == .exited(1), "\(refused)")
            try await container.run("systemctl", "is-active", "reprised")
            try await container.shell("rm /etc/reprise/reprised.d/50.yaml")
            try await container.run("systemctl", "reload", "reprised")
        }
    }

    @Test(arguments: Debian.allCases)
    func `restarts and an upgrade fail no call and preserve configuration changes and state`(
        debian: Debian
    ) async throws {
        try await Container.withPackageInstalled(debian) { container in
            try await container.shell(
                "sed -i 's/interval: 5s/interval: 7s/' /etc/reprise/reprised.yaml")
            let socket = try await container.shell(
                "systemctl show -P ActiveEnterTimestampMonotonic reprised.socket")
            let calls = try await container.underLoad(of: Self.load) { container in
                for _ in 1...2 {
                    try await container.run("systemctl", "restart", "reprised")
                    try await container.awaitCalls(of: Self.load.count)
                }
                let process = try await container.property("MainPID")
                try await container.upgrade()
                try #require(try await container.property("MainPID") != process)
            }
            let typed = try await container.control("get", Self.child1, "text")
            try #require(typed == "text\(calls[0] - 1)\n")
            let added = try await container.control("get", Self.child2, "text")
            try #require(added == String(repeating: "x", count: calls[1]) + "\n", "\(calls)")

            let version = try await container.shell("dpkg-query -W -f '${Version}' reprised")
            try #require(version == "99-1")
            let edited = try await container.shell("cat /etc/reprise/reprised.yaml")
            try #require(edited.contains("interval: 7s") && !edited.contains("of a later version"))
            let since = try await container.shell(
                "systemctl show -P ActiveEnterTimestampMonotonic reprised.socket")
            try #require(since == socket)

            try await container.runDocumented("downgrade", in: "docs/install.md")
            try #require(
                try await container.shell("dpkg-query -W -f '${Version}' reprised") != "99-1")
            try #require(try await container.control("get", Self.child1, "text") == typed)

            try await container.shell(
                """
                mkdir -p /etc/systemd/system/reprised.socket.d
                printf '[Socket]\nSocketMode=0666\n' >/etc/systemd/system/reprised.socket.d/mode.conf
                systemctl daemon-reload
                """)
            try await container.runDocumented("reopen", in: "docs/install.md")
            try #require(
                try await container.shell("stat -c %a /run/reprise/control") == "666\n")
            try #require(try await container.control("get", Self.child1, "text") == typed)
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `a kill fails no call that can be repeated`(debian: Debian) async throws {
        try await Container.withPackageInstalled(debian) { container in
            let load = ["type \(Self.child1) text@", "status", "get \(Self.child2)"]
            let calls = try await container.underLoad(of: load) { container in
                for _ in 1...2 {
                    try await container.run("systemctl", "kill", "-s", "KILL", "reprised")
                    try await container.awaitCalls(of: load.count)
                }
            }
            let typed = try await container.control("get", Self.child1, "text")
            try #require(typed == "text\(calls[0] - 1)\n")
        }
    }

    @Test(arguments: Debian.allCases)
    func `removing the package retains the state, and purging it leaves only the user`(
        debian: Debian
    ) async throws {
        try await Container.withPackageInstalled(debian) { container in
            try await container.control("type", Self.child1, "kept")
            try await container.runDocumented("remove", in: "docs/install.md")
            let running = try await container.attempt("systemctl", "is-active", "reprised.socket")
            try #require(running.output == "inactive\n", "\(running)")
            try await container.shell(
                "test ! -e /run/reprise && test -e /etc/reprise/reprised.yaml")

            try await container.install()
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")

            try await container.runDocumented("instance", in: "docs/install.md")
            // An instance that failed to start.
            try await container.shell(
                "mkdir /etc/reprise@broken; echo wrong >/etc/reprise@broken/reprised.yaml; "
                    + "! systemctl start reprised@broken.service && systemctl is-failed reprised@broken.service; "
                    + "rm /etc/reprise@broken/reprised.yaml")
            try await container.runDocumented("purge", in: "docs/install.md")
            try await container.run("getent", "passwd", "reprise")
            let remainingFiles = try await container.shell(
                "find / -xdev -path /proc -prune -o -iname '*repris*' -print; ls /run")
            try #require(
                remainingFiles.split(separator: "\n").filter { $0.contains("repris") }.sorted() == [
                    "/srv/.build/packages/reprised.deb", "/srv/reprised_0.1.0-1_amd64.deb",
                    "/srv/reprised_0.2.0-1_amd64.deb",
                ], "\(remainingFiles)")
            let failed = try await container.run("systemctl", "is-system-running")
            try #require(failed.output == "running\n")

            try await container.install()
            try #require(try await container.control("get", Self.child1, "text") == "\n")
        }
    }

    @Test(arguments: Debian.allCases)
    func `the package respects policy-rc.d and disabled units`(debian: Debian) async throws {
        try await Container.withPackages(debian) { container in
            try await container.shell(
                "printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d"
            )
            try await container.shell("apt-get install /srv/.build/packages/reprised.deb")
            try await container.run("systemctl", "is-enabled", "reprised.service")
            try #require(try await container.property("ActiveState") == "inactive")

            try await container.shell(
                "rm /usr/sbin/policy-rc.d; systemctl disable reprised.service reprised.socket")
            try await container.upgrade()
            try #require(try await container.property("ActiveState") == "inactive")
            let enabled = try await container.attempt("systemctl", "is-enabled", "reprised.socket")
            try #require(enabled.output == "disabled\n")
        }
    }

    @Test(arguments: Debian.allCases)
    func `instances run side by side with separate state`(debian: Debian) async throws {
        try await Container.withPackageInstalled(debian) { container in
            try await container.runDocumented("instance", in: "docs/install.md")
            try await container.run(
                "systemctl", "enable", "--now", "reprised@office.socket", "reprised@office.service")
            for name in ["lab", "office"] {
                let socket = "/run/reprise@\(name)/control"
                try await container.control("--socket", socket, "type", Self.child1, name)
                try await container.run("systemctl", "restart", "reprised@\(name)")
                let text = try await container.control(
                    "--socket", socket, "get", Self.child1, "text")
                try #require(text == "\(name)\n")
                try await container.run("systemctl", "reload", "reprised@\(name)")
                let output = try await container.shell(
                    "nsenter -t $(systemctl show -P MainPID reprised@\(name)) -m ls /var/lib")
                try #require(output == "reprise@\(name)\n")
                let dropIns = try await container.shell(
                    "systemctl show -P DropInPaths reprised@\(name)")
                try #require(dropIns.contains("systemd-257") == debian.takesDropIns, "\(dropIns)")
            }
            try #require(try await container.control("get", Self.child1, "text") == "\n")
            let before = try await container.shell("systemctl show -P MainPID reprised@lab")
            try await container.upgrade()
            try #require(
                try await container.shell("systemctl show -P MainPID reprised@lab") != before)
            let text = try await container.control(
                "--socket", "/run/reprise@lab/control", "get", Self.child1, "text")
            try #require(text == "lab\n")
            let warnings = try await container.shell("journalctl -q -p warning -u 'reprised*'")
            try #require(warnings == "")

            // A check reads the configuration of the instance.
            try await container.shell("echo 'log: { level: loud }' >/etc/reprise@lab/reprised.yaml")
            let check = try await container.attempt("reprised", "--check", "--unit", "reprised@lab")
            try #require(check.status == .exited(78), "\(check)")
            try #require(check.errors.contains("/etc/reprise@lab/reprised.yaml:1:15: "), "\(check)")
            try await container.run("reprised", "--check", "--unit", "reprised@office")
        }
    }

    @Test(arguments: Debian.allCases)
    func `a user can run a daemon, which restores that user's state`(debian: Debian) async throws {
        try await Container.withPackageInstalled(debian, hasLogins: true) { container in
            try await container.run("useradd", "--create-home", "--uid", "1000", "person")
            try await container.run("systemctl", "start", "user@1000")
            func runAsUser(_ line: String) async throws -> String {
                try await container.run(
                    "runuser", "-u", "person", "--", "env", "HOME=/home/person",
                    "XDG_RUNTIME_DIR=/run/user/1000", "sh", "-euc", line
                ).output
            }
            let started = try await runAsUser(
                try Repository.commands("user", in: "docs/install.md"))
            try #require(started.contains("org.reprise.ChildViews"), "\(started)")
            _ = try await runAsUser("reprisectl type \(Self.child1) mine")
            _ = try await runAsUser(
                "systemctl --user reload reprised; systemctl --user restart reprised")
            try #require(try await runAsUser("reprisectl get \(Self.child1) text") == "mine\n")
            let status = try await runAsUser("reprisectl status")
            try #require(
                status.contains("state in /home/person/.local/state/reprise\n"), "\(status)")
            try #require(status.contains("launched with reason restore"), "\(status)")

            // The user's own configuration takes precedence over the system configuration.
            _ = try await runAsUser(
                """
                echo 'applications: [{ bundleIdentifier: org.reprise.Homepwner }]' \
                    >~/.config/reprise/reprised.yaml
                systemctl --user restart reprised
                """)
            let list = try await runAsUser("reprisectl list")
            try #require(list == "org.reprise.Homepwner  running  main\n", "\(list)")
            // The system daemon is a different daemon.
            try #require(try await container.control("get", Self.child1, "text") == "\n")
            let warnings = try await container.shell(
                "journalctl -q -p warning _UID=1000 _COMM=reprised; journalctl -q _UID=1000 -g 'thread priority' || true"
            )
            try #require(warnings == "", "\(warnings)")
        }
    }

    @Test(arguments: Debian.allCases)
    func `the man pages are installed and render without warnings`(debian: Debian)
        async throws
    {
        try await Container.withPackageInstalled(debian, hasLogins: true) { container in
            for page in ["reprisectl.1", "reprised.yaml.5", "reprise-storyboard.5", "reprised.8"] {
                let name = page.dropLast(2)
                let text = try await container.run(
                    "env", "MANROFFSEQ=", "MANWIDTH=80", "man", "--warnings", "--encoding=UTF-8",
                    String(page.suffix(1)), String(name))
                try #require(text.errors == "", "\(text)")
                try #require(text.output.contains("\(name)"))
            }
        }
    }

    @Test(arguments: Debian.allCases, ["bash", "zsh", "fish"])
    func `the shell completes a path at a terminal`(debian: Debian, shell: String) async throws {
        try await Container.withPackageInstalled(debian, hasLogins: true) { container in
            try await container.control("type", Self.child1, "typed before")
            // The tab completes the rest of the path.
            try await container.type(
                "reprisectl get nav/parent/child1/textF\t text\r", into: shell,
                awaiting: "typed before")
        }
    }
}
