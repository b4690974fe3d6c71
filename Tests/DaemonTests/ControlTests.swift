import DaemonHost
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Command-line client, with and without a daemon.
struct ControlTests {
    @Test func `each refusal of the daemon is reported in one sentence, with exit status 1`()
        async throws
    {
        let cases = [
            (
                ["get", "nav/nothing"],
                "There is no object at nav/nothing: the nearest object above it is nav, and `reprisectl "
                    + "tree` shows all objects."
            ),
            (
                ["type", "nav//", "x"],
                "There is no object at nav//: the nearest object above it is nav, and `reprisectl tree` "
                    + "shows all objects."
            ),
            (
                ["get", "nav/parent", "nothing"],
                "nav/parent has no value for the key nothing: `reprisectl get nav/parent` shows "
                    + "all keys."
            ),
            (
                ["select", Paths.control, "2"],
                "\(Paths.control) has 2 elements: the index 2 is not in the range 0 to 1."
            ),
            (
                ["select", Paths.control, "--", "-1"],
                "\(Paths.control) has 2 elements: the index -1 is not in the range 0 to 1."
            ),
            (
                ["select", Paths.control, "0", "1"],
                "\(Paths.control) accepts one index, but 2 were given: specify only the index to select."
            ),
            (
                ["type", "nav/parent", "x"],
                "nav/parent is a ParentViewController, which type does not apply to: `reprisectl "
                    + "tree` shows the class of each object."
            ),
            (
                ["--app", "org.example", "show"],
                "The daemon has no application org.example: `reprisectl list` shows its applications."
            ),
            (
                ["--scene", "other", "show"],
                "org.reprise.ChildViews has no scene other: `reprisectl list` shows its scenes."
            ),
            (
                ["explain", "nowhere"],
                "There is no object at nowhere: `reprisectl tree` shows all objects."
            ),
            (
                ["--scene", "other", "report"],
                "org.reprise.ChildViews has no scene other: `reprisectl list` shows its scenes."
            ),
            (
                ["open", "main"],
                "org.reprise.ChildViews already has a scene main: choose another name, or close "
                    + "that scene first."
            ),
            (
                ["open", "a/b"],
                "org.reprise.ChildViews cannot have a scene named \"a/b\": the restoration "
                    + "identifier \"a/b\" contains a /: remove it."
            ),
            (
                ["close", "other"],
                "org.reprise.ChildViews has no scene other: `reprisectl list` shows its scenes."
            ),
            (
                ["debug", "exit", "launch-found"],
                "The configuration does not allow debug exits: add debug: { exits: "
                    + "true } to it."
            ),
            (
                ["debug", "trap", "nowhere"],
                "The configuration does not allow debug exits: add debug: { exits: "
                    + "true } to it."
            ),
            (
                ["launch"],
                "org.reprise.ChildViews is running already: `reprisectl --app "
                    + "org.reprise.ChildViews quit` stops it."
            ),
        ]
        try await Host.with { host in
            try await host.run { _ in
                for (arguments, sentence) in cases {
                    let result = try await host.control(arguments)
                    try #require(result.status == .exited(1), "\(arguments): \(result)")
                    try #require(result.errors == "reprisectl: \(sentence)\n")
                    try #require(result.output == "")
                }
            }
        }
    }

    @Test(.needsRoot)
    func `if no daemon is running, the sockets that were tried are reported, with exit status 3`()
        async throws
    {
        try await Host.with { host in
            // The client runs in a mount namespace with an empty /run, because this machine may run a daemon.
            let result = try await ProgramResult.of(
                [
                    "unshare", "--mount", "sh", "-c",
                    "mount -t tmpfs none /run && exec \"$0\" status",
                    try Programs.reprisectl().string,
                ], environment: ["XDG_RUNTIME_DIR": host.state.string], in: host.directory)
            try #require(result.status == .exited(3), "\(result)")
            try #require(
                result.errors == "reprisectl: no daemon is running: there is no socket at "
                    + "\(host.state)/reprise/control or /run/reprise/control; run 'systemctl restart "
                    + "reprised', or specify its socket with --socket or $REPRISE_SOCKET.\n")
        }
    }

    @Test func `the client waits for a specified socket that nobody serves, then reports it`()
        async throws
    {
        try await Host.with { host in
            let result = try await host.control("status")
            try #require(result.status == .exited(3), "\(result)")
            try #require(
                result.errors
                    == "reprisectl: the daemon at \(host.socket) does not respond; waiting up to 5 "
                    + "seconds.\nreprisectl: there is no socket at \(host.socket): start the daemon, "
                    + "or restart it if it runs and its socket was removed.\n")
        }
    }

    @Test(arguments: [Subprocess.Signal.terminate, .kill])
    func `while the daemon restarts, the client prints a message, waits, and receives the reply`(
        signal: Subprocess.Signal
    )
        async throws
    {
        try await Host.with { host in
            // A client waits for 5 s, so the daemon should launch few applications during that time.
            let dropIns = host.directory.appending("config/reprised.d")
            try dropIns.createDirectory()
            try dropIns.appending("one.yaml").write(
                "applications: [{ bundleIdentifier: org.reprise.ChildViews }]\n".utf8)
            try await host.run(endingBy: signal) { _ in
                try await host.mustControl("type", Paths.child1, "waited for")
            }
            // On a busy machine, a start may take longer than the client waits. The test then tries again.
            var text: String?
            for _ in 0..<20 where text == nil { text = try await answerDuringStart(of: host) }
            try #require(text == "waited for\n")
        }
    }

    /// Returns the reply to a client that calls before the daemon starts, or `nil` if the client timed out first.
    private func answerDuringStart(of host: Host) async throws -> String? {
        let result = try await Subprocess.run(
            .path(try Programs.reprisectl()),
            arguments: ["--socket", host.socket.string, "get", Paths.child1, "text"],
            environment: .custom(ProgramResult.environment), input: .none,
            output: .string(limit: ProgramResult.outputLimit), error: .sequence
        ) { control in
            var lines = control.standardError.strings().makeAsyncIterator()
            let firstLine = try await lines.next()
            try #require(
                firstLine
                    == "reprisectl: the daemon at \(host.socket) does not respond; waiting up "
                    + "to 5 seconds.")
            // The client receives its reply while the daemon runs, and prints no more messages.
            return try await host.run { _ in try await lines.next() == nil }.value
        }
        let hasReply = result.closureResult
        try #require(result.terminationStatus == .exited(hasReply ? 0 : 3))
        return hasReply ? result.standardOutput : nil
    }
}
