import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Key presses and screen contents of a user at a terminal, which tmux simulates.
@Suite(.serialized) struct AttachTests {
    /// Terminal that runs one command.
    private struct Screen {
        let host: Host
        let name: String

        /// Runs `reprisectl attach` on a terminal with a size, and removes the terminal after the body.
        static func with(
            _ arguments: String = "", columns: Int = 60, lines: Int = 16, on host: Host,
            as name: String = "screen", environment: String = "LC_ALL=C.UTF-8",
            inShell: Bool = false, _ body: (Screen) async throws -> Void
        ) async throws {
            let screen = Screen(host: host, name: name)
            let command =
                inShell
                ? "bash --norc -i" : "$CTL attach \(arguments); echo ended with \\$?; cat"
            try await screen.tmux(
                "new-session -d -x \(columns) -y \(lines) \"env \(environment) \(command)\"")
            if inShell { try await screen.press("\"$CTL attach \(arguments)\" Enter") }
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

        /// Waits until a shell command succeeds with the screen as its input, and returns that screen.
        private func wait(until condition: String) async throws -> String {
            let capture = "tmux -S \(name) capture-pane -p"
            return try await tmux(
                "has-session; for n in $(seq 2500); do \(capture) >seen; cat seen | \(condition) && break; "
                    + "sleep 0.1; done; cat seen")
        }

        /// Shell expression for the client's process ID.
        var client: String {
            "$(pgrep -P $(tmux -S \(name) display -p '#{pane_pid}') reprisectl)"
        }

        /// Sends a signal to the client, and sends it again while the client restores the terminal.
        func signalDuringExit(_ signal: String) async throws {
            let path = try await tmux("display -p '#{pane_tty}'").dropLast()
            let terminal = open(String(path), O_RDWR | O_NOCTTY | O_CLOEXEC)
            defer { close(terminal) }
            // The client waits in write(2) until the terminal takes output again.
            try #require(tcflow(terminal, TCOOFF) == 0)
            let sent = try await host.shell(
                "client=\(client); kill -\(signal) $client; for n in $(seq 2500); do "
                    + "grep -qE 'woken|tty' /proc/$client/wchan && break; sleep 0.1; done; "
                    + "kill -\(signal) $client")
            try #require(tcflow(terminal, TCOON) == 0)
            try #require(sent.status.isSuccess, "\(sent)")
        }

        func waitUntilShown(_ text: String) async throws -> String {
            let screen = try await wait(until: "grep -qF -- \"\(text)\"")
            try #require(screen.contains(text), "\(text) is not in\n\(screen)")
            return screen
        }

        func waitUntilGone(_ text: String) async throws {
            let screen = try await wait(until: "(! grep -qF -- \"\(text)\")")
            try #require(!screen.contains(text), "\(text) is still in\n\(screen)")
        }

        /// Requires that the screen matches the screen in `docs/attach.md`.
        func requireDocumented(_ name: String) async throws {
            let document = try String(
                decoding: FilePath(#filePath).removingLastComponent().removingLastComponent()
                    .removingLastComponent().appending("docs/attach.md").read(), as: UTF8.self)
            let documented = try #require(
                document.split(separator: "<!-- screen: \(name) -->\n```text\n").last?
                    .split(separator: "```").first)
            try host.directory.appending("shown").write(documented.utf8)
            let lines = documented.count { $0 == "\n" }
            let actual = try await wait(until: "head -n \(lines) | cmp -s - shown")
            #expect(actual.hasPrefix(documented), "\(actual)")
        }
    }

    @Test func `ChildViews can be operated with keys, and continues where it was after a kill`()
        async throws
    {
        try await Host.with { host in
            // A daemon starts within this timeout even on a busy machine.
            try await Screen.with("--timeout 600s", on: host) { screen in
                try await host.run(endingBy: .kill) { _ in
                    _ = try await screen.waitUntilShown("pristine")
                    try await screen.press("'Hello wrld' Left Left Left o Tab Right Tab second")
                    _ = try await screen.waitUntilShown("second▏")
                    try await screen.requireDocumented("ChildViews")
                    let text = try await host.mustControl("get", Paths.child1, "text")
                    #expect(text == "Hello world\n")
                }
                _ = try await screen.waitUntilShown("no daemon")
                try await screen.press("lost")
                _ = try await screen.waitUntilShown("was ignored")
                try await host.run { _ in
                    let drawn = try await screen.waitUntilShown("is back")
                    #expect(drawn.contains("second▏") && !drawn.contains("lost"))
                    try await screen.press("'!'")
                    _ = try await screen.waitUntilShown("second!▏")
                    let text = try await host.mustControl("get", Paths.child2, "text")
                    #expect(text == "second!\n")
                    try await screen.press("C-c")
                    _ = try await screen.waitUntilShown("ended with 0")
                }
            }
        }
    }

