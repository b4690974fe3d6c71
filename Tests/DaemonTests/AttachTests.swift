import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// A person at a terminal, whom tmux stands for: what they press, and what they see.
@Suite(.serialized) struct AttachTests {
    /// A terminal that runs one command.
    private struct Screen {
        let host: Host
        let name: String

        /// Runs `reprisectl attach` at a terminal of a size, which goes with the body.
        static func with(
            _ arguments: String = "", columns: Int = 60, lines: Int = 16, on host: Host,
            as name: String = "screen", environment: String = "LC_ALL=C.UTF-8",
            _ body: (Screen) async throws -> Void
        ) async throws {
            let screen = Screen(host: host, name: name)
            try await screen.tmux(
                "new-session -d -x \(columns) -y \(lines) "
                    + "\"env \(environment) $CTL attach \(arguments); echo ended with \\$?; cat\"")
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(screen))
            } catch {
                result = .failure(error)
            }
            try await screen.tmux("kill-server")
            try result.get()
        }

        @discardableResult
        func tmux(_ command: String) async throws -> String {
            let result = try await host.shell("tmux -S \(name) -f /dev/null \(command)")
            try #require(result.status.isSuccess, "\(command): \(result)")
            return result.output
        }

        func press(_ keys: String) async throws { try await tmux("send-keys \(keys)") }

        /// Waits until a shell command succeeds with the screen as its input, and gives the screen.
        private func wait(until condition: String) async throws -> String {
            let capture = "tmux -S \(name) capture-pane -p"
            return try await tmux(
                "has-session; for n in $(seq 250); do \(capture) | \(condition) && break; sleep 0.1; done; "
                    + capture)
        }

        func mustSee(_ text: String) async throws -> String {
            let screen = try await wait(until: "grep -qF -- \"\(text)\"")
            try #require(screen.contains(text), "\(text) is not in\n\(screen)")
            return screen
        }

        /// Requires that the screen is the one that `docs/attach.md` shows.
        func requireDocumented(_ name: String) async throws {
            let document = try String(
                decoding: FilePath(#filePath).removingLastComponent().removingLastComponent()
                    .removingLastComponent().appending("docs/attach.md").read(), as: UTF8.self)
            let shown = try #require(
                document.split(separator: "<!-- screen: \(name) -->\n```text\n").last?
                    .split(separator: "```").first)
            try host.folder.appending("shown").write(shown.utf8)
            let lines = shown.count { $0 == "\n" }
            let seen = try await wait(until: "head -n \(lines) | cmp -s - shown")
            #expect(seen.hasPrefix(shown), "\(seen)")
        }
    }

    @Test func `ChildViews is operated by keys, and goes on where it was after a kill`()
        async throws
    {
        try await Host.with { host in
            try await Screen.with("--timeout 60s", on: host) { screen in
                try await host.run(endingBy: .kill) { _ in
                    _ = try await screen.mustSee("pristine")
                    try await screen.press("'Hello wrld' Left Left Left o Tab Right Tab second")
                    _ = try await screen.mustSee("second▏")
                    try await screen.requireDocumented("ChildViews")
                    let text = try await host.mustControl("get", Paths.child1, "text")
                    #expect(text == "Hello world\n")
                }
                _ = try await screen.mustSee("no daemon")
                try await screen.press("lost")
                _ = try await screen.mustSee("was not taken")
                try await host.run { _ in
                    let drawn = try await screen.mustSee("is back")
                    #expect(drawn.contains("second▏") && !drawn.contains("lost"))
                    try await screen.press("'!'")
                    _ = try await screen.mustSee("second!▏")
                    let text = try await host.mustControl("get", Paths.child2, "text")
                    #expect(text == "second!\n")
                    try await screen.press("C-c")
                    _ = try await screen.mustSee("ended with 0")
                }
            }
        }
    }

    /// Runs a daemon with a terminal that is attached to it.
    private func attached(
        _ arguments: String = "", environment: String = "LC_ALL=C.UTF-8",
        _ body: @escaping @Sendable (Host, Screen) async throws -> Void
    ) async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await Screen.with(arguments, on: host, environment: environment) { screen in
                    try await body(host, screen)
                }
            }
        }
    }

    @Test func `StateRestore is operated by keys: add, open, edit, move, delete`() async throws {
        try await attached("--app org.reprise.StateRestore") { host, screen in
            _ = try await screen.mustSee("Item 4")
            try await screen.press("e J")
            try await screen.requireDocumented("StateRestore")
            try await screen.press("d")
            try await screen.press("e / 'item 4' Enter Enter")
            _ = try await screen.mustSee("Notes of item 4")
            try await screen.press("' more' Tab X Tab Enter")
            let drawn = try await screen.mustSee("Item 4 more")
            #expect(!drawn.contains("Item 1"))
            let titles = try await host.shell(
                "$CTL --app org.reprise.StateRestore show | grep -o 'Item [0-9]'")
            #expect(titles.output == "Item 2\nItem 3\nItem 4\n")
            try await screen.press("/ add Enter Enter")
            _ = try await screen.mustSee("New item")
            try await screen.press("q")
            _ = try await screen.mustSee("ended with 0")
        }
    }

    @Test func `two clients of different size see the same, and one that observes changes nothing`()
        async throws
    {
        try await attached { host, wide in
            try await Screen.with("--observe", columns: 30, lines: 8, on: host, as: "narrow") {
                narrow in
                _ = try await wide.mustSee("pristine")
                _ = try await narrow.mustSee("[ First ]")
                try await wide.press("shared")
                _ = try await narrow.mustSee("│ shared▏")
                try await narrow.press("x")
                _ = try await narrow.mustSee("only looks")
                _ = try await wide.mustSee("│ shared▏")
                try await wide.tmux("resize-window -x 40 -y 10")
                _ = try await wide.mustSee("┌──────────────────────────────────────┐")
            }
        }
    }

    @Test func `another scene is gone to by a key`() async throws {
        try await attached { _, screen in
            _ = try await screen.mustSee("pristine")
            try await screen.press("F2")
            _ = try await screen.mustSee("› org.reprise.ChildViews main")
            try await screen.press("Down Enter")
            _ = try await screen.mustSee("Item 1")
            try await screen.press("Enter")
            _ = try await screen.mustSee("Notes of item 1")
        }
    }

    @Test func `a terminal without UTF-8 gets ASCII, and a wrong name its sentence at once`()
        async throws
    {
        try await attached(environment: "LC_ALL=C NO_COLOR=1") { host, screen in
            let drawn = try await screen.mustSee("+---")
            #expect(drawn.utf8.allSatisfy { $0 < 0x80 }, "\(drawn)")
            let refused = try await host.shell(
                "script -qec \"$CTL attach --scene nowhere\" /dev/null </dev/null")
            #expect(refused.output.contains("has no scene"), "\(refused)")
            let piped = try await host.control("attach")
            #expect(piped.status == .exited(2))
            #expect(piped.errors.contains("needs a terminal"), "\(piped)")
        }
    }

    @Test func `the terminal is as before after SIGTERM`() async throws {
        try await attached { _, screen in
            _ = try await screen.mustSee("pristine")
            try await screen.tmux(
                "has-session; kill $(pgrep -P $(tmux -S screen display -p '#{pane_pid}') reprisectl)"
            )
            _ = try await screen.mustSee("ended with 0")
            let modes = try await screen.tmux(
                "display -p '#{alternate_on} #{mouse_any_flag} #{cursor_flag}'")
            #expect(modes == "0 0 1\n")
        }
    }
}
