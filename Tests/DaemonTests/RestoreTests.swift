import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// `reprisectl restore` of documents, which needs no daemon.
struct RestoreTests {
    /// Creates a backup of documents.
    private func makeBackup(on host: Host) async throws -> FilePath {
        let made = try await host.shell(
            """
            mkdir -p backup/Documents/org.example.A backup/Documents/org.example.B && cd backup
            for name in A/a A/b A/c B/a; do echo $name >Documents/org.example.$name; done
            sha256sum Documents/*/* >SHA256SUMS
            """)
        try #require(made.status.isSuccess, "\(made)")
        return host.directory.appending("backup")
    }

    private func restore(_ backup: FilePath, on host: Host) async throws -> ProgramResult {
        try await ProgramResult.of(
            [
                try Programs.reprisectl().string, "restore", "--state-directory",
                host.state.string, backup.string,
            ], in: host.directory)
    }

    @Test func `every damaged, missing or unlisted file is named`() async throws {
        try await Host.with { host in
            let backup = try await makeBackup(on: host)
            let documents = backup.appending("Documents/org.example.A")
            try documents.appending("a").write("changed".utf8)
            try #require(unlink(documents.appending("b").string) == 0)
            for name in ["d", "e"] { try documents.appending(name).write([]) }
            try backup.appending("extra").write([])
            let result = try await restore(backup, on: host)
            try #require(result.status == .exited(1), "\(result)")
            let sentences = [
                "'\(documents)/a' is damaged or was changed: its checksum differs from the checksum in "
                    + "SHA256SUMS.",
                "'\(documents)/b' is missing.", "'\(documents)/d' is not listed in SHA256SUMS.",
                "'\(documents)/e' is not listed in SHA256SUMS.",
                "'\(backup)/extra' is not listed in SHA256SUMS.",
            ]
            let lines = result.errors.trimmingPrefix("reprisectl: ").split(separator: "\n")
            #expect(lines.dropLast().sorted() == sentences.sorted().map { $0[...] })
            #expect(
                lines.last
                    == "Nothing was restored: use another backup, or specify the correct key.")
            #expect(!host.directory.entries.contains("state"))
        }
    }

    @Test func `the documents of every application are restored and replace existing documents`()
        async throws
    {
        try await Host.with { host in
            let backup = try await makeBackup(on: host)
            let names = ["A", "B"].map { "org.example.\($0)" }
            let restored = names.map {
                "\($0): documents restored; the backup contains no saved state of the application\n"
            }
            let end = "now start the daemon with the state directory \(host.state)\n"
            let first = try await restore(backup, on: host)
            #expect(first.output == restored.joined() + end, "\(first)")
            let document = host.state.appending("Documents/org.example.A/b")
            try document.write("present".utf8)
            let second = try await restore(backup, on: host)
            #expect(second.status.isSuccess, "\(second)")
            #expect(second.output.contains("  the previous documents are in "), "\(second)")
            #expect(try document.text() == "A/b\n")
        }
    }

    @Test(.needsRoot)
    func `files that root restores belong to the owner of the state directory`() async throws {
        try await Host.with { host in
            let backup = try await makeBackup(on: host)
            try host.state.createDirectory()
            try #require(chmod(host.directory.string, 0o755) == 0)
            try #require(chown(host.state.string, 65534, 65534) == 0)
            let result = try await restore(backup, on: host)
            try #require(result.status.isSuccess, "\(result)")
            let owners = try await ProgramResult.of(
                ["find", host.state.string, "!", "-user", "65534", "-o", "!", "-group", "65534"],
                in: host.directory)
            #expect(owners.output == "" && owners.errors == "", "\(owners)")
            #expect(!host.state.appending("Documents/org.example.A").entries.isEmpty)
        }
    }
}
