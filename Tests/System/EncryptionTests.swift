import Subprocess
import Testing

/// Encryption at rest, set up with the commands in docs/security.md.
@Suite(.serialized) struct EncryptionTests {
    private static let child1 = "nav/parent/child1/textField"
    private static let secret = "bohnenkraut-7731"

    /// Returns the files in the container that contain the secret, including journal files.
    private func files(_ container: Container) async throws -> [Substring] {
        let found = try await container.attempt(
            "sh", "-c",
            "journalctl --flush --sync; grep -rlsF --exclude-dir=proc --exclude-dir=sys \(Self.secret) /"
        )
        return found.output.split(separator: "\n")
    }

    private func key(_ container: Container) async throws -> Substring {
        let status = try await container.control("status")
        let line = try #require(status.split(separator: "\n").first)
        let parts = line.split(separator: ", encrypted with the key ")
        try #require(parts.count == 2, "\(status)")
        return parts[1]
    }

    @Test(arguments: Debian.allCases)
    func `a credential encrypts existing state, and the key can be rotated`(
        debian: Debian
    ) async throws {
        try await Container.withPackageInstalled(debian) { container in
            try await container.control("type", Self.child1, Self.secret)
            try await container.control("reset", "--to-saved")
            try await container.control("preserve")
            try #require(!(try await files(container)).isEmpty)
            try await container.runDocumented("encrypt", in: "docs/security.md")
            let first = try await key(container)
            try #require(
                try await container.control("get", Self.child1, "text") == Self.secret + "\n")
            try #require(try await files(container) == [])

            // If a process cannot dump core, only root can read its memory, regardless of its user.
            let process = try await container.property("MainPID")
            let owner = try await container.run("stat", "-c", "%U", "/proc/\(process)/mem")
            try #require(owner.output == "root\n")
            try await container.run("systemctl", "kill", "--signal=SEGV", "reprised")
            try #require(
                try await container.control("get", Self.child1, "text") == Self.secret + "\n")
            try #require(try await files(container) == [])

            try await container.runDocumented("rotate", in: "docs/security.md")
            try await container.runDocumented("forget-key", in: "docs/security.md")
            let second = try await key(container)
            try #require(first != second)
            let inspected = try await container.runDocumented("inspect", in: "docs/security.md")
            try #require(inspected.contains("text: \(Self.secret)\n"), "\(inspected)")
            try #require(
                try await container.control("get", Self.child1, "text") == Self.secret + "\n")
            try #require(try await files(container) == [])
            let status = try await container.control("status")
            try #require(!status.contains("NOT SAVED"), "\(status)")
        }
    }

    @Test(arguments: Debian.allCases)
    func
        `L5: with a wrong key, the daemon refuses to start, changes nothing and reports the reason`(
            debian: Debian
        ) async throws
    {
        try await Container.withPackageInstalled(debian) { container in
            try await container.control("type", Self.child1, Self.secret)
            try await container.runDocumented("encrypt", in: "docs/security.md")
            try await container.control("preserve")
            let sums = "find /var/lib/reprise/ -type f ! -name holder -exec sha256sum {} + | sort"
            try await container.run("systemctl", "stop", "reprised.socket", "reprised.service")
            let before = try await container.shell(sums)
            try await container.shell(
                """
                cd /etc/credstore.encrypted; mv reprise.key kept; \
                head -c 32 /dev/urandom | systemd-creds encrypt --name=reprise.key - reprise.key; \
                systemctl start reprised.socket
                """)
            let refused = try await container.attempt("reprisectl", "status")
            try #require(!refused.status.isSuccess)
            try #require(
                refused.errors.contains("is encrypted and cannot be read without the key "),
                "\(refused)")
            let journal = try await container.shell(
                "journalctl --sync; journalctl -p 3 -u reprised")
            try #require(journal.contains("nothing was changed"), "\(journal)")
            try #require(try await container.shell(sums) == before)
            // The process that refused the client may still be running, and would reply in the same way.
            try await container.shell(
                "rm /etc/credstore.encrypted/reprise.key; "
                    + "systemctl stop reprised.socket reprised.service; "
                    + "systemctl start reprised.socket")
            let missing = try await container.attempt("reprisectl", "status")
            try #require(missing.errors.contains("credential reprise.key"), "\(missing)")
            try await container.shell(
                "mv /etc/credstore.encrypted/kept /etc/credstore.encrypted/reprise.key; "
                    + "systemctl restart reprised")
            try #require(
                try await container.control("get", Self.child1, "text") == Self.secret + "\n")
        }
    }
}
