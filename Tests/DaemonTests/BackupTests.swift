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
            ] + arguments, in: host.folder)
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

    @Test func `a backup holds state and documents as they are, and restores to them`() async throws
    {
        try await Host.with { host in
            let backup = host.folder.appending("backup")
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
                        && made.output.hasSuffix(", every archive is whole\n"), "\(made)")
                try await host.mustControl("type", Paths.child1, "later")
                let again = try await host.control("backup", backup.string)
                try #require(again.status == .exited(2), "\(again)")
            }
            let state = host.folder.appending("restored")
            let result = try await restore(backup, of: host, into: state)
            try #require(result.status.isSuccess, "\(result)")
            try await run(on: state, of: host) {
                try await host.require(child1: "backed up", reason: "recover")
                #expect(try await application("show") == rows)
            }
        }
    }

    @Test func `restoring replaces what is there, which stays in the history and beside it`()
        async throws
    {
        try await Host.with { host in
            let backup = host.folder.appending("backup")
            func restore() async throws -> ProgramResult {
                try await self.restore(backup, of: host, into: host.state)
            }
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "backed up")
                try await host.mustControl(
                    "backup", "--app", "org.reprise.ChildViews", backup.string)
                try await host.mustControl("type", Paths.child1, "later")
                // A daemon runs on the directory.
                let held = try await restore()
                try #require(held.status == .exited(1), "\(held)")
                try #require(held.errors.contains("is in use by process"), "\(held)")
            }
            let done = try await restore()
            try #require(done.status.isSuccess, "\(done)")
            try #require(
                done.output.contains("what was saved before is in the history as "), "\(done)")
            try await host.run { _ in
                try await host.require(child1: "backed up", reason: "recover")
                let history = try await host.mustControl("history")
                try #require(history.contains("because a backup was restored"), "\(history)")
            }

            // A damaged backup changes nothing.
            let archive = backup.appending(
                "Saved Application State/org.reprise.ChildViews.savedState/data.archive")
            var bytes = try archive.read()
            bytes[bytes.count / 2] ^= 1
            try archive.write(bytes)
            let before = try host.archive.read()
            let damaged = try await restore()
            try #require(damaged.status == .exited(1), "\(damaged)")
            try #require(damaged.errors.contains("Nothing was restored."), "\(damaged)")
            try #require(try host.archive.read() == before)
        }
    }

    @Test func `an encrypted backup stays encrypted, and is verified and restored with its key`()
        async throws
    {
        try await Host.with { host in
            try host.encrypt()
            let backup = host.folder.appending("backup")
            let key = host.folder.appending("credentials/reprise.key").string
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "a secret that nobody reads")
                // Without the key the archives cannot be verified, which the exit status says.
                let unverified = try await host.control("backup", "\(backup).without-key")
                try #require(unverified.status == .exited(1), "\(unverified)")
                try await host.mustControl("backup", "--key", key, "\(backup)/")
            }
            let archive = backup.appending(
                "Saved Application State/org.reprise.ChildViews.savedState/data.archive")
            let bytes = try archive.read()
            try #require(!String(decoding: bytes, as: UTF8.self).contains("nobody reads"))
            let state = host.folder.appending("restored")
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

    @Test func `a backup changes nothing at a name that another program prepared`() async throws {
        try await Host.with { host in
            let foreign = host.folder.appending("foreign")
            try foreign.makeFolder()
            try foreign.appending("Documents").makeFolder()
            try foreign.appending("Documents/org.example.A").makeFolder()
            let document = foreign.appending("Documents/org.example.A/notes")
            try document.write("kept".utf8)
            let planted = host.folder.appending("backup.partial")
            try #require(symlink(foreign.string, planted.string) == 0)
            try await host.run { _ in
                let refused = try await host.control("backup", "\(host.folder)/backup")
                try #require(refused.status == .exited(2), "\(refused)")
                try #require(refused.errors.contains("backup.partial' exists"), "\(refused)")
            }
            #expect(try document.text() == "kept")
            #expect(foreign.entries == ["Documents"])
        }
    }

    @Test func `documents without saved state are restored, too`() async throws {
        try await Host.with { host in
            let backup = host.folder.appending("backup")
            let application = host.application("StateRestore")
            try await host.run { _ in
                try await application("tap", "navController/tableViewController/@addButton")
                try await host.mustControl("quit", "--force", "--app", "org.reprise.StateRestore")
                try await host.mustControl("backup", backup.string)
            }
            let state = host.folder.appending("restored")
            let result = try await restore(backup, of: host, into: state)
            try #require(result.status.isSuccess, "\(result)")
            try #require(
                result.output.contains(
                    "org.reprise.StateRestore: documents restored; the backup has no saved state"),
                "\(result)")
            let name = "Documents/org.reprise.StateRestore"
            #expect(state.appending(name).entries == host.state.appending(name).entries)
            #expect(!state.appending(name).entries.isEmpty)
        }
    }

    @Test func `a backup of state that is not saved is refused, and leaves nothing`() async throws {
        try await Host.with { host in
            let backup = host.folder.appending("backup")
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
                    #expect(!host.folder.entries.contains(name))
                }
            }
        }
    }
}