    /// Runs a daemon with a terminal that is attached to it.
    private func attached(
        _ arguments: String = "", lines: Int = 16, environment: String = "LC_ALL=C.UTF-8",
        _ body: @escaping @Sendable (Host, Screen) async throws -> Void
    ) async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await Screen.with(arguments, lines: lines, on: host, environment: environment) {
                    screen in
                    try await body(host, screen)
                }
            }
        }
    }

    @Test func `StateRestore can be operated with keys: add, open, edit, move, delete`()
        async throws
    {
        try await attached("--app org.reprise.StateRestore") { host, screen in
            _ = try await screen.waitUntilShown("Item 4")
            try await screen.press("e J")
            try await screen.requireDocumented("StateRestore")
            try await screen.press("d")
            _ = try await screen.waitUntilShown("(y/n)")
            try await screen.press("n")
            try await screen.waitUntilGone("(y/n)")
            try await screen.press("d")
            _ = try await screen.waitUntilShown("(y/n)")
            try await screen.press("y")
            _ = try await screen.waitUntilShown("press u to restore it")
            try await screen.press("u")
            _ = try await screen.waitUntilShown("Item 1")
            try await screen.press("K d")
            _ = try await screen.waitUntilShown("(y/n)")
            try await screen.press("y")
            _ = try await screen.waitUntilShown("press u to restore it")
            try await screen.press("Space")
            _ = try await screen.waitUntilShown("⊖ ●")
            try await screen.press("e / 'item 4' Enter Enter")
            _ = try await screen.waitUntilShown("Notes of item 4")
            try await screen.press("' more' Tab X Tab Enter")
            let drawn = try await screen.waitUntilShown("Item 4 more")
            #expect(!drawn.contains("Item 1"))
            let titles = try await host.shell(
                "$CTL --app org.reprise.StateRestore show | grep -o 'Item [0-9]'")
            #expect(titles.output == "Item 2\nItem 3\nItem 4\n")
            try await screen.press("/ add Enter Enter")
            _ = try await screen.waitUntilShown("New item")
            try await screen.press("q")
            _ = try await screen.waitUntilShown("ended with 0")
        }
    }

    @Test func `unsaved text is discarded only after confirmation`() async throws {
        try await attached("--app org.reprise.StateRestore") { host, screen in
            let question = "discard the unsaved changes? (y/n)"
            _ = try await screen.waitUntilShown("Item 4")
            try await screen.press("/ 'item 4' Enter Enter")
            _ = try await screen.waitUntilShown("Notes of item 4")
            // Without changes, there is no question.
            try await screen.press("Escape")
            _ = try await screen.waitUntilShown("‹Edit›")
            try await screen.press("Enter")
            _ = try await screen.waitUntilShown("Notes of item 4")
            try await screen.press("' more' Escape")
            _ = try await screen.waitUntilShown(question)
            // Other keys do not answer the question.
            try await screen.press("x Enter Tab n")
            try await screen.waitUntilGone(question)
            _ = try await screen.waitUntilShown("Item 4 more▏")
            // A key that was typed before the question does not answer it either.
            try await screen.tmux("send-keys -H 1b 79")
            _ = try await screen.waitUntilShown(question)
            try await screen.press("Escape")
            try await screen.waitUntilGone(question)
            try await screen.press("Escape")
            _ = try await screen.waitUntilShown(question)
            try await screen.press("y")
            let list = try await screen.waitUntilShown("‹Edit›")
            #expect(!list.contains("more"))
            // Another client saves the text, so the question is no longer necessary.
            try await screen.press("Enter")
            _ = try await screen.waitUntilShown("Notes of item 4")
            try await screen.press("' saved' Escape")
            _ = try await screen.waitUntilShown(question)
            let detail = "navController/viewController"
            try await host.application("StateRestore")("tap", "\(detail)/@saveButton")
            try await screen.waitUntilGone(question)
            _ = try await screen.waitUntilShown("Item 4 saved")
            // Leaving the client discards nothing.
            try await screen.press("Enter")
            _ = try await screen.waitUntilShown("Notes of item 4")
            try await screen.press("' kept' Escape")
            _ = try await screen.waitUntilShown(question)
            try await screen.press("C-c")
            _ = try await screen.waitUntilShown("ended with 0")
            let text = try await host.application("StateRestore")(
                "get", "--raw", "\(detail)/EditField", "text")
            #expect(text.hasPrefix("Item 4 saved kept"))
        }
    }

    @Test func `Homepwner can be operated with keys: add, cancel, edit, move, delete`() async throws
    {
        try await attached("--app org.reprise.Homepwner") { host, screen in
            _ = try await screen.waitUntilShown("empty")
            try await screen.press("Enter")
            _ = try await screen.waitUntilShown("Serial")
            try await screen.press("Lamp Enter A-1 Enter C-u 12 Tab Tab Enter")
            _ = try await screen.waitUntilShown("Lamp")
            try await screen.press("/ add Enter Enter Vase Tab Tab Tab Tab Enter")
            _ = try await screen.waitUntilShown("Vase")
            try await screen.press("/ add Enter Enter Nothing Tab Tab Tab Enter")
            _ = try await screen.waitUntilShown("Vase")
            try await screen.press("/ lamp Enter Enter ' shade' Escape")
            _ = try await screen.waitUntilShown("Lamp shade")
            try await screen.press("/ lamp Enter e J")
            let moved = try await screen.waitUntilShown("⊖")
            try await screen.press("e")
            let names = try await host.shell(
                "$CTL --app org.reprise.Homepwner show | grep -oE 'Vase|Lamp shade|Nothing'")
            #expect(names.output == "Vase\nLamp shade\n", "\(moved)")
            try await screen.press("e / vase Enter d")
            _ = try await screen.waitUntilShown("(y/n)")
            try await screen.press("y")
            _ = try await screen.waitUntilShown("press u to restore it")
            try await screen.press("d")
            _ = try await screen.waitUntilShown("(y/n)")
            try await screen.press("y")
            // Edit mode is visible even if the list is empty.
            _ = try await screen.waitUntilShown("empty")
            try await screen.press("Up")
            _ = try await screen.waitUntilShown("EDIT MODE")
            try await screen.press("Tab u")
            _ = try await screen.waitUntilShown("⊖")
            try await screen.press("Escape")
            try await screen.waitUntilGone("EDIT MODE")
        }
    }

    @Test func `Scrapbook can be operated with keys: pages, scrolling, zoom, text and its picture`()
        async throws
    {
        try await attached("--app org.reprise.Scrapbook") { host, screen in
            _ = try await screen.waitUntilShown("imageView")
            try await screen.press("+ + Tab Down Down")
            // The text under the picture is wrapped at the width of the terminal.
            _ = try await screen.waitUntilShown("in to see the ridge, and move the picture")
            let scale = try await host.shell(
                "$CTL --app org.reprise.Scrapbook get tabs/picture/imageView zoomScale")
            #expect(scale.output == "1.5625\n")
            try await screen.press("Tab Right")
            _ = try await screen.waitUntilShown("scrapbook:home")
            try await screen.press("Tab Enter scrapbook:hills Enter NPage")
            _ = try await screen.waitUntilShown("5–12 of 12")
            try await screen.press("[")
            _ = try await screen.waitUntilShown("Two pages are worth a visit")
            try await screen.press("]")
            _ = try await screen.waitUntilShown("5–12 of 12")
            try await screen.press("/ notes Enter Enter")
            _ = try await screen.waitUntilShown("Add picture")
            // In other places, these letters are commands.
            try await screen.press("Tab 'A quick/line?' Enter second S-Left S-Left S-Left")
            _ = try await screen.waitUntilShown("sec«ond»")
            try await screen.press("Tab Tab Enter Tab Enter Tab Enter")
            let drawn = try await screen.waitUntilShown("█")
            let text = try await host.shell(
                "$CTL --app org.reprise.Scrapbook get --raw tabs/notes/textView text")
            #expect(text.output == "A quick/line?\nsecondA quick/line?\nsecond", "\(drawn)")
        }
    }

    @Test func `F3 rolls back to a generation after confirmation, and F4 shows objects`()
        async throws
    {
        try await attached(lines: 40) { host, screen in
            _ = try await screen.waitUntilShown("pristine")
            try await screen.press("before")
            _ = try await screen.waitUntilShown("before▏")
            _ = try await host.mustControl("reset", "--scene", "main")
            try await screen.press("after F3")
            let both = try await screen.waitUntilShown("│ after▏")
            #expect(both.contains("000001") && both.contains("│ before▏"), "\(both)")
            #expect(both.contains("-   text: before") && both.contains("+   text: after"))
            try await screen.press("Enter n")
            _ = try await screen.waitUntilShown("Enter: roll back")
            try await screen.press("Enter")
            _ = try await screen.waitUntilShown("roll back to 000001? (y/n)")
            try await screen.press("y")
            _ = try await screen.waitUntilShown("rolled back to 000001")
            try await screen.press("F2")
            _ = try await screen.waitUntilShown("Enter: switch to the scene · Escape: back")
            try await screen.press("Escape")
            _ = try await screen.waitUntilShown("before▏")
            try await screen.press("'!'")
            _ = try await screen.waitUntilShown("before!▏")
            try await screen.press("F4")
            let objects = try await screen.waitUntilShown("text: before!")
            #expect(objects.contains("› preserved      nav/parent/child1/textField"), "\(objects)")
            #expect(objects.contains("textField is a TextField"), "\(objects)")
            try await screen.press("Home")
            _ = try await screen.waitUntilShown("nav is a NavigationController")
            try await screen.press("Escape")
            _ = try await screen.waitUntilShown("[ First ]")
        }
    }

    @Test func `a kill during typing loses no text that was displayed`() async throws {
        try await Host.with { host in
            try await Screen.with("--timeout 60s", on: host) { screen in
                try await host.run(endingBy: nil) { daemon in
                    _ = try await screen.waitUntilShown("pristine")
                    let typing = try await host.shell(
                        "for n in $(seq 40); do tmux -S screen send-keys x; "
                            + "[ $n != 25 ] || kill -9 \(daemon.process); done")
                    #expect(typing.status.isSuccess, "\(typing)")
                }
                let before = try await screen.waitUntilShown("was ignored")
                try await host.run { _ in
                    let after = try await screen.waitUntilShown("is back")
                    let typed = [before, after].map { $0.count { $0 == "x" } }
                    // Changes that had been carried out but not drawn yet are also restored.
                    #expect(typed[0] > 0 && typed[0] <= typed[1] && typed[1] <= 25, "\(typed)")
                    let text = try await host.mustControl("get", Paths.child1, "text")
                    #expect(text == String(repeating: "x", count: typed[1]) + "\n")
                    if typed[0] == typed[1] {
                        let pictures = [before, after].map { $0.split(separator: "\n").dropLast() }
                        #expect(pictures[0] == pictures[1])
                    }
                }
            }
        }
    }

    @Test func `a daemon that does not respond is reported, and the client can still be left`()
        async throws
    {
        try await Host.with { host in
            try await host.run { daemon in
                try await Screen.with(on: host) { screen in
                    _ = try await screen.waitUntilShown("pristine")
                    try await screen.press("first")
                    _ = try await screen.waitUntilShown("first▏")
                    try daemon.send(.suspend)
                    try await screen.press("a Left b Left c Tab")
                    _ = try await screen.waitUntilShown("has not responded yet")
                    try await screen.press("d BTab z")
                    try daemon.send(.resume)
                    // The daemon receives the keys in order.
                    _ = try await screen.waitUntilShown("firstcz▏ba")
                    try await screen.waitUntilGone("has not responded yet")
                    let text = try await host.mustControl("get", Paths.child1, "text")
                    #expect(text == "firstczba\n")
                    try daemon.send(.suspend)
                    try await screen.press("d Left e C-c")
                    _ = try await screen.waitUntilShown("ended with 0")
                    try daemon.send(.resume)
                }
            }
        }
    }

    @Test
    func `clients of different sizes show the same scene, and an observing client changes nothing`()
        async throws
    {
        try await attached { host, wide in
            try await Screen.with("--observe", columns: 30, lines: 8, on: host, as: "narrow") {
                narrow in
                _ = try await wide.waitUntilShown("pristine")
                _ = try await narrow.waitUntilShown("[ First ]")
                try await wide.press("shared")
                _ = try await narrow.waitUntilShown("│ shared▏")
                try await narrow.press("x")
                _ = try await narrow.waitUntilShown("is read-only")
                _ = try await wide.waitUntilShown("│ shared▏")
                try await wide.tmux("resize-window -x 40 -y 10")
                _ = try await wide.waitUntilShown("┌──────────────────────────────────────┐")
                let clients = try await host.mustControl("clients")
                #expect(clients.contains("Attach of org.reprise.ChildViews main\n"), "\(clients)")
                #expect(clients.contains("of org.reprise.ChildViews main, observing\n"))
            }
        }
    }

    @Test func `the terminal does not interpret escape sequences in displayed text`() async throws {
        try await attached(lines: 30) { host, screen in
            _ = try await screen.waitUntilShown("pristine")
            let typed = try await host.shell(
                #"printf 'a\033]0;title\007\033[2J\033[31m\302\233mb' | $CTL type nav/parent/child1/textField -"#
            )
            #expect(typed.status.isSuccess, "\(typed)")
            _ = try await screen.waitUntilShown("Child Views")
            _ = try await screen.waitUntilShown("]0;title")
            try await screen.press("F4")
            _ = try await screen.waitUntilShown("text: a")
            try await screen.press("Escape")
            let drawn = try await screen.waitUntilShown("[ First ]")
            #expect(drawn.contains("Child Views") && drawn.contains("b▏"), "\(drawn)")
            let title = try await screen.tmux("display -p '#{pane_title}'")
            #expect(!title.contains("title"), "\(title)")
        }
    }

    @Test func `F2 switches to another scene`() async throws {
        try await attached { host, screen in
            _ = try await screen.waitUntilShown("pristine")
            try await screen.press("F1")
            _ = try await screen.waitUntilShown("edit mode of a list")
            try await screen.press("Space Space Space Space")
            _ = try await screen.waitUntilShown("exit (the scene continues to run)")
            try await screen.press("BSpace BSpace")
            _ = try await screen.waitUntilShown("edit mode of a list")
            try await screen.press("Escape F2")
            _ = try await screen.waitUntilShown("› org.reprise.ChildViews main")
            try await screen.press("Down Enter")
            _ = try await screen.waitUntilShown("Item 1")
            try await screen.press("Enter")
            _ = try await screen.waitUntilShown("Notes of item 1")
            // The client does not return to the first scene.
            try await host.application("StateRestore")("quit")
            _ = try await screen.waitUntilShown("ended with 1")
        }
    }

    @Test
    func `a terminal without UTF-8 gets ASCII, and a wrong scene name is reported immediately`()
        async throws
    {
        try await attached(environment: "LC_ALL=C NO_COLOR=1") { host, screen in
            let drawn = try await screen.waitUntilShown("+---")
            #expect(drawn.utf8.allSatisfy { $0 < 0x80 }, "\(drawn)")
            let refused = try await host.shell(
                "script -qec \"$CTL attach --scene nowhere\" /dev/null </dev/null")
            #expect(refused.output.contains("has no scene"), "\(refused)")
            let piped = try await host.control("attach")
            #expect(piped.status == .exited(2))
            #expect(piped.errors.contains("needs a terminal"), "\(piped)")
        }
    }

    @Test
    func `Ctrl-Z returns the terminal to the shell, and has no effect without a shell`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await Screen.with(on: host, inShell: true) { screen in
                    _ = try await screen.waitUntilShown("pristine")
                    try await screen.press("first C-z")
                    _ = try await screen.waitUntilShown("Stopped")
                    try await screen.press("fg Enter")
                    _ = try await screen.waitUntilShown("first▏")
                    try await screen.press("C-u second")
                    _ = try await screen.waitUntilShown("second▏")
                }
                // The screen needs another name, because the tmux server of the first screen may not have exited yet.
                try await Screen.with(on: host, as: "other") { screen in
                    _ = try await screen.waitUntilShown("second▏")
                    try await screen.press("C-z '!'")
                    _ = try await screen.waitUntilShown("second!▏")
                    let modes = try await screen.tmux(
                        "display -p '#{alternate_on} #{mouse_any_flag} #{cursor_flag}'")
                    #expect(modes == "1 1 0\n")
                }
            }
        }
    }

    /// Requires that the client has reset the terminal's modes.
    private func requireOwnModes(of screen: Screen) async throws {
        let modes = try await screen.tmux(
            "display -p '#{alternate_on} #{mouse_any_flag} #{cursor_flag}'")
        #expect(modes == "0 0 1\n")
    }

    @Test(arguments: [("TERM", 143), ("ABRT", 134)])
    func `the terminal is reset after a fatal signal`(signal: String, status: Int) async throws {
        try await attached { host, screen in
            _ = try await screen.waitUntilShown("pristine")
            _ = try await host.shell("kill -\(signal) \(screen.client)")
            _ = try await screen.waitUntilShown("ended with \(status)")
            try await requireOwnModes(of: screen)
        }
    }

    @Test func `the terminal is reset even if SIGTERM arrives twice`() async throws {
        try await attached { host, screen in
            _ = try await screen.waitUntilShown("pristine")
            try await screen.signalDuringExit("TERM")
            _ = try await screen.waitUntilShown("ended with 143")
            try await requireOwnModes(of: screen)
        }
    }

    @Test func `a shell gets its terminal back even if SIGTSTP arrives twice`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await Screen.with(on: host, inShell: true) { screen in
                    _ = try await screen.waitUntilShown("pristine")
                    try await screen.signalDuringExit("TSTP")
                    _ = try await screen.waitUntilShown("Stopped")
                    try await requireOwnModes(of: screen)
                }
            }
        }
    }
}
