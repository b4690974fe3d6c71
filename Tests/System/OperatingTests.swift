import Subprocess
import Testing

/// The commands of docs/operating.md, as they stand there.
@Suite(.serialized) struct OperatingTests {
    private static let child1 = "nav/parent/child1/textField"
    private static let homepwner = "org.reprise.Homepwner"

    /// What an application draws, with the model data that it shows.
    private func drawn(_ container: Container) async throws -> String {
        try await container.control("--app", Self.homepwner, "show")
    }

    @Test(arguments: Debian.allCases)
    func `a backup comes back, also where the user has another number`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            try await container.control(
                "--app", Self.homepwner, "tap", "NavigationController/ItemsViewController/addButton"
            )
            let before = try await drawn(container)
            try await container.tryOut("back up", in: "docs/operating.md")
            try await container.control("type", Self.child1, "later")
            try await container.run("systemctl", "stop", "reprised.socket", "reprised.service")
            try await container.run(
                "sh", "-ec",
                "sed -i 's/^reprise:x:[0-9]*:[0-9]*:/reprise:x:4711:4711:/' /etc/passwd; "
                    + "sed -i 's/^reprise:x:[0-9]*:/reprise:x:4711:/' /etc/group")
            try await container.tryOut("restore", in: "docs/operating.md")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
            try #require(try await drawn(container) == before)
            let owner = try await container.run("stat", "-c", "%u", "/var/lib/reprise/Documents")
            try #require(owner.output == "4711\n")
            let status = try await container.control("status")
            try #require(!status.contains("NOT SAVED"), "\(status)")
        }
    }

    @Test(arguments: Debian.allCases)
    func `the state directory moves, and without its setting that is told`(
        debian: Debian
    ) async throws {
        try await Container.withDaemon(debian) { container in
            try await container.control("type", Self.child1, "kept")
            try await container.tryOut("move", in: "docs/operating.md")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
            let moved = try await container.control("status")
            try #require(moved.contains("state in /srv/reprise\n"), "\(moved)")
            try #require(!moved.contains("NOT SAVED"), "\(moved)")

            try await container.run(
                "sh", "-ec",
                "sed -i /ReadWritePaths/d /etc/systemd/system/reprised.service.d/state.conf; "
                    + "systemctl daemon-reload; systemctl restart reprised")
            let unsaved = try await container.control("status")
            try #require(unsaved.contains("ReadWritePaths="), "\(unsaved)")
            try #require(try await container.control("get", Self.child1, "text") == "kept\n")
        }
    }
}
