import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// The folder for state, when it is not the daemon's alone.
struct StateDirectoryTests {
    @Test func `a second daemon is refused with the first one's process, which lives on`()
        async throws
    {
        try await Host.with { host in
            let ended = try await host.run { daemon in
                let second = try await host.attempt([
                    "--config", host.configuration.string, "--state-directory",
                    host.state.string, "--socket", host.folder.appending("other").string,
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

    @Test(arguments: ["state", "state/below"])
    func `one that cannot be written is refused, and nothing is made`(name: String) async throws {
        try await Host.with { host in
            try host.state.makeFolder()
            // Everyone gets to the folder of the test, but not to write.
            try #require(chmod(host.folder.string, 0o755) == 0)
            let result = try await host.attempt(
                [
                    "--config", host.configuration.string, "--state-directory",
                    host.folder.appending(name).string, "--socket", host.socket.string,
                ],
                by: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                result.errors.hasPrefix("reprised: Cannot make the folder '\(host.state)/")
                    && result.errors.hasSuffix(
                        "Permission denied; give this user access to it, and to the folders "
                            + "above it.\n"),
                "\(result)")
            try #require(host.state.entries.isEmpty)
        }
    }

    @Test func `without a place for it the places are named`() async throws {
        try await Host.with { host in
            let result = try await host.attempt(["--config", host.configuration.string])
            try #require(result.status == .exited(1))
            for place in ["--state-directory", "$STATE_DIRECTORY", "$XDG_STATE_HOME", "$HOME"] {
                #expect(result.errors.contains(place))
            }
        }
    }
}
