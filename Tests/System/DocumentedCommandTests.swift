import Subprocess
import SystemPackage
import Testing

/// Commands in docs/back-up.md, docs/monitor.md and docs/journal.md, which the tests run unchanged.
@Suite(.serialized) struct DocumentedCommandTests {
    private static let child1 = "nav/parent/child1/textField"
    private static let homepwner = "org.reprise.Homepwner"

    /// Returns the rendering of an application, which includes its model data.
    private func rendering(_ container: Container) async throws -> String {
        try await container.control("--app", Self.homepwner, "show")
    }

    @Test(arguments: Debian.allCases)
    func `a backup can be restored even if the user's ID differs`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            try await container.control(
                "--app", Self.homepwner, "tap", "NavigationController/ItemsViewController/addButton"
            )
            let before = try await rendering(container)
            try await container.runDocumented("back up", in: "docs/back-up.md")
            try await container.control("type", Self.child1, "later")
            try await container.run("systemctl", "stop", "reprised.socket", "reprised.service")
            try await container.run(
                "sh", "-ec",
                "sed -i 's/^reprise:x:[0-9]*:[0-9]*:/reprise:x:4711:4711:/' /etc/passwd; "
                    + "sed -i 's/^reprise:x:[0-9]*:/reprise:x:4711:/' /etc/group")
            try await container.runDocumented("restore", in: "docs/back-up.md")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
            try #require(try await rendering(container) == before)
            let owner = try await container.run("stat", "-c", "%u", "/var/lib/reprise/Documents")
            try #require(owner.output == "4711\n")
            let status = try await container.control("status")
            try #require(!status.contains("NOT SAVED"), "\(status)")
        }
    }

    @Test(arguments: Debian.allCases)
    func `the state directory can be moved, and a missing ReadWritePaths= setting is reported`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            try await container.runDocumented("move", in: "docs/back-up.md")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
            let statusAfterMove = try await container.control("status")
            try #require(statusAfterMove.contains("state in /srv/reprise\n"), "\(statusAfterMove)")
            try #require(!statusAfterMove.contains("NOT SAVED"), "\(statusAfterMove)")

            try await container.run(
                "sh", "-ec",
                "sed -i /ReadWritePaths/d /etc/systemd/system/reprised.service.d/state.conf; "
                    + "systemctl daemon-reload; systemctl restart reprised")
            let unsaved = try await container.control("status")
            try #require(unsaved.contains("ReadWritePaths="), "\(unsaved)")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
        }
    }

    @Test(arguments: Debian.allCases)
    func `metrics, journal records and health check match the documents`(debian: Debian)
        async throws
    {
        try await Container.withDaemon(debian) { container in
            let directory = "/var/lib/prometheus/node-exporter"
            try await container.run("mkdir", "-p", directory)
            try await container.runDocumented("metrics", in: "docs/monitor.md")
            let metrics = try await container.shell(
                "timeout 60 sh -c 'until [ -s \(directory)/reprise.prom ]; do :; done'; "
                    + "cat \(directory)/reprise.prom")
            try #require(
                metrics.contains("\n# TYPE reprise_changes_total counter\n"), "\(metrics)")
            try #require(metrics.contains("\nreprise_saved{"), "\(metrics)")

            let launches = try await container.runDocumented("journal", in: "docs/journal.md")
            try #require(launches.split(separator: "\n").count == 4, "\(launches)")
            let check = try await container.control("status", "--check")
            try #require(
                try Repository.text(of: "docs/monitor.md").contains(
                    "\n    $ reprisectl status --check\n    \(check)"), "\(check)")
            try await container.requireNoWarnings()
        }
    }

    @Test(arguments: Debian.allCases)
    func `copying an earlier archive into place restores its state`(debian: Debian) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "earlier")
            try await container.run("systemctl", "restart", "reprised")
            try await container.control("type", Self.child1, "later")
            try await container.runDocumented("copy", in: "docs/back-up.md")
            try await container.awaitRecord(
                "MESSAGE_ID=\(MessageID.launched)", "REPRISE_REASON=replace")
            try #require(try await container.control("get", Self.child1, "text") == "earlier\n")
        }
    }

    @Test(arguments: Debian.allCases)
    func `a build can be installed without a package`(debian: Debian) async throws {
        try await Container.withBooted(debian) { container in
            let directory = Repository.directory.string
            try await CommandResult.of(
                "sh", "-euc",
                "cd \(directory); cp -a --parents .build/install config docs/man systemd \"$0\"",
                container.root.appending("srv").string)
            let status = try await container.runDocumented(
                "without a package", in: "docs/install.md")
            try #require(status.contains("org.reprise.ChildViews"), "\(status)")
            try await container.run("systemctl", "is-active", "reprised")
            try await container.requireNoWarnings()
        }
    }
}
