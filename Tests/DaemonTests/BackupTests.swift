import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// `reprisectl backup` and `restore`.
struct BackupTests {
    /// Restores a backup into a state directory.
    private func restore(
        _ backup: FilePath, of host: Host, into state: FilePath, _ arguments: String...
    ) async throws -> ProgramResult {
        try await ProgramResult.of(
            [
                try Programs.reprisectl().string, "restore", "--state-directory", state.string,
                backup.string,
            ] + arguments, in: host.directory)
    }

    /// Runs a daemon on another state directory.
    private func run(
        on state: FilePath, of host: Host, _ body: () async throws -> Void
    ) async throws {
        let arguments = [
            "--config", host.configuration.string, "--state-directory", state.string, "--socket",
            host.socket.string,
        ]
        try await host.run(arguments) { _ in try await body() }
    }

    @Test func `a backup contains state and documents as they were, and can be restored`()
        async throws
    {
        try await Host.with { host in
            let backup = host.directory.appending("backup")
            let list = "navController/tableViewController"
            let application = host.application("StateRestore")
            var rows = ""
            try await host.run(endingBy: .kill) { _ in
                try await host.mustControl("type", Paths.child1, "backed up")
                try await application("tap", "\(list)/@addButton")
                rows = try await application("show")
                let made = try await host.control("backup", backup.string)
                try #require(made.status.isSuccess, "\(made)")
                try #require(
                    made.output.hasPrefix("4 applications backed up to \(backup): ")
                        && made.output.hasSuffix(", every file is intact\n"), "\(made)")
                try await host.mustControl("type", Paths.child1, "later")
                let again = try await host.control("backup", backup.string)
                try #require(again.status == .exited(2), "\(again)")
            }
            let state = host.directory.appending("restored")
            let result = try await restore(backup, of: host, into: state)
            try #require(result.status.isSuccess, "\(result)")
            try await run(on: state, of: host) {
                try await host.require(child1: "backed up", reason: "recover")
                #expect(try await application("show") == rows)
            }
        }
    }

    @Test func `restoring replaces the current state, which remains in the history`()
        async throws
    {
        try await Host.with { host in
            let backup = host.directory.appending("backup")
            func restore() async throws -> ProgramResult {
                try await self.restore(backup, of: host, into: host.state)
            }
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "backed up")
                try await host.mustControl(
                    "backup", "--app", "org.reprise.ChildViews", backup.string)
                try await host.mustControl("type", Paths.child1, "later")
                // A daemon is using the directory.
                let whileInUse = try await restore()
                try #require(whileInUse.status == .exited(1), "\(whileInUse)")
                try #require(whileInUse.errors.contains("is in use by process"), "\(whileInUse)")
            }
            let done = try await restore()
            try #require(done.status.isSuccess, "\(done)")
            try #require(
                done.output.contains("the previous state is in the history as "), "\(done)")
            try await host.run { _ in
                try await host.require(child1: "backed up", reason: "recover")
                let history = try await host.mustControl("history")
                try #require(history.contains("because a backup was restored"), "\(history)")
            }

        }
    }

    @Test(arguments: [
        "Saved Application State/org.reprise.StateRestore.savedState/data.archive",
        "Documents/org.reprise.StateRestore/Items.json", "SHA256SUMS",
    ])
    func `restoring a backup with a damaged or missing file changes nothing`(_ name: String)
        async throws
    {
        try await Host.with { host in
            let backup = try await makeBackup(of: host)
            let file = backup.appending(name)
            let before = (try host.archive.read(), host.state.appending("Documents").entries)
            var bytes = try file.read()
            bytes[bytes.count / 2] ^= 0x80
            try file.write(bytes)
            let damaged = try await restore(backup, of: host, into: host.state)
            try #require(damaged.status == .exited(1), "\(damaged)")
            try #require(damaged.errors.contains("/\(name)'"), "\(damaged)")
            try #require(unlink(file.string) == 0)
            let missing = try await restore(backup, of: host, into: host.state)
            try #require(!missing.status.isSuccess, "\(missing)")
            #expect(missing.errors.contains(FilePath(name).lastComponent!.string), "\(missing)")
            #expect(try host.archive.read() == before.0)
            #expect(host.state.appending("Documents").entries == before.1)
        }
    }

    @Test func `a backup cannot be restored into itself, and a state directory is no backup`()
        async throws
    {
        try await Host.with { host in
            let backup = try await makeBackup(of: host)
            let link = host.directory.appending("link")
            try #require(symlink(backup.string, link.string) == 0)
            for state in [backup, backup.appending("new"), link.appending("new"), host.directory] {
                let refused = try await restore(backup, of: host, into: state)
                try #require(refused.status == .exited(2), "\(refused)")
                try #require(refused.errors.contains("overlap"), "\(refused)")
            }
            let refused = try await restore(host.state, of: host, into: backup)
            try #require(refused.status == .exited(2), "\(refused)")
            try #require(refused.errors.contains("is not a complete backup"), "\(refused)")
        }
    }

    @Test func `restoring the same backup again retains no second copy of the documents`()
        async throws
    {
        try await Host.with { host in
            let backup = try await makeBackup(of: host)
            let state = host.directory.appending("restored")
            for _ in 1...2 {
                let result = try await restore(backup, of: host, into: state)
                try #require(result.status.isSuccess, "\(result)")
                #expect(!result.output.contains("from before"), "\(result)")
            }
            #expect(
                state.appending("Documents").entries == host.state.appending("Documents").entries)
        }
    }

    @Test func `a backup lists what it does not contain`() async throws {
        try await Host.with { host in
            let documents = "Documents/org.reprise.StateRestore"
            let others = [
                "\(documents)/pictures", "\(documents)/.hidden", "Documents/org.example.Removed",
                "Saved Application State/org.example.Removed.savedState",
            ]
            try host.state.createDirectory()
            for name in ["Documents", "Saved Application State", documents] + others {
                try host.state.appending(name).createDirectory()
            }
            try #require(mkfifo(host.state.appending("\(documents)/pipe").string, 0o600) == 0)
            try host.state.appending("\(documents)/.a.new").write("temporary".utf8)
            try await host.run { _ in
                let made = try await host.mustControl("backup", "\(host.directory)/backup")
                let named = made.split(separator: "\n").filter { $0.hasPrefix("not in this") }
                    .sorted()
                #expect(
                    named
                        == (others + ["\(documents)/pipe"])
                        .map { "not in this backup: \($0), which no application reads" }.sorted()
                        .map { $0[...] })
            }
        }
    }

    @Test func `an incomplete list of checksums is refused`() async throws {
        try await Host.with { host in
            let backup = try await makeBackup(of: host)
            let list = backup.appending("SHA256SUMS")
            let lines = try list.text().split(separator: "\n")
            let state = host.directory.appending("restored")
            for listedLines in [
                lines.prefix(0), lines.prefix(1), lines.dropLast(), lines + lines.prefix(1),
            ] {
                try list.write(listedLines.map { "\($0)\n" }.joined().utf8)
                let refused = try await restore(backup, of: host, into: state)
                try #require(!refused.status.isSuccess, "\(refused)")
                #expect(refused.errors.contains("SHA256SUMS"), "\(refused)")
                #expect(!host.directory.entries.contains("restored"))
            }
        }
    }

    @Test func `a restore follows no planted link, and an unfinished restore is reported`()
        async throws
    {
        try await Host.with { host in
            let backup = try await makeBackup(of: host)
            let foreign = host.directory.appending("foreign")
            try foreign.createDirectory()
            try foreign.appending("notes").write("kept".utf8)
            let planted = host.state.appending("Documents/.org.reprise.StateRestore.restored")
            try #require(symlink(foreign.string, planted.string) == 0)
            let marker = host.state.appending("unfinished-restore")
            try marker.write("/another".utf8)
            let refused = try await restore(backup, of: host, into: host.state)
            try #require(refused.status == .exited(1), "\(refused)")
            try #require(refused.errors.contains("A restore of '/another' into"), "\(refused)")
            let start = try await host.attempt()
            try #require(start.status == .exited(78), "\(start)")
            try #require(start.errors.contains("the backup '/another' again"), "\(start)")
            try #require(unlink(marker.string) == 0)
            let done = try await restore(backup, of: host, into: host.state)
            try #require(done.status.isSuccess, "\(done)")
            #expect(try foreign.appending("notes").text() == "kept")
        }
    }

    @Test func `a damaged encrypted document is reported by backup and refused by restore`()
        async throws
    {
        try await Host.with { host in
            try host.encrypt()
            let backup = host.directory.appending("backup")
            let key = host.directory.appending("credentials/reprise.key").string
            let document = host.state.appending("Documents/org.reprise.StateRestore/Items.json")
            try await host.run { _ in
                try await host.application("StateRestore")(
                    "tap", "navController/tableViewController/@addButton")
                var bytes = try document.read()
                bytes[bytes.count / 2] ^= 1
                try document.write(bytes)
                let made = try await host.control("backup", "--key", key, backup.string)
                try #require(made.status == .exited(1), "\(made)")
                try #require(made.errors.contains("is encrypted and damaged"), "\(made)")
                try #require(!made.output.contains("every file is intact"), "\(made)")
            }
            let state = host.directory.appending("restored")
            let refused = try await restore(backup, of: host, into: state, "--key", key)
            try #require(refused.status == .exited(1), "\(refused)")
            #expect(refused.errors.contains("is encrypted and damaged"), "\(refused)")
        }
    }

    /// Creates a backup of a daemon with state and documents, and stops the daemon.
    private func makeBackup(of host: Host) async throws -> FilePath {
        let backup = host.directory.appending("backup")
        try await host.run { _ in
            try await host.application("StateRestore")(
                "tap", "navController/tableViewController/@addButton")
            try await host.mustControl("type", Paths.child1, "backed up")
            try await host.mustControl("backup", backup.string)
        }
        return backup
    }

    @Test func `an encrypted backup stays encrypted, and is verified and restored with its key`()
        async throws
    {
        try await Host.with { host in
            try host.encrypt()
            let backup = host.directory.appending("backup")
            let key = host.directory.appending("credentials/reprise.key").string
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "a secret that nobody reads")
                // A host that creates backups needs no key.
                let unverified = try await host.mustControl("backup", "\(backup).without-key")
                try #require(
                    unverified.contains("6 encrypted files not verified: "), "\(unverified)")
                try #require(unverified.contains(": pass --key."), "\(unverified)")
                try await host.mustControl("backup", "--key", key, "\(backup)/")
            }
            let archive = backup.appending(
                "Saved Application State/org.reprise.ChildViews.savedState/data.archive")
            let bytes = try archive.read()
            try #require(!bytes.contains("nobody reads".utf8))
            let state = host.directory.appending("restored")
            let refused = try await restore(backup, of: host, into: state)
            try #require(refused.status == .exited(1), "\(refused)")
            try #require(refused.errors.contains("--key"), "\(refused)")
            let done = try await restore(backup, of: host, into: state, "--key", key)
            try #require(done.status.isSuccess, "\(done)")
            try await run(on: state, of: host) {
                try await host.require(child1: "a secret that nobody reads", reason: "recover")
            }
        }
    }

    @Test
    func `a backup does not follow a link that another program planted at its temporary path`()
        async throws
    {
        try await Host.with { host in
            let foreign = host.directory.appending("foreign")
            try foreign.createDirectory()
            try foreign.appending("Documents").createDirectory()
            try foreign.appending("Documents/org.example.A").createDirectory()
            let document = foreign.appending("Documents/org.example.A/notes")
            try document.write("kept".utf8)
            let planted = host.directory.appending("backup.partial")
            try #require(symlink(foreign.string, planted.string) == 0)
            try await host.run { _ in
                let refused = try await host.control("backup", "\(host.directory)/backup")
                try #require(refused.status == .exited(2), "\(refused)")
                try #require(refused.errors.contains("backup.partial' exists"), "\(refused)")
            }
            #expect(try document.text() == "kept")
            #expect(foreign.entries == ["Documents"])
        }
    }

    @Test func `documents without saved state are restored too`() async throws {
        try await Host.with { host in
            let backup = host.directory.appending("backup")
            let application = host.application("StateRestore")
            try await host.run { _ in
                try await application("tap", "navController/tableViewController/@addButton")
                try await host.mustControl("quit", "--force", "--app", "org.reprise.StateRestore")
                try await host.mustControl("backup", backup.string)
            }
            let state = host.directory.appending("restored")
            let result = try await restore(backup, of: host, into: state)
            try #require(result.status.isSuccess, "\(result)")
            try #require(
                result.output.contains(
                    "org.reprise.StateRestore: documents restored; the backup contains no saved state"
                ),
                "\(result)")
            let name = "Documents/org.reprise.StateRestore"
            #expect(state.appending(name).entries == host.state.appending(name).entries)
            #expect(!state.appending(name).entries.isEmpty)
        }
    }

    @Test func `a backup of unsaved state is refused and leaves no files`() async throws {
        try await Host.with { host in
            let backup = host.directory.appending("backup")
            try host.replace("state: 16MiB", by: "state: 1KiB", in: host.configuration)
            try host.replace("stateWarning: 1MiB", by: "stateWarning: 1KiB", in: host.configuration)
            try await host.run { _ in
                _ = try await host.control(
                    "type", Paths.child1, String(repeating: "x", count: 2000))
                let refused = try await host.control("backup", backup.string)
                try #require(refused.status == .exited(1), "\(refused)")
                try #require(
                    refused.errors.contains("org.reprise.ChildViews was not backed up: "),
                    "\(refused)")
                for name in ["backup", "backup.partial"] {
                    #expect(!host.directory.entries.contains(name))
                }
            }
        }
    }
}
