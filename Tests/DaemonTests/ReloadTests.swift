import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Changes of storyboards and of the configuration while the daemon runs.
struct ReloadTests {
    private static let parent = "nav/parent"

    @Test(arguments: Host.ReplacementMethod.allCases)
    func `R2: an edited storyboard is applied, and all typed text is restored`(
        method: Host.ReplacementMethod
    ) async throws {
        try await Host.with { host in
            let ended = try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "first")
                try await host.mustControl("select", Paths.control, "1")
                try await host.mustControl("type", Paths.child2, "second")
                for title in ["Once", "Twice"] {
                    let before = title == "Once" ? "Child Views" : "Once"
                    try await host.replace(
                        "title: \(before)", by: "title: \(title)", in: host.storyboard, method)
                    try await host.awaitOutput("get", Self.parent, "title") { $0 == title + "\n" }
                    try await host.require(child1: "first", reason: "reload")
                    let second = try await host.mustControl("get", Paths.child2, "text")
                    try #require(second == "second\n")
                    let shown = try await host.mustControl("show")
                    try #require(shown.contains("second"), "\(shown)")
                    let report = try await host.mustControl("report")
                    try #require(report.contains("reload"), "\(report)")
                    try #require(report.contains("7 of 7 objects restored"), "\(report)")
                }
                // The other applications were not reloaded.
                let status = try await host.mustControl("status")
                try #require(status.split(separator: "reason reload").count == 2, "\(status)")
                let history = try await host.mustControl("history")
                try #require(history.contains("because the storyboards changed"), "\(history)")
            }
            try #require(ended.status == .exited(0), "\(ended.log)")
            // No signal or client requested the reload, so the service manager is not notified.
            try #require(!ended.messages.contains { $0.contains("RELOADING=1") })
            try await host.run { _ in
                try await host.require(child1: "first", reason: "restore")
            }
        }
    }

    @Test
    func `R16: a child whose identifier is changed back two reloads later has its text again`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child2, "kept")
                let id = "restorationIdentifier: child2"
                try host.replace(id, by: "restorationIdentifier: other", in: host.storyboard)
                let other = "nav/parent/other/textField"
                try await host.awaitOutput("get", other, "text") { $0 == "\n" }
                let lost = try await host.mustControl("report")
                try #require(lost.contains("not restored: nav/parent/child2"), "\(lost)")
                try host.replace("title: Child Views", by: "title: Second", in: host.storyboard)
                try await host.awaitOutput("get", Self.parent, "title") { $0 == "Second\n" }
                try host.replace(
                    "restorationIdentifier: other", by: id, in: host.storyboard)
                try await host.awaitOutput("get", Paths.child2, "text") { $0 == "kept\n" }
            }
        }
    }

    @Test
    func `R16: a child removed from a storyboard and added again two reloads later has its text`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("Scrapbook")
            let storyboard = host.directory.appending("config/storyboards/Scrapbook.yaml")
            let notes = "tabs/notes/textView"
            try await host.run { _ in
                try await application("type", notes, "kept")
                let whole = try storyboard.text()
                let begin = try #require(whole.firstRange(of: "\n  notes:\n"))
                try storyboard.write(String(whole[..<begin.lowerBound]).utf8)
                try host.replace(
                    "children: [picture, web, notes]", by: "children: [picture, web]",
                    in: storyboard)
                try await host.awaitOutput("--app", application.bundleIdentifier, "tree") {
                    !$0.contains(notes)
                }
                try host.replace("title: Web", by: "title: Pages", in: storyboard)
                try await host.awaitOutput(
                    "--app", application.bundleIdentifier, "get", "tabs/web", "title"
                ) {
                    $0 == "Pages\n"
                }
                try storyboard.write(whole.utf8)
                try await host.awaitOutput(
                    "--app", application.bundleIdentifier, "get", notes, "text"
                ) {
                    $0 == "kept\n"
                }
            }
        }
    }

    /// Invalid line, with its file and the expected beginning of the message.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: @Sendable (Host) -> FilePath
        let text: String
        let replacement: String
        let expectedMessage: String
    }

    static let mistakes = [
        Mistake(
            testDescription: "in the configuration", file: { $0.configuration },
            text: "level: info", replacement: "level: loud",
            expectedMessage: ":10: log.level is \"loud\""),
        Mistake(
            testDescription: "in a storyboard", file: { $0.storyboard },
            text: "class: ParentViewController", replacement: "class: PerentViewController",
            expectedMessage: ":28:12: controllers.parent.class is \"PerentViewController\""),
    ]

    @Test(arguments: mistakes)
    func `an invalid line is reported with its position and changes nothing, until it is fixed`(
        mistake: Mistake
    ) async throws {
        try await Host.with { host in
            let file = mistake.file(host)
            let ended = try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "kept")
                try await host.replace(mistake.text, by: mistake.replacement, in: file, .rename)
                let status = try await host.awaitOutput("status") { $0.contains(file.string) }
                try #require(status.contains(mistake.expectedMessage), "\(status)")
                let refused = try await host.control("reload")
                try #require(refused.status == .exited(1), "\(refused)")
                try #require(refused.errors.hasPrefix("reprisectl: \(file):"), "\(refused)")
                try #require(refused.errors.contains(mistake.expectedMessage), "\(refused)")
                try await host.require(child1: "kept", reason: "pristine")

                try await host.replace(mistake.replacement, by: mistake.text, in: file, .inPlace)
                try await host.awaitOutput("status") { !$0.contains(file.string) }
                try #require(try await host.mustControl("reload") == "nothing changed\n")
                try await host.require(child1: "kept", reason: "pristine")
            }
            try #require(ended.status == .exited(0), "\(ended.log)")
            try #require(ended.log.contains(mistake.expectedMessage), "\(ended.log)")
            let statuses = ended.messages.joined().filter { $0.hasPrefix("STATUS=") }
            try #require(statuses.contains { $0.contains(mistake.expectedMessage) }, "\(statuses)")
            try #require(statuses.last == "STATUS=Stopping: saving everything.")

            // On startup, the same line is an error.
            try host.replace(mistake.text, by: mistake.replacement, in: file)
            let start = try await host.attempt()
            try #require(start.status == .exited(78), "\(start)")
            try #require(start.errors.hasPrefix("reprised: \(file):"), "\(start)")
            try #require(start.errors.contains(mistake.expectedMessage), "\(start)")
        }
    }

    @Test func `L6: a storyboard for another version waits for the restart`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "kept")
                try host.replace(
                    "bundleVersion: \"1\"", by: "bundleVersion: \"2\"", in: host.storyboard)
                let reply = try await host.mustControl("reload")
                let clause =
                    "takes effect at the next restart: the storyboards of "
                    + "org.reprise.ChildViews: \(host.storyboard):13:16: the storyboard is for "
                    + "version \"2\""
                try #require(reply.hasPrefix(clause), "\(reply)")
                let status = try await host.mustControl("status")
                try #require(status.contains(clause), "\(status)")
                try await host.require(child1: "kept", reason: "pristine")
            }
        }
    }

    @Test func `a new drop-in is noticed automatically, and changes that require a restart wait`()
        async throws
    {
        try await Host.with { host in
            let dropIns = host.directory.appending("config/reprised.d")
            try await host.run { _ in
                let refused = try await host.control("debug", "exit", "turn-begin")
                try #require(refused.status == .exited(1), "\(refused)")
                try dropIns.createDirectory()
                try dropIns.appending("10-test.yaml").write(
                    """
                    debug: { exits: true }
                    log: { level: debug }
                    applications: [{ bundleIdentifier: org.reprise.ChildViews }]

                    """.utf8)
                try await host.awaitOutput("status") {
                    $0.contains("org.reprise.Homepwner, which was removed and runs until then")
                }
                try await host.mustControl("--app", "org.reprise.Homepwner", "show")
                try await host.run("rm", dropIns.appending("10-test.yaml").string)
                try await host.awaitOutput("status") { !$0.contains("Homepwner, which") }
            }
        }
    }

    @Test
    func `SIGHUP and the reload command apply changed storyboards and notify the service manager`()
        async throws
    {
        try await Host.with { host in
            let ended = try await host.run { daemon in
                try await host.mustControl("type", Paths.child1, "kept")
                for title in ["Signal", "Command"] {
                    let before = title == "Signal" ? "Child Views" : "Signal"
                    try host.replace(
                        "title: \(before)", by: "title: \(title)", in: host.storyboard)
                    if title == "Signal" {
                        try daemon.send(.terminalClosed)
                    } else {
                        try await host.mustControl("reload")
                    }
                    let reloading = try await daemon.notifications.wait(for: "RELOADING=1")
                    let time = reloading.first { $0.hasPrefix("MONOTONIC_USEC=") }
                    try #require(UInt64(try #require(time).dropFirst(15)) ?? 0 > 0)
                    let ready = try await daemon.notifications.wait(for: "READY=1")
                    try #require(
                        ready.contains(
                            "STATUS=Hosting 4 applications with 4 scenes, everything is saved."),
                        "\(ready)")
                    let found = try await host.mustControl("get", Self.parent, "title")
                    try #require(found == title + "\n")
                    try await host.require(child1: "kept", reason: "reload")
                }
            }
            try #require(ended.status == .exited(0))
        }
    }
}
