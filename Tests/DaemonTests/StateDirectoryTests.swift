import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Problems with the state directory, such as a second daemon, missing permissions, renaming and removal.
struct StateDirectoryTests {
    /// Returns the number of applications that `status` shows as not saved for this reason.
    private func unsaved(_ status: String, _ reason: String) -> Int {
        status.split(separator: "\n").count { $0.contains("NOT SAVED") && $0.contains(reason) }
    }

    @Test func `a second daemon is refused with the process of the first, which continues to run`()
        async throws
    {
        try await Host.with { host in
            let ended = try await host.run { daemon in
                let second = try await host.attempt([
                    "--config", host.configuration.string, "--state-directory",
                    host.state.string, "--socket", host.directory.appending("other").string,
                ])
                try #require(second.status == .exited(1))
                try #require(
                    second.errors == "reprised: The state directory '\(host.state)' is in use by "
                        + "process \(daemon.process); stop it first, or choose another state "
                        + "directory.\n")
                try await host.mustControl("type", Paths.child1, "mine")
            }
            try #require(ended.status == .exited(0))
            try await host.run { _ in try await host.require(child1: "mine", reason: "restore") }
        }
    }

    @Test(
        .needsRoot,
        arguments: ["state", "state/below"])
    func `a state directory that cannot be written is refused, and nothing is created`(name: String)
        async throws
    {
        try await Host.with { host in
            try host.state.createDirectory()
            // Every user may enter the scratch directory, but not write to it.
            try #require(chmod(host.directory.string, 0o755) == 0)
            let result = try await host.attempt(
                [
                    "--config", host.configuration.string, "--state-directory",
                    host.directory.appending(name).string, "--socket", host.socket.string,
                ],
                by: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                result.errors.hasPrefix("reprised: Cannot create the directory '\(host.state)/")
                    && result.errors.contains(
                        "Permission denied; give this user access to it, and to the directories "
                            + "above it; `namei -l '\(host.state)/"),
                "\(result)")
            try #require(host.state.entries.isEmpty)
        }
    }

    @Test
    func `L4: while the state directory is renamed, nothing is saved, and status reports this`()
        async throws
    {
        try await Host.with { host in
            let movedPath = host.directory.appending("away").string
            let ended = try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "before")
                try await host.run("mv", host.state.string, movedPath)
                try await host.awaitOutput("status") {
                    unsaved($0, "the path of the state directory leads elsewhere") == 4
                }
                let typed = try await host.control("type", Paths.child1, "meanwhile")
                try #require(typed.errors.contains("leads elsewhere"), "\(typed)")
                try await host.run("mv", movedPath, host.state.string)
                try await host.awaitOutput("status") { !$0.contains("NOT SAVED") }
                try await host.mustControl("preserve")
            }
            try #require(ended.status == .exited(0), "\(ended.log)")
            try await host.run { _ in try await host.require(child1: "meanwhile", reason: "restore")
            }
        }
    }

    @Test func `L4: a renamed state directory is reported even if it contains no saved state`()
        async throws
    {
        try await Host.with { host in
            let movedPath = host.directory.appending("away").string
            let ended = try await host.run { _ in
                try await host.run(
                    "rm", "-r", host.state.appending("Saved Application State").string)
                try await host.awaitOutput("status") { !$0.contains("last saved") }
                try await host.run("mv", host.state.string, movedPath)
                try await host.awaitOutput("status") {
                    unsaved($0, "leads elsewhere") == 4
                }
                try await host.run("mv", movedPath, host.state.string)
                try await host.awaitOutput("status") { !$0.contains("NOT SAVED") }
            }
            try #require(ended.status == .exited(0), "\(ended.log)")
        }
    }

    @Test func `L9: model data that another program removes is written again, and logged`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            let documents = host.state.appending("Documents/org.reprise.StateRestore")
            let ended = try await host.run { _ in
                try await application("preserve")
                let before = documents.entries
                try #require(!before.isEmpty)
                try await host.remove(documents)
                try await host.awaitOutput("status") { _ in documents.entries == before }
            }
            try #require(ended.log.contains("and it was written again"), "\(ended.log)")
        }
    }

    @Test func `L4: after the state directory is removed, replies report that nothing is saved`()
        async throws
    {
        try await Host.with { host in
            let ended = try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "before")
                try await host.remove(host.state)
                try await host.awaitOutput("status") {
                    unsaved($0, "the state directory was removed, and only a restart") == 4
                }
                // This command changes only the model data.
                let added = try await host.control(
                    "--app", "org.reprise.StateRestore", "tap",
                    "navController/tableViewController/@addButton")
                try #require(!added.errors.isEmpty, "\(added)")
                try #require(host.state.entries.isEmpty)
            }
            try #require(ended.status == .exited(1), "\(ended.log)")
            try await host.run { _ in try await host.require(child1: "", reason: "pristine") }
        }
    }

    @Test func `without a state directory, the error lists the sources that were checked`()
        async throws
    {
        try await Host.with { host in
            let result = try await host.attempt(["--config", host.configuration.string])
            try #require(result.status == .exited(1))
            for place in ["--state-directory", "$STATE_DIRECTORY", "$XDG_STATE_HOME", "$HOME"] {
                #expect(result.errors.contains(place))
            }
        }
    }
}
