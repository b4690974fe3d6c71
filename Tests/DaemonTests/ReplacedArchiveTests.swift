import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Replacement of an archive by another program while the daemon runs.
struct ReplacedArchiveTests {
    /// Command that replaces the archive with a copy.
    enum ReplacementCommand: String, CaseIterable, Sendable {
        case cp, mv, cat

        func put(_ copy: FilePath, over archive: FilePath, _ host: Host) async throws {
            switch self {
            case .cp: try await host.run("cp", copy.string, archive.string)
            case .mv: try await host.run("mv", copy.string, archive.string)
            case .cat:
                try await host.run("sh", "-c", "cat \"$0\" >\"$1\"", copy.string, archive.string)
            }
        }
    }

    @Test(arguments: ReplacementCommand.allCases)
    func `L4: an earlier archive that is copied over the live archive is restored while running`(
        command: ReplacementCommand
    ) async throws {
        try await Host.with { host in
            let copy = host.directory.appending("copy")
            let ended = try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "one")
                try await host.mustControl("preserve")
                try copy.write(try host.archive.read())
                try await host.mustControl("type", Paths.child1, "two")
                try await command.put(copy, over: host.archive, host)
                try await host.await(child1: "one")
                try await host.require(child1: "one", reason: "replace")
                // The previous state is in the history, and can be restored.
                let history = try await host.mustControl("history")
                try #require(history.contains("another program replaced the archive"), "\(history)")
                try await host.mustControl("rollback", "1")
                try await host.require(child1: "two", reason: "replace")
                // Saving continues.
                let typed = try await host.mustControl("type", Paths.child1, "three")
                try #require(typed == "saved: written\n", "\(typed)")
            }
            try #require(ended.status == .exited(0), "\(ended.log)")
            try await host.run { _ in try await host.require(child1: "three", reason: "restore") }
        }
    }

    /// Kind of damage to a copy.
    enum Damage: String, CaseIterable, Sendable {
        case truncated, edited

        func apply(to bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .truncated: return Array(bytes.dropLast(bytes.count / 3))
            case .edited:
                var edited = bytes
                edited[bytes.count / 2] ^= 0x20
                return edited
            }
        }
    }

    @Test(arguments: Damage.allCases, ReplacementCommand.allCases)
    func `L5: a damaged replacement archive is moved to quarantine, and the scene continues`(
        damage: Damage, command: ReplacementCommand
    ) async throws {
        try await Host.with { host in
            let copy = host.directory.appending("copy")
            let ended = try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "one")
                try await host.mustControl("preserve")
                let bytes = damage.apply(to: try host.archive.read())
                try copy.write(bytes)
                try await host.mustControl("type", Paths.child1, "two")
                try await command.put(copy, over: host.archive, host)
                let refused = try await host.awaitOutput("quarantine") {
                    $0.contains("data.archive")
                }
                try #require(refused.contains("\(bytes.count) bytes"), "\(refused)")
                try await host.require(child1: "two", reason: "pristine")
                let typed = try await host.mustControl("type", Paths.child1, "three")
                try #require(typed == "saved: written\n", "\(typed)")
            }
            try #require(ended.status == .exited(0), "\(ended.log)")
            try await host.run { _ in try await host.require(child1: "three", reason: "restore") }
        }
    }

    @Test func `L4: removing the directory resets the application, but keeps its documents`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            let list = "navController/tableViewController"
            let ended = try await host.run { _ in
                try await application("tap", list + "/@addButton")
                try await application("select", list + "/tableView", "1")
                let items = try await application.values(list + "/tableView", "numberOfElements")
                let documents = host.state.appending("Documents/org.reprise.StateRestore")
                let before = documents.entries
                try await host.run("rm", "-r", host.savedState(of: "StateRestore").string)
                try await host.awaitOutput(
                    "--app", application.bundleIdentifier, "get", list + "/tableView",
                    "selectedElements"
                ) { $0 == "[]\n" }
                let report = try await application("report")
                try #require(report.contains("pristine"), "\(report)")
                // Nothing is written before the next change.
                try #require(
                    !host.state.appending("Saved Application State").entries.contains(
                        "org.reprise.StateRestore.savedState"))
                try #require(documents.entries == before && !before.isEmpty)
                let status = try await host.mustControl("status")
                try #require(
                    status.contains("\(application.bundleIdentifier) 1: running, nothing is saved"),
                    "\(status)")
                try #require(
                    try await application.values(list + "/tableView", "numberOfElements") == items)
                let saved = try await application("select", list + "/tableView", "0")
                try #require(saved.hasPrefix("saved: "))
                try #require(host.savedState(of: "StateRestore").entries.contains("data.archive"))
                // Other applications were not changed.
                try await host.require(child1: "", reason: "pristine")
            }
            try #require(ended.status == .exited(0), "\(ended.log)")
            try #require(ended.log.contains("its saved state was removed"), "\(ended.log)")
        }
    }
}
